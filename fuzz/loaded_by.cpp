// Lists of libraries, as the loader prints them of a program. Whatever is in one: each path that
// comes out of it is absolute, is in it, and has no end of a line.
#include <holdfast/base/result.h>

#include "images/loaded_by.h"

using namespace holdfast;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto paths = node::parse_list(input);
  if (!paths) return 0;
  for (const std::string& path : *paths)
    HF_CHECK(path.starts_with('/') && path.find('\n') == std::string::npos &&
             input.find(path) != std::string_view::npos);
  return 0;
}
