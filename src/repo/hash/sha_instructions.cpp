// Rounds as Intel's extension has them: two registers of state (ABEF, CDGH), four rounds per group
// of four message words; the streams' groups alternate, so that one computes while the other waits.
#include "hash/sha_instructions.h"

#include <holdfast/base/result.h>

#include "hash/sha256.h"

#include <algorithm>
#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

#define HF_SHA __attribute__((target("sha,sse4.1,ssse3")))

namespace holdfast::repo {
namespace {

alignas(16) constexpr uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

struct State {
  __m128i abef, cdgh;
};

HF_SHA State initial() {
  return {_mm_set_epi32(0x6a09e667, int(0xbb67ae85U), 0x510e527f, int(0x9b05688cU)),
          _mm_set_epi32(0x3c6ef372, int(0xa54ff53aU), 0x1f83d9ab, 0x5be0cd19)};
}

/// One block of each of N streams.
template <size_t N>
HF_SHA inline void rounds(std::array<State, N>& state, const std::array<const uint8_t*, N>& block) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  std::array<State, N> before = state;
  __m128i words[N][4];
  for (size_t n = 0; n < N; ++n)
    for (size_t i = 0; i < 4; ++i)
      words[n][i] = _mm_shuffle_epi8(
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(block[n] + 16 * i)), swap);
#pragma GCC unroll 16
  for (size_t group = 0; group < 16; ++group) {
    const __m128i round = _mm_load_si128(reinterpret_cast<const __m128i*>(kRound + 4 * group));
#pragma GCC unroll 2
    for (size_t n = 0; n < N; ++n) {
      __m128i(&w)[4] = words[n];
      if (group >= 4) {
        const size_t i = group % 4;
        const __m128i mixed = _mm_add_epi32(_mm_sha256msg1_epu32(w[i], w[(i + 1) % 4]),
                                            _mm_alignr_epi8(w[(i + 3) % 4], w[(i + 2) % 4], 4));
        w[i] = _mm_sha256msg2_epu32(mixed, w[(i + 3) % 4]);
      }
      const __m128i sum = _mm_add_epi32(w[group % 4], round);
      state[n].cdgh = _mm_sha256rnds2_epu32(state[n].cdgh, state[n].abef, sum);
      state[n].abef =
          _mm_sha256rnds2_epu32(state[n].abef, state[n].cdgh, _mm_shuffle_epi32(sum, 0x0e));
    }
  }
  for (size_t n = 0; n < N; ++n) {
    state[n].abef = _mm_add_epi32(state[n].abef, before[n].abef);
    state[n].cdgh = _mm_add_epi32(state[n].cdgh, before[n].cdgh);
  }
}

const uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const uint8_t*>(text.data());
}

/// The rest of less than a block, the mark and the length in bits.
HF_SHA void end(State& state, std::string_view tail, uint64_t whole, Id& id) {
  uint8_t last[128] = {};
  std::memcpy(last, tail.data(), tail.size());
  last[tail.size()] = 0x80;
  const size_t size = tail.size() < 56 ? 64 : 128;
  const uint64_t bits = whole * 8;
  for (size_t i = 0; i < 8; ++i) last[size - 1 - i] = uint8_t(bits >> (8 * i));
  std::array<State, 1> one{state};
  for (size_t at = 0; at < size; at += 64) rounds<1>(one, {last + at});
  alignas(16) uint32_t abef[4], cdgh[4];
  _mm_store_si128(reinterpret_cast<__m128i*>(abef), one[0].abef);
  _mm_store_si128(reinterpret_cast<__m128i*>(cdgh), one[0].cdgh);
  const uint32_t digest[8] = {abef[3], abef[2], cdgh[3], cdgh[2],
                              abef[1], abef[0], cdgh[1], cdgh[0]};
  for (size_t i = 0; i < 32; ++i) id.bytes[i] = uint8_t(digest[i / 4] >> (24 - 8 * (i % 4)));
}

