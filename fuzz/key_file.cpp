// A key file. Its costs are not paid here: derive_key refuses those that nobody should pay.
#include "open/key_file.h"

#include <holdfast/base/result.h>

using namespace holdfast;
using namespace holdfast::repo;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file = parse_key_file({reinterpret_cast<const char*>(data), size});
  if (!file) return 0;
  const std::string once = to_json(*file);
  const auto again = parse_key_file(once);
  HF_CHECK(bool(again));
  HF_CHECK(to_json(*again) == once);
  return 0;
}
