/// Folder store and memory store.
#pragma once

#include <holdfast/blob/store.h>

#include <filesystem>
#include <memory>

namespace holdfast::blob {

/// A folder. A blob is written beside its place as NAME-tmp-RANDOM, synced, renamed, and the folder
/// synced; files are 0400 in folders of 0700, as restic has them.
Result<std::unique_ptr<Store>> file_store(const std::filesystem::path& folder, bool create);

/// For tests and the simulation.
std::unique_ptr<Store> memory_store();

}  // namespace holdfast::blob
