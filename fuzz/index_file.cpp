// An index file: what is accepted is the same when it is written and read again.
#include "codec/index_file.h"

#include <holdfast/base/result.h>

using namespace holdfast;
using namespace holdfast::repo;

namespace {

Result<std::vector<IndexedPack>> read(std::string_view json) {
  std::vector<IndexedPack> packs;
  Result<void> whole = parse_index(json, [&packs](const IndexedPack& pack) {
    packs.push_back(pack);
    return ok();
  });
  if (!whole) return whole.take_error();
  return packs;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto packs = read({reinterpret_cast<const char*>(data), size});
  if (!packs) return 0;
  const std::string once = index_to_json(*packs);
  const auto again = read(once);
  HF_CHECK(bool(again));
  HF_CHECK(index_to_json(*again) == once);
  return 0;
}
