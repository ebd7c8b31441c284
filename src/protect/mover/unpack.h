/// Unpacking of a pod's tar archive into a folder.
#pragma once

#include <holdfast/base/result.h>

#include <filesystem>
#include <functional>

namespace holdfast::protect {

/// 0 at the end.
using ByteSource = std::function<Result<size_t>(char* into, size_t most)>;

/// With owners, modes, times and extended attributes. The archive is not trusted: a name that leads
/// out of the folder, by itself or through a link, is an error. What `archive` itself says, when it
/// fails, is the error.
Result<void> unpack_tar(const ByteSource& archive, const std::filesystem::path& folder);

}  // namespace holdfast::protect
