#include "server/warnings.h"

#include <holdfast/base/text.h>

#include <algorithm>
#include <set>

namespace holdfast::apiserver {
namespace {

constexpr size_t kMostCharacters = 4096, kMostOfOne = 256;

bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

size_t characters(std::string_view text) {
  return size_t(std::count_if(text.begin(), text.end(), begins_character));
}

/// At most `most` characters, none of them in part.
std::string_view cut(std::string_view text, size_t most) {
  size_t seen = 0;
  for (size_t i = 0; i < text.size(); ++i)
    if (begins_character(text[i]) && ++seen > most) return text.substr(0, i);
  return text;
}

}  // namespace

std::vector<std::string> warning_headers(const std::vector<std::string>& warnings) {
  std::vector<std::string_view> texts;
  std::set<std::string_view> seen;
  size_t total = 0;
  for (const std::string& each : warnings) {
    if (each.empty() || !seen.insert(each).second) continue;
    texts.push_back(each);
    total += characters(each);
  }
  const bool cuts = total > kMostCharacters;
  std::vector<std::string> headers;
  size_t written = 0;
  for (const std::string_view each : texts) {
    if (cuts && written >= kMostCharacters) break;
    const std::string_view shown = cuts ? cut(each, kMostOfOne) : each;
    written += characters(shown);
    // RFC 7234's warn-text is a quoted string.
    headers.push_back("299 - " + quoted(shown));
  }
  return headers;
}

}  // namespace holdfast::apiserver
