/// One index file: where the blobs of some packs are.
///
///   {"packs":[{"id":HEX,"blobs":[{"id":HEX,"type":"data"|"tree","offset":N,"length":N,
///                                 "uncompressed_length":N?}]}],
///    "packs_to_delete":[… the same, "time":…, "size":N?]?}  (rustic's, and ours: marked, not yet
///                                                            gone; "size" where no blob is said)
#pragma once

#include "codec/pack_header.h"

#include <functional>
#include <optional>

namespace holdfast::repo {

struct IndexedPack {
  Id id{};
  std::vector<PackedBlob> blobs{};
  std::string marked_at{};  ///< of packs_to_delete: when; "" = in use
  uint64_t size = 0;        ///< of a marked pack of which no blob is known; 0 = not said
};

/// Pack by pack, so that a large file costs no more memory than its largest pack. Corrupt says
/// which pack.
Result<void> parse_index(std::string_view json,
                         const std::function<Result<void>(const IndexedPack&)>& each);
std::string index_to_json(const std::vector<IndexedPack>& packs);

}  // namespace holdfast::repo
