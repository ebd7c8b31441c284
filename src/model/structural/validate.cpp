#include "structural/validate.h"

#include <holdfast/model/structural.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace holdfast::model::structural {
namespace {

const Limits kNoLimits;

std::string json_type(const Value& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return "null";
    case boost::json::kind::bool_:
      return "boolean";
    case boost::json::kind::int64:
      return "integer";
    case boost::json::kind::uint64:  // Go reads what int64 cannot hold as float64
    case boost::json::kind::double_:
      return "number";
    case boost::json::kind::string:
      return "string";
    case boost::json::kind::array:
      return "array";
    case boost::json::kind::object:
      break;
  }
  return "object";
}

/// The types a schema allows, joined as kube-openapi prints them.
std::string_view allowed_types(Type type) {
  return type == Type::IntOrString ? "integer,string" : type_name(type);
}

/// Close enough to a whole number, and small enough for a double to tell.
bool is_whole(double number) {
  constexpr double kLargest = 9007199254740991.0;  // 2^53 - 1
  if (!std::isfinite(number) || std::abs(number) > kLargest) return false;
  const double whole = std::trunc(number);
  if (number == whole) return true;
  if (whole == 0) return false;
  return std::abs(number - whole) / (std::abs(number) + std::abs(whole)) < 1e-9;
}

bool type_fits(const Value& value, Type type) {
  const std::string found = json_type(value);
  if (type == Type::IntOrString && (found == "integer" || found == "string")) return true;
  if (found == allowed_types(type)) return true;
  if (found == "integer") return type == Type::Number;
  const bool wants_integer = type == Type::Integer || type == Type::IntOrString;
  return value.is_double() && wants_integer && is_whole(value.get_double());
}

/// Go converts the value to the option's type first: 1.0 is in [1], and so is 1.5.
bool equals_option(const Value& value, const Value& option) {
  if (option.is_int64() && value.is_double())
    return std::trunc(value.get_double()) == double(option.get_int64());
  return !option.is_null() && !value.is_null() && equal(value, option);
}

}  // namespace

const Value* counterpart(const Value& item, const Schema& schema, const Value* old) {
  if (schema.list_type != ListType::Map || !old || !old->is_array() || !item.is_object())
    return nullptr;
  for (const Value& candidate : old->get_array()) {
    const bool same =
        std::all_of(schema.list_keys.begin(), schema.list_keys.end(), [&](const std::string& name) {
          const Value* a = find(item, {name});
          const Value* b = find(candidate, {name});
          return a && b && equal(*a, *b);
        });
    if (same) return &candidate;
  }
  return nullptr;
}

Outcome Validator::check(const Value& value, const Schema& schema, const std::string& path,
                         const Value* old) const {
  const Limits& limits = schema.limits ? *schema.limits : kNoLimits;
  Outcome out;
  if (value.is_null()) {
    out.merge(check_type(value, schema, path));
    out.merge(check_enum(value, schema, path));
    return out;
  }
  auto count = [&out](Outcome part) {
    out.merge(std::move(part));
    ++out.matches;
  };
  const bool formatted = knows_format(schema.format);
  if (schema.type != Type::Any || formatted) count(check_type(value, schema, path));
  count(check_junctors(value, limits, path, old));
  if (value.is_string()) {
    const std::string_view text = view(value.get_string());
    count(check_string(text, limits, path));
    if (formatted) {
      Outcome part;
      if (!has_format(text, schema.format))
        part.add(say_.wrong_type(path, schema.format, std::string(text)));
      count(std::move(part));
    }
  }
  if (value.is_number()) count(check_number(value, &limits, path));
  if (value.is_array()) count(check_list(value.get_array(), schema, path, old));
  count(check_enum(value, schema, path));
  if (value.is_object()) count(check_object(value.get_object(), schema, path, old));
  ++out.matches;
  return out;
}

Outcome Validator::check_child(const Value& value, const Schema& schema, const std::string& path,
                               const Value* old) const {
  // Parts of ObjectMeta: decoding has checked them.
  if (schema.go != GoType::None) return {};
  Outcome out = check(value, schema, path, old);
  if (!out.valid() && old && equal(value, *old)) out.issues.clear();
  return out;
}

Outcome Validator::check_type(const Value& value, const Schema& schema,
                              const std::string& path) const {
  Outcome out;
  const std::string allowed(allowed_types(schema.type));
  if (value.is_null()) {
    if (!allowed.empty() && !schema.nullable)
      out.add(say_.wrong_type(path, allowed, "null"));
    else
      out.matches = 1;
    return out;
  }
  const bool formatted = knows_format(schema.format);
  const bool fits = type_fits(value, schema.type);
  const bool texty = value.is_string() || value.is_array();
  const bool numeric = schema.type == Type::Integer || schema.type == Type::Number ||
                       schema.type == Type::IntOrString;
  if (formatted && !texty && !fits) {
    const char* format = value.is_int64() ? "int64" : value.is_number() ? "float64" : "";
    out.add(say_.wrong_type(path, schema.format, format));
  } else if (!(formatted && !numeric && texty) && !fits) {
    out.add(say_.wrong_type(path, allowed, json_type(value)));
  } else {
    out.matches = 1;
  }
  return out;
}

Outcome Validator::check_junctors(const Value& value, const Limits& limits, const std::string& path,
                                  const Value* old) const {
  Outcome out;
  if (!limits.any_of.empty()) out.merge(check_any_of(value, limits, path, old));
  if (!limits.one_of.empty()) out.merge(check_one_of(value, limits, path, old));
  if (!limits.all_of.empty()) out.merge(check_all_of(value, limits, path, old));
  if (limits.not_ && check(value, *limits.not_, path, old).valid())
    out.add(say_.junctor(path, "must not validate the schema (not)"));
  ++out.matches;
  return out;
}

