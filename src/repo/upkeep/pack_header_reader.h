/// Reader of pack headers.
#pragma once

#include "codec/pack_header.h"
#include "open/opened.h"

namespace holdfast::repo {

/// Reads the end of a pack of that size. Corrupt names the pack.
Result<std::vector<PackedBlob>> read_pack_header(KeyedRepository& repository, const Id& pack,
                                                 uint64_t size);

}  // namespace holdfast::repo
