/// Cells of printer columns, as apiextensions' table convertor fills them.
#include <holdfast/model/sorted.h>
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
  return model::to_json(model::sorted(value));
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
