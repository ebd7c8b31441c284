#include "hash/sha256.h"

#include <holdfast/base/bytes.h>

#include "hash/sha_instructions.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace holdfast::repo {

void hash_all_portably(std::span<const std::string_view> buffers, std::span<Id> ids) {
  for (size_t i = 0; i < buffers.size(); ++i) ids[i] = Id::from_raw(sha256(buffers[i]));
}

void hash_all(std::span<const std::string_view> buffers, std::span<Id> ids) {
  if (!has_sha_instructions()) return hash_all_portably(buffers, ids);
  // Buffers of like length beside each other, so that neither stream waits for the other.
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&buffers](size_t a, size_t b) { return buffers[a].size() > buffers[b].size(); });
  size_t at = 0;
  for (; at + 1 < order.size(); at += 2)
    sha_instructions::hash_two(buffers[order[at]], buffers[order[at + 1]], ids[order[at]],
                               ids[order[at + 1]]);
  if (at < order.size()) sha_instructions::hash_one(buffers[order[at]], ids[order[at]]);
}

Id hash(std::string_view bytes) {
  Id id;
  hash_all({&bytes, 1}, {&id, 1});
  return id;
}

}  // namespace holdfast::repo
