/// Plan of a prune: which packs are repacked, which are removed, which stay. Pure.
#pragma once

#include <holdfast/repo/prune.h>

#include <optional>

namespace holdfast::repo {

/// What there is to know of a pack to decide about it.
struct PackUse {
  Id id{};
  uint32_t number = 0;                      ///< within the survey
  uint64_t size = 0, used = 0, unused = 0;  ///< bytes
  bool trees = false;
  bool uncompressed = false;  ///< a needed blob is not compressed, and could be
  std::optional<WallTime> marked{};
};

enum class PackFate { Keep, Repack, Drop, Due, Waiting, Revive };

/// The limit that `max_unused` sets when so many bytes are used. Invalid if it says nothing.
Result<uint64_t> unused_limit(std::string_view max_unused, uint64_t used);

/// By pack, in the order given.
Result<std::vector<PackFate>> decide(const std::vector<PackUse>& packs, const PruneOptions& options,
                                     WallTime now);

}  // namespace holdfast::repo
