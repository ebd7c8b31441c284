#include "s3/profiles.h"

#include <holdfast/base/text.h>

namespace holdfast::blob {
namespace {

/// "[profile x]" and "[x]" are both x.
std::string_view section_name(std::string_view line) {
  std::string_view name = trim(line.substr(1, line.find(']') - 1));
  if (name.starts_with("profile ")) name = trim(name.substr(8));
  return name;
}

}  // namespace

Profile read_profile(std::string_view text, std::string_view name) {
  Profile out;
  bool inside = false;
  for (const std::string_view raw : split(text, '\n')) {
    const std::string_view line = trim(raw);
    const bool indented = raw.starts_with(' ') || raw.starts_with('\t');
    if (line.empty() || line[0] == '#' || line[0] == ';') continue;
    if (line[0] == '[') inside = section_name(line) == name;
    const size_t equals = line.find('=');
    if (!inside || indented || equals == std::string_view::npos) continue;
    out[to_lower(trim(line.substr(0, equals)))] = trim(line.substr(equals + 1));
  }
  return out;
}

}  // namespace holdfast::blob
