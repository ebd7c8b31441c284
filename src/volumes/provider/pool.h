/// A btrfs of our own inside one file, for machines whose file system can neither cut nor share
/// blocks:
///
///   DIR/pool.btrfs    the file system; its blocks are reserved, so that it cannot run out of disk
///   DIR/pool/         where it is mounted, over a loop device
///
/// The mount stays when the process is killed and is found again. Needs root, and mkfs.btrfs once.
#pragma once

#include <holdfast/base/result.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace holdfast::volumes {

struct Pool {
  std::filesystem::path folder{};  ///< DIR/pool, mounted
  std::string trouble{};           ///< why it could not grow to the size asked for; "" if it did
};

/// Made, mounted and grown as far as needed. It never shrinks.
Result<Pool> open_pool(const std::filesystem::path& dir, int64_t size);
/// If nobody uses it; otherwise it stays mounted.
void close_pool(const Pool& pool);

}  // namespace holdfast::volumes
