#include <holdfast/base/text.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace holdfast {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (const std::string& part : parts) {
    if (&part != &parts.front()) out += separator;
    out += part;
  }
  return out;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return out;
}

bool switched_on(std::string_view list, std::initializer_list<std::string_view> names) {
  bool all = false;
  for (const std::string_view part : split(list, ',')) {
    std::string_view item = trim(part);
    all = all || item == "*";
    const bool off = item.starts_with('-');
    if (off) item.remove_prefix(1);
    if (std::find(names.begin(), names.end(), item) != names.end()) return !off;
  }
  return all;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\a':
        out += "\\a";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\v':
        out += "\\v";
        break;
      default:
        if (uint8_t(c) < 0x20 || c == 0x7f)
          out += fmt::format("\\x{:02x}", uint8_t(c));
        else
          out += c;
    }
  }
  return out += '"';
}

}  // namespace holdfast
