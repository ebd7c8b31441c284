/// SHA-256 with the processor's SHA instructions; call only where has_sha_instructions().
#pragma once

#include <holdfast/repo/id.h>

#include <span>
#include <string_view>

namespace holdfast::repo::sha_instructions {

/// A hash between two blocks.
struct alignas(16) Midway {
  uint32_t words[8];
};
Midway begin();

/// All buffers in two lanes, each taking the next buffer when it is done with one; whole blocks of
/// `piece` go to `running`, if there is one, in the first lane.
void hash_all(Midway* running, std::string_view piece,
              std::span<const std::string_view* const> buffers, std::span<Id* const> ids);
/// The rest of less than a block, the mark and the length.
void finish(const Midway& running, std::string_view rest, uint64_t size, Id& id);

}  // namespace holdfast::repo::sha_instructions
