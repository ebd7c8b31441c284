// A snapshot, with members of other programs, which must survive.
#include <holdfast/base/result.h>
#include <holdfast/repo/snapshot.h>

using namespace holdfast;
using namespace holdfast::repo;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto snapshot = parse_snapshot({reinterpret_cast<const char*>(data), size}, Id());
  if (!snapshot) return 0;
  const std::string once = to_json(*snapshot);
  const auto again = parse_snapshot(once, Id());
  HF_CHECK(bool(again));
  HF_CHECK(to_json(*again) == once);
  return 0;
}
