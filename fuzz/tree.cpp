// A tree: what is accepted is written as Go writes it, and that is read and written the same again.
#include <holdfast/base/result.h>
#include <holdfast/repo/tree.h>

using namespace holdfast;
using namespace holdfast::repo;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto nodes = parse_tree({reinterpret_cast<const char*>(data), size});
  if (!nodes) return 0;
  const std::string once = to_json(*nodes);
  const auto again = parse_tree(once);
  HF_CHECK(bool(again));
  HF_CHECK(to_json(*again) == once);
  return 0;
}
