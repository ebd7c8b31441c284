#include <holdfast/base/text.h>
#include <holdfast/base/utf8.h>
#include <holdfast/base/walls.h>

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

namespace {

bool is_break(uint32_t code) { return code == '\n' || code == '\t'; }

/// Marks and overrides of the direction of writing, by which a name reads as another one, and the
/// ends of lines that are not ASCII's.
bool turns_text(uint32_t code) {
  return code == 0x061c || code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

bool steers(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f) || turns_text(code);
}

std::string written_out(std::string_view text, bool breaks_stay) {
  if (!wall_stands("terminal")) return std::string(text);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Rune rune = decode_utf8(text);
    const bool stays = rune.valid && (!steers(rune.code) || (breaks_stay && is_break(rune.code)));
    if (stays)
      out += text.substr(0, rune.size);
    else if (rune.size == 1)
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", uint8_t(text.front()));
    else
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", rune.code);
    text.remove_prefix(rune.size);
  }
  return out;
}

}  // namespace

std::string harmless(std::string_view text) { return written_out(text, true); }
std::string harmless_line(std::string_view text) { return written_out(text, false); }

}  // namespace holdfast
