/// Marker of a folder location: a file in the folder by which it is known again, so that the empty
/// mount point of a disk that is not there is not taken for it.
///
///   holdfast-location    32 hexadecimal digits and a line end
#pragma once

#include <holdfast/base/result.h>

#include <filesystem>
#include <string>

namespace holdfast::protect {

/// "" if there is none.
Result<std::string> read_marker(const std::filesystem::path& folder);
Result<void> write_marker(const std::filesystem::path& folder, const std::string& id);

}  // namespace holdfast::protect
