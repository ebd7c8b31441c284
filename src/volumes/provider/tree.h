/// Folders of files: made, moved, removed and copied as they are.
#pragma once

#include <holdfast/base/result.h>

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <stop_token>

namespace holdfast::volumes {

namespace fs = std::filesystem;

/// Whatever it is, also a dangling link.
bool is_there(const fs::path& path);
/// With exactly this mode, whatever the umask; there already: success.
Result<void> make_open_folder(const fs::path& path, mode_t mode);
/// Synced: after a power loss it has its old name or its new one.
Result<void> rename_folder(const fs::path& from, const fs::path& to);
/// Gone already: success.
Result<void> remove_file(const fs::path& path);
/// Not empty, or gone already: success.
Result<void> remove_if_empty(const fs::path& folder);
Result<void> remove_tree(const fs::path& folder);

/// Puts the bytes of one open file into another, empty one.
using CopyBytes = std::function<Result<void>(int from, int to, const std::stop_token& stop)>;
/// By the kernel, holes kept.
Result<void> copy_bytes(int from, int to, const std::stop_token& stop);
/// Shares the blocks (FICLONE).
Result<void> share_blocks(int from, int to, const std::stop_token& stop);

/// An error unless the file system of `beside` has room for a copy of `from`: a copy that stops
/// half way would have taken the last block from everybody else.
Result<void> expect_room(const fs::path& from, const fs::path& beside);

/// `to`, which does not exist yet, gets all that `from` holds: files, links (hard ones too), pipes
/// and devices with their owners, modes, times and extended attributes. Sockets are left out: they
/// are of processes. A file that goes while it is read is left out too. On disk when it returns.
Result<void> copy_tree(const fs::path& from, const fs::path& to, const CopyBytes& copy,
                       const std::stop_token& stop);

}  // namespace holdfast::volumes
