/// Label selectors: from text or object, matched against labels, printed again.
#include <holdfast/base/text.h>
#include <holdfast/model/selector.h>

#include "values/label_requirements.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace holdfast::model {
namespace {

using Op = LabelSelector::Op;
using Requirement = LabelSelector::Requirement;

void sort_by_key(std::vector<Requirement>& requirements) {
  std::stable_sort(requirements.begin(), requirements.end(),
                   [](const Requirement& a, const Requirement& b) { return a.key < b.key; });
}

const std::string* lookup(const Labels& labels, const std::string& name) {
  const auto it = std::lower_bound(
      labels.begin(), labels.end(), name,
      [](const auto& label, const std::string& wanted) { return label.first < wanted; });
  return it != labels.end() && it->first == name ? &it->second : nullptr;
}

bool holds(const Requirement& wanted, const Labels& labels) {
  const std::string* value = lookup(labels, wanted.key);
  const auto listed_there = [&] {
    return std::binary_search(wanted.values.begin(), wanted.values.end(), *value);
  };
  switch (wanted.op) {
    case Op::In:
      return value && listed_there();
    case Op::NotIn:
      return !value || !listed_there();
    case Op::Exists:
      return value;
    case Op::DoesNotExist:
      return !value;
    case Op::GreaterThan:
    case Op::LessThan:
      break;
  }
  if (!value) return false;
  const auto have = label_integer(*value);
  const auto bound = label_integer(wanted.values.front());
  if (!have || !bound) return false;
  return wanted.op == Op::GreaterThan ? *have > *bound : *have < *bound;
}

std::string text_of(const Requirement& wanted) {
  const std::string values = join(wanted.values, ",");
  switch (wanted.op) {
    case Op::In:
      return wanted.exact ? wanted.key + "=" + values : wanted.key + " in (" + values + ")";
    case Op::NotIn:
      return wanted.exact ? wanted.key + "!=" + values : wanted.key + " notin (" + values + ")";
    case Op::Exists:
      return wanted.key;
    case Op::DoesNotExist:
      return "!" + wanted.key;
    case Op::GreaterThan:
      return wanted.key + ">" + values;
    case Op::LessThan:
      break;
  }
  return wanted.key + "<" + values;
}

Result<Requirement> from_expression(const Value& expression) {
  Requirement out;
  out.key = string_at(expression, {"key"});
  const std::string_view op = string_at(expression, {"operator"});
  if (op == "In")
    out.op = Op::In;
  else if (op == "NotIn")
    out.op = Op::NotIn;
  else if (op == "Exists")
    out.op = Op::Exists;
  else if (op == "DoesNotExist")
    out.op = Op::DoesNotExist;
  else
    return Error(Fault::Invalid,
                 fmt::format("{} is not a valid label selector operator", quoted(op)));
  for (const Value& value : array_at(expression, {"values"}))
    if (value.is_string()) out.values.emplace_back(view(value.get_string()));
  return checked_requirement(std::move(out));
}

}  // namespace

Result<LabelSelector> LabelSelector::parse(std::string_view text) {
  LabelSelector out;
  out.requirements_ = HF_TRY(parse_requirements(text));
  sort_by_key(out.requirements_);
  return out;
}

Result<LabelSelector> LabelSelector::from_object(const Value& selector) {
  LabelSelector out;
  out.nothing_ = !selector.is_object();
  for (const auto& label : object_at(selector, {"matchLabels"})) {
    std::string value(label.value().is_string() ? view(label.value().get_string()) : "");
    const std::string name(label.key().data(), label.key().size());
    out.requirements_.push_back(
        HF_TRY(checked_requirement({name, Op::In, {std::move(value)}, true})));
  }
  for (const Value& expression : array_at(selector, {"matchExpressions"}))
    out.requirements_.push_back(HF_TRY(from_expression(expression)));
  sort_by_key(out.requirements_);
  return out;
}

bool LabelSelector::matches(const Labels& labels) const {
  return !nothing_ && std::all_of(requirements_.begin(), requirements_.end(),
                                  [&](const Requirement& wanted) { return holds(wanted, labels); });
}

std::string LabelSelector::text() const {
  std::vector<std::string> parts;
  for (const Requirement& wanted : requirements_) parts.push_back(text_of(wanted));
  return join(parts, ",");
}

}  // namespace holdfast::model
