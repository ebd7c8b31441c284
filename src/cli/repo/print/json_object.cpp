#include "repo/print/json_object.h"

#include <holdfast/base/bytes.h>

#include <fmt/format.h>

namespace holdfast::cli {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";
/// Layout may make so much of JSON; what is nested for the sake of nesting would become more.
constexpr size_t kTimes = 16, kMostSpace = size_t{16} << 20;

/// The longest beginning that is one character, or nothing.
size_t character_size(std::string_view text) {
  for (size_t size = 1; size <= std::min<size_t>(4, text.size()); ++size)
    if (is_utf8(text.substr(0, size))) return size;
  return 0;
}

void append_ascii(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      if (uint8_t(c) < 0x20 || c == '<' || c == '>' || c == '&')
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", uint8_t(c));
      else
        out += c;
  }
}

}  // namespace

std::string json_text(std::string_view value) {
  std::string out = "\"";
  while (!value.empty()) {
    const size_t size = character_size(value);
    if (size == 1) append_ascii(out, value.front());
    if (size == 0) out += kReplacement;
    // Valid in JSON, but ends of lines for some who read lines.
    const bool separator = value.starts_with("\xe2\x80\xa8") || value.starts_with("\xe2\x80\xa9");
    if (separator)
      out += value[2] == '\xa8' ? "\\u2028" : "\\u2029";
    else if (size > 1)
      out += value.substr(0, size);
    value.remove_prefix(std::max<size_t>(size, 1));
  }
  return out + '"';
}

std::string json_list(const std::vector<std::string>& items) {
  std::string out = "[";
  for (const std::string& item : items) {
    if (out.size() > 1) out += ',';
    out += item;
  }
  return out + ']';
}

JsonObject::JsonObject(std::string object) : out_(std::move(object)) { out_.pop_back(); }

void JsonObject::key(std::string_view name) {
  if (out_.back() != '{') out_ += ',';
  fmt::format_to(std::back_inserter(out_), "\"{}\":", name);
}

JsonObject& JsonObject::text(std::string_view name, std::string_view value) {
  return raw(name, json_text(value));
}

JsonObject& JsonObject::number(std::string_view name, uint64_t value) {
  return raw(name, std::to_string(value));
}

JsonObject& JsonObject::real(std::string_view name, double value) {
  return raw(name, fmt::format("{}", value));
}

JsonObject& JsonObject::flag(std::string_view name, bool value) {
  return raw(name, value ? "true" : "false");
}

JsonObject& JsonObject::texts(std::string_view name, const std::vector<std::string>& values) {
  std::vector<std::string> items;
  items.reserve(values.size());
  for (const std::string& value : values) items.push_back(json_text(value));
  return raw(name, json_list(items));
}

JsonObject& JsonObject::raw(std::string_view name, std::string_view json) {
  key(name);
  out_ += json;
  return *this;
}

std::string JsonObject::take() {
  out_ += '}';
  return std::move(out_);
}

std::string indented(std::string_view json, size_t spaces) {
  std::string out;
  size_t depth = 0;
  bool quoted = false;
  const auto line = [&] { out += '\n' + std::string(depth * spaces, ' '); };
  for (size_t at = 0; at < json.size(); ++at) {
    if (out.size() > kMostSpace + kTimes * json.size()) return std::string(json);
    const char c = json[at];
    if (quoted) {
      out += c;
      if (c == '\\' && at + 1 < json.size()) out += json[++at];
      if (c == '"') quoted = false;
      continue;
    }
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    const bool closes = c == '}' || c == ']';
    const bool was_empty = closes && !out.empty() && (out.back() == '{' || out.back() == '[');
    if (closes && depth > 0) --depth;
    if (closes && !was_empty) line();
    const bool after_opening = !closes && !out.empty() && (out.back() == '{' || out.back() == '[');
    if (after_opening) line();
    out += c;
    if (c == '{' || c == '[') ++depth;
    if (c == '"') quoted = true;
    if (c == ',') line();
    if (c == ':') out += ' ';
  }
  return out;
}

}  // namespace holdfast::cli
