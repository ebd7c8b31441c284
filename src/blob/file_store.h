/// File store without fsync, for local caches that are verified when read.
#pragma once

#include <holdfast/blob/store.h>

#include <filesystem>
#include <memory>

namespace holdfast::blob {

/// A folder, made if it is not there, whose blobs may be torn by a power cut: for copies that are
/// checked when read. If it cannot be made, every put fails.
std::unique_ptr<Store> unsynced_file_store(const std::filesystem::path& folder);

}  // namespace holdfast::blob
