#include "crd/json_path.h"

#include <holdfast/base/text.h>

#include "crd/json_path_steps.h"

#include <fmt/format.h>

namespace holdfast::apiserver {

using model::Value;

namespace {

using Found = std::vector<const Value*>;
using Step = JsonPath::Step;
using Steps = JsonPath::Steps;

Error invalid(std::string what) { return Error(Fault::Invalid, std::move(what)); }

Result<Found> walk(Found values, const Steps& steps);

void append_children(const Value& value, Found& out) {
  if (const model::Object* object = value.if_object())
    for (const auto& member : *object) out.push_back(&member.value());
  if (const model::Array* array = value.if_array())
    for (const Value& item : *array) out.push_back(&item);
}

/// The value itself and everything below it that has something below it.
void append_all(const Value& value, Found& out) {
  Found children;
  append_children(value, children);
  if (children.empty()) return;
  out.push_back(&value);
  for (const Value* child : children) append_all(*child, out);
}

Result<Found> apply_slice(const Found& values, const Step& step) {
  Found out;
  for (const Value* value : values) {
    if (value->is_null()) continue;
    const model::Array* array = value->if_array();
    if (!array) return invalid("an index was given for what is no list");
    const int size = int(array->size());
    int from = step.bounds[0].value_or(0);
    int to = step.single ? from + 1 : step.bounds[1].value_or(size);
    if (from < 0) from += size;
    if (to < 0 || (to == 0 && step.single)) to += size;
    if (from == to) continue;
    if (from < 0 || from >= size || to < 0 || to > size)
      return invalid(fmt::format("array index out of bounds: index {}, length {}", from, size));
    const int stride = step.bounds[2].value_or(1);
    if (from > to || stride <= 0) return invalid("a slice must go forward");
    for (int i = from; i < to; i += stride) out.push_back(&(*array)[size_t(i)]);
  }
  return out;
}

/// Less than, equal, greater; nothing if the two cannot be compared.
std::optional<int> compare(const Value& a, const Value& b) {
  if (a.is_string() && b.is_string()) return a.get_string().compare(b.get_string());
  if (a.is_bool() && b.is_bool()) return int(a.get_bool()) - int(b.get_bool());
  if (a.is_int64() && b.is_int64())
    return (a.get_int64() > b.get_int64()) - (a.get_int64() < b.get_int64());
  if (a.is_double() && b.is_double())
    return (a.get_double() > b.get_double()) - (a.get_double() < b.get_double());
  return {};
}

Result<bool> holds(const Value& left, const Value& right, const std::string& operation) {
  const std::optional<int> order = compare(left, right);
  if (!order || (left.is_bool() && operation != "==" && operation != "!="))
    return invalid("incompatible types for comparison");
  if (operation == "==") return *order == 0;
  if (operation == "!=") return *order != 0;
  if (operation == "<") return *order < 0;
  if (operation == "<=") return *order <= 0;
  if (operation == ">") return *order > 0;
  if (operation == ">=") return *order >= 0;
  return invalid("unrecognized filter operator " + operation);
}

Result<bool> passes(const Value& item, const Step& step) {
  auto lefts = walk({&item}, step.left);
  if (step.operation == "exists") return lefts && !lefts->empty();
  if (!lefts) return lefts.take_error();
  const Found rights = HF_TRY(walk({&item}, step.right));
  if (lefts->empty() || rights.empty()) return false;
  if (lefts->size() > 1 || rights.size() > 1)
    return invalid("can only compare one element at a time");
  return holds(*(*lefts)[0], *rights[0], step.operation);
}

Result<Found> apply_filter(const Found& values, const Step& step) {
  Found out;
  for (const Value* value : values) {
    const model::Array* array = value->if_array();
    if (!array) return invalid("what is no list cannot be filtered");
    for (const Value& item : *array) {
      const bool pass = HF_TRY(passes(item, step));
      if (pass) out.push_back(&item);
    }
  }
  return out;
}

Result<Found> take_step(const Found& values, const Step& step) {
  Found out;
  switch (step.kind) {
    case Step::Kind::Slice:
      return apply_slice(values, step);
    case Step::Kind::Filter:
      return apply_filter(values, step);
    case Step::Kind::Field:
      for (const Value* value : values)
        if (const Value* member = model::find(*value, {step.name})) out.push_back(member);
      return out;
    case Step::Kind::Wildcard:
      for (const Value* value : values) append_children(*value, out);
      return out;
    case Step::Kind::Recursive:
      for (const Value* value : values) append_all(*value, out);
      return out;
    case Step::Kind::Union:
      for (const Steps& branch : step.branches) {
        const Found part = HF_TRY(walk(values, branch));
        out.insert(out.end(), part.begin(), part.end());
      }
      return out;
    case Step::Kind::Literal:
      break;
  }
  out.assign(values.size(), &step.literal);
  return out;
}

Result<Found> walk(Found values, const Steps& steps) {
  for (const Step& step : steps) {
    Found next = HF_TRY(take_step(values, step));
    values = std::move(next);
  }
  return values;
}

}  // namespace

Result<std::vector<const Value*>> JsonPath::find(const Value& root) const {
  return walk({&root}, *steps_);
}

std::vector<std::string> simple_path(std::string_view text) {
  if (text.starts_with('.')) text.remove_prefix(1);
  std::vector<std::string> out;
  for (std::string_view part : split(text, '.')) out.emplace_back(part);
  return out;
}

const Value* find_simple(const Value& object, std::string_view path) {
  const Value* value = &object;
  for (const std::string& name : simple_path(path)) {
    value = model::find(*value, {name});
    if (!value) return nullptr;
  }
  return value;
}

std::string selectable_value(const Value& object, std::string_view path) {
  const Value* value = find_simple(object, path);
  if (!value || value->is_null() || value->is_structured()) return "";
  return value->is_string() ? std::string(model::view(value->get_string()))
                            : model::to_json(*value);
}

}  // namespace holdfast::apiserver
