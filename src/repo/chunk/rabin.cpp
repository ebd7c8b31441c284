#include "chunk/rabin.h"

#include <algorithm>

namespace holdfast::repo {
namespace {

/// Six chains of dependent loads keep a core busy; with eight, registers run out.
constexpr size_t kLanes = 6;
constexpr size_t kStretch = 4096;

}  // namespace

Rabin::Rabin(Polynomial polynomial) {
  for (uint64_t byte = 0; byte < 256; ++byte) {
    uint64_t leaving = remainder(byte, polynomial);
    for (size_t i = 1; i < kWindow; ++i) leaving = remainder(leaving << 8, polynomial);
    out_[byte] = leaving;
    // The byte on top and what it is worth below: one xor takes the first away and adds the second.
    const uint64_t top = byte << kDegree;
    mod_[byte] = remainder(top, polynomial) | top;
  }
}

/// Of the 64 bytes before `at`.
uint64_t Rabin::digest_before(const uint8_t* at) const {
  uint64_t digest = 0;
  for (const uint8_t* byte = at - kWindow; byte < at; ++byte) digest = slide(digest, 0, *byte);
  return digest;
}

std::optional<size_t> Rabin::find_cut(std::string_view data, size_t seen) const {
  const auto* bytes = reinterpret_cast<const uint8_t*>(data.data());
  const size_t end = std::min(data.size(), kMostChunk);
  if (end < kLeastChunk) return {};
  if (seen < kLeastChunk && (digest_before(bytes + kLeastChunk) & kCutMask) == 0)
    return kLeastChunk;
  size_t at = std::max(kLeastChunk, seen);
  for (; at + kLanes * kStretch <= end; at += kLanes * kStretch) {
    std::array<uint64_t, kLanes> digest{};
    std::array<size_t, kLanes> hit{};
    for (size_t lane = 0; lane < kLanes; ++lane)
      digest[lane] = digest_before(bytes + at + lane * kStretch);
    bool any = false;
    for (size_t i = 0; i < kStretch; ++i) {
      for (size_t lane = 0; lane < kLanes; ++lane) {
        const uint8_t* byte = bytes + at + lane * kStretch + i;
        digest[lane] = slide(digest[lane], *(byte - kWindow), *byte);
        if ((digest[lane] & kCutMask) == 0 && hit[lane] == 0) {
          hit[lane] = i + 1;
          any = true;
        }
      }
    }
    for (size_t lane = 0; any && lane < kLanes; ++lane)
      if (hit[lane] != 0) return at + lane * kStretch + hit[lane];
  }
  uint64_t digest = digest_before(bytes + at);
  for (; at < end; ++at) {
    digest = slide(digest, bytes[at - kWindow], bytes[at]);
    if ((digest & kCutMask) == 0) return at + 1;
  }
  if (end == kMostChunk) return end;
  return {};
}

size_t Rabin::cut_slowly(std::string_view data) const {
  std::array<uint8_t, kWindow> window{};
  size_t place = 0, length = 0;
  uint64_t digest = 0;
  const auto enter = [&](uint8_t byte) {
    const uint8_t leaves = window[place];
    window[place] = byte;
    place = (place + 1) % kWindow;
    digest = slide(digest, leaves, byte);
  };
  enter(1);
  for (const char byte : data) {
    ++length;
    // restic leaves out what cannot matter: all but the last window before the least length.
    if (length <= kLeastChunk - kWindow) continue;
    enter(uint8_t(byte));
    if (length >= kLeastChunk && ((digest & kCutMask) == 0 || length >= kMostChunk)) return length;
  }
  return length;
}

}  // namespace holdfast::repo
