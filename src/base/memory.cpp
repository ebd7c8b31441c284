#include <holdfast/base/memory.h>

#include <malloc.h>

namespace holdfast {
namespace {

constexpr int kLarge = 1 << 20;

}  // namespace

void give_back_large_blocks() {
  // Left alone, glibc raises this limit to 32 MiB as soon as one such block is freed, and keeps
  // what lies below it.
  // NOLINTBEGIN(concurrency-mt-unsafe): called before there are threads.
  mallopt(M_MMAP_THRESHOLD, kLarge);
  mallopt(M_TRIM_THRESHOLD, 4 * kLarge);
  mallopt(M_ARENA_MAX, 2);
  // NOLINTEND(concurrency-mt-unsafe)
}

}  // namespace holdfast
