// Go's base64 reader, names of Go types and literals of numbers.
#include "typed/go_text.h"

#include "json/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace holdfast::model {

namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int8_t, 256> reverse_alphabet() {
  std::array<int8_t, 256> values{};
  for (auto& value : values) value = -1;
  for (size_t i = 0; i < kAlphabet.size(); ++i)
    values[static_cast<uint8_t>(kAlphabet[i])] = static_cast<int8_t>(i);
  return values;
}
constexpr std::array<int8_t, 256> kReverse = reverse_alphabet();

bool is_break(char c) { return c == '\n' || c == '\r'; }

Error illegal(size_t at) {
  return Error(Fault::Invalid, fmt::format("illegal base64 data at input byte {}", at));
}

/// After the first '=' that follows `have` characters of a group of four: where the padding is
/// wrong, if it is.
std::optional<size_t> padding_fault(std::string_view text, size_t at, size_t have) {
  if (have < 2) return at;
  size_t next = at + 1;
  if (have == 2) {
    while (next < text.size() && is_break(text[next])) ++next;
    if (next == text.size()) return text.size();
    if (text[next] != '=') return next - 1;
    ++next;
  }
  while (next < text.size() && is_break(text[next])) ++next;
  if (next < text.size()) return next;
  return std::nullopt;
}

std::string_view scalar_name(GoType go) {
  switch (go) {
    case GoType::String:
      return "string";
    case GoType::Bytes:
      return "[]uint8";
    case GoType::Bool:
      return "bool";
    case GoType::Int32:
      return "int32";
    case GoType::Int64:
      return "int64";
    case GoType::Float64:
      return "float64";
    case GoType::Time:
      return "v1.Time";
    case GoType::MicroTime:
      return "v1.MicroTime";
    case GoType::Duration:
      return "v1.Duration";
    case GoType::Quantity:
      return "resource.Quantity";
    case GoType::IntOrString:
      return "intstr.IntOrString";
    case GoType::RawExtension:
      return "runtime.RawExtension";
    case GoType::FieldsV1:
      return "v1.FieldsV1";
    case GoType::Json:
      return "v1.JSON";
    case GoType::JsonSchemaOrBool:
      return "v1.JSONSchemaPropsOrBool";
    case GoType::JsonSchemaOrArray:
      return "v1.JSONSchemaPropsOrArray";
    case GoType::JsonSchemaOrStringArray:
      return "v1.JSONSchemaPropsOrStringArray";
    default:
      return "interface {}";
  }
}

}  // namespace

Result<std::string> go_base64(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3);
  uint32_t group = 0;
  size_t have = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (is_break(c)) continue;
    if (c == '=') {
      if (auto fault = padding_fault(text, at, have)) return illegal(*fault);
      if (have >= 2) out += static_cast<char>(group >> (have == 2 ? 4 : 10));
      if (have == 3) out += static_cast<char>(group >> 2);
      return out;
    }
    int8_t value = kReverse[static_cast<uint8_t>(c)];
    if (value < 0) return illegal(at);
    group = group << 6 | static_cast<uint32_t>(value);
    if (++have < 4) continue;
    out += static_cast<char>(group >> 16);
    out += static_cast<char>(group >> 8);
    out += static_cast<char>(group);
    group = 0;
    have = 0;
  }
  if (have != 0) return illegal(text.size() - have);
  return out;
}

std::string_view go_struct_name(const Shape& shape) {
  std::string_view name = shape.name;
  return name.substr(name.rfind('.') + 1);
}

std::string go_type_name(const Schema& schema) {
  if (!schema.go_name.empty()) return std::string(schema.go_name);
  if (schema.go == GoType::Slice) return "[]" + go_type_name(*schema.items);
  if (schema.go == GoType::StringMap) return "map[string]" + go_type_name(*schema.items);
  if (schema.go != GoType::Struct) return std::string(scalar_name(schema.go));
  std::string_view name = schema.shape->name;
  size_t dot = name.rfind('.', name.rfind('.') - 1);
  return std::string(name.substr(dot + 1));
}

std::string go_print(const Value& value) {
  std::string out;
  switch (value.kind()) {
    case boost::json::kind::object: {
      std::vector<std::pair<std::string_view, const Value*>> members;
      for (const auto& member : value.get_object())
        members.emplace_back(std::string_view(member.key().data(), member.key().size()),
                             &member.value());
      std::sort(members.begin(), members.end());
      for (const auto& [key, held] : members)
        out += fmt::format("{}{}:{}", out.empty() ? "" : " ", key, go_print(*held));
      return "map[" + out + "]";
    }
    case boost::json::kind::array:
      for (const Value& element : value.get_array()) {
        if (&element != value.get_array().data()) out += ' ';
        out += go_print(element);
      }
      return "[" + out + "]";
    case boost::json::kind::string:
      return std::string(view(value.get_string()));
    case boost::json::kind::null:
      return "<nil>";
    case boost::json::kind::double_:
      append_double(out, value.get_double(), DoubleForm::Text);
      return out;
    default:
      return to_json(value);
  }
}

std::string number_literal(const Value& number) {
  if (!number.is_double()) return to_json(number);
  double value = number.get_double();
  if (value == std::trunc(value) && std::abs(value) < 1e15) return fmt::format("{:.1f}", value);
  std::string text;
  append_double(text, value);
  return text;
}

}  // namespace holdfast::model
