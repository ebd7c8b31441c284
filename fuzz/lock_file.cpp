// A lock: what is accepted is the same when it is written and read again.
#include "locks/lock_file.h"

#include <holdfast/base/result.h>

using namespace holdfast;
using namespace holdfast::repo;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto lock = parse_lock({reinterpret_cast<const char*>(data), size}, Id());
  if (!lock) return 0;
  const std::string once = to_json(*lock);
  const auto again = parse_lock(once, Id());
  HF_CHECK(bool(again));
  HF_CHECK(to_json(*again) == once);
  return 0;
}