HF_SHA State load(const sha_instructions::Midway& from) {
  return {_mm_load_si128(reinterpret_cast<const __m128i*>(from.words)),
          _mm_load_si128(reinterpret_cast<const __m128i*>(from.words + 4))};
}

HF_SHA void store(const State& state, sha_instructions::Midway& into) {
  _mm_store_si128(reinterpret_cast<__m128i*>(into.words), state.abef);
  _mm_store_si128(reinterpret_cast<__m128i*>(into.words + 4), state.cdgh);
}

/// Ciphers and decompressors may leave the upper halves of the vector registers in use; until they
/// are cleared, the SHA instructions run at half their speed (Zen 4: 1.5 instead of 3.0 GB/s).
__attribute__((target("avx"))) void clear_upper_halves() { _mm256_zeroupper(); }

struct Lane {
  State state;
  std::string_view bytes;
  size_t done = 0;
  Id* id = nullptr;  ///< where the hash goes; the running one has none
  bool busy = false;
  size_t blocks_left() const { return (bytes.size() - done) / 64; }
};

HF_SHA void two_lanes(Lane& a, Lane& b, size_t blocks) {
  std::array<State, 2> state{a.state, b.state};
  const uint8_t* at = bytes_of(a.bytes) + a.done;
  const uint8_t* other = bytes_of(b.bytes) + b.done;
  for (size_t i = 0; i < blocks; ++i) rounds<2>(state, {at + 64 * i, other + 64 * i});
  a.state = state[0];
  b.state = state[1];
  a.done += 64 * blocks;
  b.done += 64 * blocks;
}

HF_SHA void one_lane(Lane& a) {
  std::array<State, 1> state{a.state};
  for (; a.blocks_left() > 0; a.done += 64) rounds<1>(state, {bytes_of(a.bytes) + a.done});
  a.state = state[0];
}

}  // namespace

bool has_sha_instructions() {
  static const bool has = [] {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b >> 29 & 1) != 0 &&
           __builtin_cpu_supports("sse4.1") != 0;
  }();
  return has;
}

namespace sha_instructions {

HF_SHA Midway begin() {
  Midway out;
  store(initial(), out);
  return out;
}

HF_SHA void finish(const Midway& running, std::string_view rest, uint64_t size, Id& id) {
  State state = load(running);
  end(state, rest, size, id);
}

HF_SHA void hash_all(Midway* running, std::string_view piece,
                     std::span<const std::string_view* const> buffers, std::span<Id* const> ids) {
  if (__builtin_cpu_supports("avx") != 0) clear_upper_halves();
  Lane lanes[2];
  size_t next = 0;
  if (running != nullptr) lanes[0] = {load(*running), piece, 0, nullptr, true};
  for (;;) {
    for (Lane& lane : lanes) {
      while (lane.busy ? lane.blocks_left() == 0 : next < buffers.size()) {
        if (lane.busy && lane.id == nullptr && running != nullptr) store(lane.state, *running);
        if (lane.busy && lane.id != nullptr)
          end(lane.state, lane.bytes.substr(lane.done), lane.bytes.size(), *lane.id);
        lane.busy = next < buffers.size();
        if (!lane.busy) break;
        lane = {initial(), *buffers[next], 0, ids[next], true};
        ++next;
      }
    }
    if (lanes[0].busy && lanes[1].busy)
      two_lanes(lanes[0], lanes[1], std::min(lanes[0].blocks_left(), lanes[1].blocks_left()));
    else if (lanes[0].busy || lanes[1].busy)
      one_lane(lanes[0].busy ? lanes[0] : lanes[1]);
    else
      return;
  }
}

}  // namespace sha_instructions
}  // namespace holdfast::repo

#else

namespace holdfast::repo {

bool has_sha_instructions() { return false; }

namespace sha_instructions {
Midway begin() { return {}; }
void hash_all(Midway*, std::string_view, std::span<const std::string_view* const>,
              std::span<Id* const>) {
  HF_CHECK(false);
}
void finish(const Midway&, std::string_view, uint64_t, Id&) { HF_CHECK(false); }
}  // namespace sha_instructions
}  // namespace holdfast::repo

#endif
