/// One blob on its way into a pack, and back out of it.
#pragma once

#include <holdfast/repo/repository.h>

#include "codec/pack_header.h"
#include "pack/workshop.h"

namespace holdfast::repo {

/// A blob sealed and ready to be put into a pack; its offset is the pack's business. The bytes are
/// the bench's, good until it seals the next one.
struct SealedBlob {
  PackedBlob entry{};
  std::string_view bytes{};
};

/// Compressed if that makes it smaller, then sealed. `level` 0 = never compressed.
SealedBlob seal_blob(Bench& bench, BlobType type, const Id& id, std::string_view plain, int level,
                     std::string_view iv);
/// Unsealed and decompressed into `room`, from `at` on; it grows as needed and never shrinks. How
/// many bytes there are. They are not checked against the id. Corrupt if the seal is broken or the
/// frame is not as announced.
Result<size_t> unpack_blob(Bench& bench, uint32_t plain_length, std::string_view sealed,
                           std::string& room, size_t at);
/// Unsealed, decompressed, and checked against its id. Corrupt says what is wrong with it.
Result<void> open_blob(Bench& bench, const Id& id, const Location& where, std::string_view sealed,
                       std::string& plain);

/// True if a few samples of the bytes do not get smaller: compressing all would be time lost.
bool looks_incompressible(Bench& bench, std::string_view plain);

}  // namespace holdfast::repo
