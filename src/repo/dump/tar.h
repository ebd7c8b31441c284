/// Headers of tar archives.
///
///   each entry:  [pax header: 512 bytes, type x; records "LEN KEY=VALUE\n", padded to 512]
///                header: 512 bytes (ustar); content, padded to 512
///   the end:     1024 zero bytes
#pragma once

#include <holdfast/repo/tree.h>

#include <string>

namespace holdfast::repo {

/// All that stands before the content. `name` without a slash at the beginning; `link` is the entry
/// that this one is a hard link to, or "".
std::string tar_header(const Node& node, const std::string& name, const std::string& link);
/// What fills the last block of a content of that size.
std::string tar_padding(uint64_t size);
std::string tar_end();

}  // namespace holdfast::repo
