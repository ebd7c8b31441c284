/// Names that stay where they are put. They come from a store that anybody may have written to.
#pragma once

#include <string>
#include <string_view>

namespace holdfast::repo {

/// It leads neither out of its folder nor into one.
inline bool is_safe(const std::string& name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string::npos;
}

}  // namespace holdfast::repo
