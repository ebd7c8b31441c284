#include "names.h"

#include <holdfast/base/text.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::blob {

Result<void> check_name(const std::string& name) {
  for (const std::string_view part : split(name, '/')) {
    const bool control = std::any_of(part.begin(), part.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
    if (part.empty() || part == "." || part == ".." || control)
      return Error(Fault::Invalid, fmt::format("{} is no name for a blob", quoted(name)));
  }
  return ok();
}

Error missing(std::string_view verb, const std::string& name) {
  return Error(Fault::NotFound, fmt::format("{} {}: not there", verb, name));
}

Error too_short(const std::string& name, const Range& range, uint64_t size) {
  return Error(Fault::Corrupt, fmt::format("GET {}: bytes {} to {} are asked for, it has {}", name,
                                           range.offset, range.offset + range.length, size));
}

}  // namespace holdfast::blob
