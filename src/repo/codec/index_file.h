/// One index file: where the blobs of some packs are.
///
///   {"packs":[{"id":HEX,"blobs":[{"id":HEX,"type":"data"|"tree","offset":N,"length":N,
///                                 "uncompressed_length":N?}]}],
///    "packs_to_delete":[… the same, "time": …]?}       (rustic's, and ours: marked, not yet gone)
#pragma once

#include "codec/pack_header.h"

#include <functional>
#include <optional>

namespace holdfast::repo {

struct IndexedPack {
  Id id{};
  std::vector<PackedBlob> blobs{};
  std::string marked_at{};  ///< of packs_to_delete: when; "" = in use
};

/// Pack by pack, so that a large file costs no more memory than its largest pack. Corrupt says
/// which pack.
Result<void> parse_index(std::string_view json,
                         const std::function<Result<void>(const IndexedPack&)>& each);
std::string index_to_json(const std::vector<IndexedPack>& packs);

}  // namespace holdfast::repo
