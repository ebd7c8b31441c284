/// Repacking: copies blobs from packs that are to be deleted into new ones.
#pragma once

#include "pack/packer.h"
#include "upkeep/survey.h"

namespace holdfast::repo {

struct RepackOptions {
  uint64_t pack_size = uint64_t{16} << 20;
  bool compress = false;  ///< what is not compressed yet
  int threads = 2;
};

/// Every blob is checked against its id before it is copied, as it stands where possible: sealed
/// bytes are as good in another pack. A blob that is damaged is taken from its other copies.
/// `stored` hears of each pack once it is durable, from any thread.
Result<void> repack(IndexedRepository& index, const PackContents& contents,
                    const std::vector<uint32_t>& packs,
                    const std::function<bool(BlobType, size_t position)>& wanted,
                    const RepackOptions& options,
                    const std::function<void(const IndexedPack&)>& stored,
                    const std::function<void(uint64_t packs)>& progress,
                    const std::stop_token& stop);

}  // namespace holdfast::repo
