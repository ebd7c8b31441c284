#include "structural/edit_rules.h"

#include <holdfast/base/text.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::model::structural {
namespace {

constexpr std::string_view kSame = "self == oldSelf";

/// Words of CEL that are no names.
constexpr std::array<std::string_view, 21> kReserved{
    "true",     "false",   "null",      "in",       "as",  "break",  "const",
    "continue", "else",    "for",       "function", "if",  "import", "let",
    "loop",     "package", "namespace", "return",   "var", "void",   "while"};

/// How a rule names a field; empty if it cannot.
std::string cel_name(std::string_view name) {
  if (std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end())
    return fmt::format("__{}__", name);
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool digit = c >= '0' && c <= '9';
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (name.substr(i).starts_with("__")) {
      out += "__underscores__";
      ++i;
    } else if (c == '.' || c == '-' || c == '/') {
      out += c == '.' ? "__dot__" : c == '-' ? "__dash__" : "__slash__";
    } else if (letter || c == '_' || (digit && i > 0)) {
      out += c;
    } else {
      return {};
    }
  }
  return out;
}

std::string unchanged_member(std::string_view name) {
  const std::string x = cel_name(name);
  if (x.empty()) return {};
  return fmt::format(
      "has(self.{0}) == has(oldSelf.{0}) && (!has(self.{0}) || self.{0} == oldSelf.{0})", x);
}

std::string message_for(std::string_view name) {
  return fmt::format("{} cannot be changed: create a new object", name);
}

}  // namespace

Object rule_at_field(std::string_view name) {
  return Object{{"rule", kSame}, {"message", message_for(name)}};
}

Object rule_at_parent(std::string_view name) {
  return Object{{"rule", unchanged_member(name)},
                {"message", message_for(name)},
                {"fieldPath", fmt::format(".{}", name)}};
}

std::optional<EditRule> read_edit_rule(const Props& rule, const Shape* shape) {
  for (const char* name : {"messageExpression", "reason", "optionalOldSelf"})
    if (rule.has(name)) return {};
  const std::string written = rule.text("rule"), message = rule.text("message");
  const std::string text(trim(written)), place = rule.text("fieldPath");
  EditRule out;
  out.message = message.empty() ? "failed rule: " + text : std::string(trim(message));
  if (text == kSame) return place.empty() ? std::optional(out) : std::nullopt;
  if (!shape || text.empty()) return {};
  for (const Field& field : shape->fields) {
    if (text != unchanged_member(field.name)) continue;
    out.member = field.name;
    out.names_member = place == "." + field.name;
    return place.empty() || out.names_member ? std::optional(out) : std::nullopt;
  }
  return {};
}

}  // namespace holdfast::model::structural
