/// Field selectors, read and refused as apimachinery/fields does.
///
///   selector = [ term { "," term } ]      term = field ( "=" | "==" | "!=" ) value      \, \=
///   \\ escape in values
#include <holdfast/model/selector.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::model {
namespace {

std::vector<std::string_view> split_terms(std::string_view text) {
  std::vector<std::string_view> out;
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == ',') {
      out.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  if (!text.empty()) out.push_back(text.substr(start));
  return out;
}

Error bad_escape(std::string_view sequence) {
  return Error(Fault::Invalid,
               fmt::format("invalid field selector: invalid escape sequence: {}", sequence));
}

/// The character at `i` with all its UTF-8 bytes, for the message.
std::string_view character(std::string_view text, size_t i) {
  size_t end = i + 1;
  while (end < text.size() && (uint8_t(text[end]) & 0xc0) == 0x80) ++end;
  return text.substr(i, end - i);
}

Result<std::string> unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ',' || c == '=')
      return Error(Fault::Invalid,
                   fmt::format("invalid field selector: unescaped character in value: {}", int(c)));
    if (c != '\\') {
      out += c;
      continue;
    }
    if (++i == text.size()) return bad_escape("\\");
    if (text[i] != '\\' && text[i] != ',' && text[i] != '=')
      return bad_escape("\\" + std::string(character(text, i)));
    out += text[i];
  }
  return out;
}

}  // namespace

Result<FieldSelector> FieldSelector::parse(std::string_view text) {
  FieldSelector out;
  auto parts = split_terms(text);
  std::sort(parts.begin(), parts.end());
  for (const std::string_view part : parts) {
    if (part.empty()) continue;
    const size_t equals = part.find('=');
    const bool negated = equals != std::string_view::npos && equals > 0 && part[equals - 1] == '!';
    if (equals == std::string_view::npos)
      return Error(Fault::Invalid,
                   fmt::format("invalid selector: '{}'; can't understand '{}'", text, part));
    const bool doubled = !negated && part.substr(equals).starts_with("==");
    const std::string_view field = part.substr(0, negated ? equals - 1 : equals);
    std::string value = HF_TRY(unescaped(part.substr(equals + (doubled ? 2 : 1))));
    if (field.empty() && value.empty()) continue;  // Go: such a term asks nothing
    out.terms_.push_back({std::string(field), !negated, std::move(value)});
  }
  return out;
}

bool FieldSelector::matches(
    const std::function<std::string(std::string_view field)>& value_of) const {
  return std::all_of(terms_.begin(), terms_.end(), [&](const Term& term) {
    return (value_of(term.field) == term.value) == term.equal;
  });
}

}  // namespace holdfast::model
