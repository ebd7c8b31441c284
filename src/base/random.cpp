#include <holdfast/base/bytes.h>
#include <holdfast/base/random.h>
#include <holdfast/base/result.h>

#include <sys/random.h>

#include <cerrno>
#include <cstring>

namespace holdfast {

uint64_t Random::below(uint64_t bound) {
  HF_CHECK(bound > 0);
  // Rejection keeps it uniform: the top, incomplete multiple of `bound` is thrown away.
  const uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
  for (;;) {
    const uint64_t drawn = next();
    if (drawn < limit) return drawn % bound;
  }
}

std::string Random::bytes(size_t size) {
  std::string out(size, '\0');
  for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
    const uint64_t drawn = next();
    std::memcpy(out.data() + at, &drawn, std::min(sizeof drawn, size - at));
  }
  return out;
}

std::string Random::uuid() {
  std::string raw = bytes(16);
  raw[6] = char((raw[6] & 0x0f) | 0x40);
  raw[8] = char((raw[8] & 0x3f) | 0x80);
  std::string text = hex(raw);
  for (const size_t at : {8, 13, 18, 23}) text.insert(at, 1, '-');
  return text;
}

uint64_t SystemRandom::next() {
  uint64_t drawn = 0;
  while (getrandom(&drawn, sizeof drawn, 0) != ssize_t(sizeof drawn)) HF_CHECK(errno == EINTR);
  return drawn;
}

// splitmix64: tiny, passes the usual batteries, one word of state.
uint64_t SeededRandom::next() {
  const Lock lock(mutex_);
  uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace holdfast