Outcome Validator::check_any_of(const Value& value, const Limits& limits, const std::string& path,
                                const Value* old) const {
  std::optional<Outcome> best;
  for (const Schema* branch : limits.any_of) {
    Outcome part = check(value, *branch, path, old);
    if (part.valid()) return part;
    if (!best || part.matches > best->matches) best = std::move(part);
  }
  Outcome out;
  out.add(say_.junctor(path, "must validate at least one schema (anyOf)"));
  out.merge(std::move(*best));
  return out;
}

Outcome Validator::check_one_of(const Value& value, const Limits& limits, const std::string& path,
                                const Value* old) const {
  std::optional<Outcome> best, first_valid;
  int valid = 0;
  for (const Schema* branch : limits.one_of) {
    Outcome part = check(value, *branch, path, old);
    if (part.valid()) {
      ++valid;
      best.reset();
      if (!first_valid) first_valid = std::move(part);
    } else if (valid == 0 && (!best || part.matches > best->matches)) {
      best = std::move(part);
    }
  }
  if (valid == 1) return std::move(*first_valid);
  Outcome out;
  const std::string found =
      valid == 0 ? "Found none valid" : fmt::format("Found {} valid alternatives", valid);
  out.add(say_.junctor(path, "must validate one and only one schema (oneOf). " + found));
  if (best) out.merge(std::move(*best));
  return out;
}

Outcome Validator::check_all_of(const Value& value, const Limits& limits, const std::string& path,
                                const Value* old) const {
  Outcome out;
  size_t valid = 0;
  for (const Schema* branch : limits.all_of) {
    Outcome part = check(value, *branch, path, old);
    if (part.valid()) ++valid;
    out.merge(std::move(part));
  }
  if (valid != limits.all_of.size())
    out.add(say_.junctor(path, valid == 0 ? "must validate all the schemas (allOf). None validated"
                                          : "must validate all the schemas (allOf)"));
  return out;
}

Outcome Validator::check_list(const Array& list, const Schema& schema, const std::string& path,
                              const Value* old) const {
  Outcome out;
  if (schema.items && schema.type != Type::Map)
    for (size_t i = 0; i < list.size(); ++i)
      out.merge(
          check_child(list[i], *schema.items, at(path, i), counterpart(list[i], schema, old)));
  const Limits& limits = schema.limits ? *schema.limits : kNoLimits;
  const auto size = int64_t(list.size());
  if (limits.min_items && size < *limits.min_items)
    out.add(
        say_.invalid(path, size, fmt::format("should have at least {} items", *limits.min_items)));
  if (limits.max_items && size > *limits.max_items)
    out.add(say_.too_many(path, size, *limits.max_items, "items"));
  ++out.matches;
  return out;
}

Outcome Validator::check_object(const Object& object, const Schema& schema, const std::string& path,
                                const Value* old) const {
  Outcome out;
  const Limits& limits = schema.limits ? *schema.limits : kNoLimits;
  const auto size = int64_t(object.size());
  if (limits.min_properties && size < *limits.min_properties)
    out.add(say_.invalid(
        path, size, fmt::format("should have at least {} properties", *limits.min_properties)));
  if (limits.max_properties && size > *limits.max_properties)
    out.add(say_.too_many(path, size, *limits.max_properties, "properties"));
  for (const auto& member : object) {
    const std::string name(member.key());
    const Field* field = schema.shape ? schema.shape->find(name) : nullptr;
    const bool listed = field != nullptr;
    if (!listed && schema.type == Type::Map && !schema.items)
      out.add(say_.forbidden_property(path, name));
    const Schema* inner = listed                       ? &field->schema
                          : schema.type == Type::Array ? nullptr
                                                       : schema.items;
    if (!inner) continue;
    const Value* before = old ? find(*old, {name}) : nullptr;
    if (path.empty() && (name == "kind" || name == "apiVersion")) before = nullptr;
    const std::string where = listed ? child(path, name) : fmt::format("{}.{}", path, name);
    out.merge(check_child(member.value(), *inner, where, before));
  }
  const std::vector<std::string>& required =
      schema.shape ? schema.shape->required : limits.required;
  for (const std::string& name : required)
    if (!object.contains(name)) out.add(say_.required(fmt::format("{}.{}", path, name)));
  return out;
}

Outcome Validator::check_enum(const Value& value, const Schema& schema,
                              const std::string& path) const {
  Outcome out;
  if (!schema.limits || schema.limits->enum_values.empty()) return out;
  const std::vector<Value>& options = schema.limits->enum_values;
  const bool found = std::any_of(options.begin(), options.end(),
                                 [&](const Value& o) { return equals_option(value, o); });
  if (!found) out.add(say_.not_in(path, value, options));
  return out;
}

}  // namespace holdfast::model::structural

namespace holdfast::model {
namespace {

FieldErrors check_schema(const Value& object, const Schema& schema, const Value* old) {
  structural::Outcome outcome = structural::Validator("").check(object, schema, "", old);
  FieldErrors errors;
  for (structural::Issue& issue : outcome.issues) errors.push_back(std::move(issue.error));
  structural::check_embedded(object, schema, "", false, errors);
  return errors;
}

}  // namespace

FieldErrors validate(const Value& object, const Schema& schema) {
  FieldErrors errors = check_schema(object, schema, nullptr);
  structural::check_list_types(object, schema, "", errors);
  return errors;
}

FieldErrors validate_update(const Value& object, const Value& old, const Schema& schema) {
  FieldErrors errors = check_schema(object, schema, &old);
  FieldErrors before;
  structural::check_list_types(old, schema, "", before);
  if (before.empty()) structural::check_list_types(object, schema, "", errors);
  return errors;
}

}  // namespace holdfast::model
