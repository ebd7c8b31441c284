// The shared files of AWS's tools, written by people.
#include <holdfast/base/result.h>

#include "s3/profiles.h"

using namespace holdfast;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line = text.find('\n');
  const std::string_view name = text.substr(0, line);
  for (const auto& [setting, value] : blob::read_profile(text, name)) {
    HF_CHECK(setting.find('\n') == std::string::npos && value.find('\n') == std::string::npos);
    HF_CHECK(setting.size() + value.size() < size);
  }
  return 0;
}
