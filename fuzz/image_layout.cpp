// The layout of a disk image, as its folder has it: what is accepted is the same when it is written
// and read again, and its segments cover it exactly.
#include <holdfast/base/result.h>
#include <holdfast/repo/image.h>

using namespace holdfast;
using namespace holdfast::repo;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto layout = parse_image_layout({reinterpret_cast<const char*>(data), size});
  if (!layout) return 0;
  HF_CHECK(parse_image_layout(to_text(*layout)) == layout);
  const uint64_t segments = layout->segments();
  HF_CHECK(segments <= kMostSegments);
  if (segments == 0) HF_CHECK(layout->size == 0);
  if (segments > 0)
    HF_CHECK(layout->begin(segments - 1) + layout->length(segments - 1) == layout->size);
  return 0;
}
