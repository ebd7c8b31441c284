/// Verification of a pack against its name and the index, to the last byte.
#pragma once

#include <holdfast/repo/check.h>

#include "pack/blob_codec.h"

namespace holdfast::repo {

struct PackVerdict {
  std::vector<Damage> damages{};
  std::vector<std::pair<BlobType, Id>> bad{};  ///< blobs that cannot be read
};

/// One per thread: its buffers are used again. A pack is read once from front to end: each part of
/// it is hashed for the pack's name beside the blobs that it holds.
class PackVerifier {
 public:
  explicit PackVerifier(Workshop& workshop) : bench_(workshop.lend()) {}
  /// `blobs` as the index has them, in the order of offsets.
  PackVerdict verify(const Id& pack, const std::vector<PackedBlob>& blobs, std::string_view bytes);

 private:
  struct Group;
  void unpack(Group& group, const PackedBlob& blob);
  void hash_group(Group& group, size_t until);
  std::optional<std::string> header_trouble(const std::vector<PackedBlob>& blobs,
                                            std::string_view bytes);

  Workshop::Lent bench_;
  std::string room_;
};

}  // namespace holdfast::repo
