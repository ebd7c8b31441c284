// YAML writer, in block style. A string stands plain where YAML 1.1 can read nothing else into it,
// otherwise as a JSON string, which is YAML too.
#include <holdfast/model/yaml.h>

#include <algorithm>
#include <cctype>

namespace holdfast::model {
namespace {

bool is_plain(std::string_view text) {
  if (text.empty() || std::isalpha(static_cast<unsigned char>(text[0])) == 0) return false;
  if (text.back() == ' ' || text.back() == ':') return false;
  const bool safe = std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view(" -_./,;()=*|'").find(c) != std::string_view::npos;
  });
  if (!safe) return false;
  // yes, no, on, off, null, true, .inf … and everything else that has a meaning of its own.
  const Result<Parsed> read = parse_yaml(text);
  return read && read->value.is_string() && view(read->value.get_string()) == text;
}

std::string scalar(const Value& value) {
  if (value.is_string() && is_plain(view(value.get_string())))
    return std::string(view(value.get_string()));
  return to_json(value);
}

bool is_block(const Value& value) {
  return (value.is_object() && !value.get_object().empty()) ||
         (value.is_array() && !value.get_array().empty());
}

void append(const Value& value, size_t indent, std::string& out);

void append_member(std::string_view key, const Value& value, size_t indent, std::string& out) {
  out += is_plain(key) ? std::string(key) : to_json(Value(key));
  out += ':';
  if (!is_block(value)) {
    out += ' ';
    out += scalar(value);
    out += '\n';
    return;
  }
  out += '\n';
  // Lists stand at their key's own indentation, as kubectl prints them.
  const size_t inner = value.is_array() ? indent : indent + 2;
  out.append(inner, ' ');
  append(value, inner, out);
}

void append(const Value& value, size_t indent, std::string& out) {
  bool first = true;
  const auto next_line = [&] {
    if (!first) out.append(indent, ' ');
    first = false;
  };
  if (value.is_object()) {
    for (const auto& member : value.get_object()) {
      next_line();
      append_member(member.key(), member.value(), indent, out);
    }
    return;
  }
  for (const Value& item : value.get_array()) {
    next_line();
    out += "- ";
    if (is_block(item)) {
      append(item, indent + 2, out);
    } else {
      out += scalar(item);
      out += '\n';
    }
  }
}

}  // namespace

std::string to_yaml(const Value& value) {
  if (!is_block(value)) return scalar(value) + "\n";
  std::string out;
  append(value, 0, out);
  return out;
}

}  // namespace holdfast::model
