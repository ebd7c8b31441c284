/// Cells of printer columns, as apiextensions' table convertor fills them.
#include <holdfast/model/time.h>

#include "crd/json_path.h"

#include <charconv>
#include <cmath>
#include <map>

namespace holdfast::apiserver {

using model::Array;
using model::Object;
using model::Value;

namespace {

/// Members sorted at every depth: Go prints maps so.
Value sorted(const Value& value) {
  if (const Array* list = value.if_array()) {
    Array out;
    for (const Value& item : *list) out.push_back(sorted(item));
    return out;
  }
  const Object* object = value.if_object();
  if (!object) return value;
  std::map<std::string_view, const Value*> members;
  for (const auto& member : *object) members.emplace(member.key(), &member.value());
  Object out;
  for (const auto& [name, member] : members) out.emplace(name, sorted(*member));
  return out;
}

/// Go's %v of a float64: the shortest digits, with an exponent below 1e-4 and from 1e+06 on.
std::string go_text(double number) {
  const double size = std::abs(number);
  const bool scientific = size != 0 && (size < 1e-4 || size >= 1e6);
  const auto format = scientific ? std::chars_format::scientific : std::chars_format::fixed;
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number, format);
  return std::string(buffer, end.ptr);
}

std::string text_of(const Value& value) {
  if (value.is_null()) return "<no value>";
  if (value.is_string()) return std::string(model::view(value.get_string()));
  if (value.is_double()) return go_text(value.get_double());
  return model::to_json(sorted(value));
}

Value age_of(const Value& value, WallTime now) {
  if (!value.is_string()) return {};
  const std::string_view text = model::view(value.get_string());
  if (text.empty() || text == "null") return "<unknown>";
  const auto time = model::parse_rfc3339(text);
  if (!time) return "<invalid>";
  return Value(model::human_duration(now - *time));
}

}  // namespace

Value column_cell(const JsonPath& path, std::string_view type, const Value& object, WallTime now) {
  auto found = path.find(object);
  if (!found || found->empty()) return {};
  const Value& value = *found->front();
  if (type == "string") return Value(text_of(value));
  if (type == "integer") {
    if (value.is_int64()) return value;
    return value.is_double() ? Value(int64_t(value.get_double())) : Value();
  }
  if (type == "number") {
    if (value.is_double()) return value;
    return value.is_int64() ? Value(double(value.get_int64())) : Value();
  }
  if (type == "boolean") return value.is_bool() ? value : Value();
  return type == "date" ? age_of(value, now) : Value();
}

}  // namespace holdfast::apiserver
