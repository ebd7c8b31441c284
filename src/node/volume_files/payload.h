/// Files that the node writes for pods (configMap, secret, downwardAPI, projected volumes), changed
/// all at once:
///
///   FOLDER/..2026_11_16_05_21_29.123/key     what is meant now
///   FOLDER/..data → ..2026_11_16_05_21_29.123
///   FOLDER/key → ..data/key
///
/// A reader that opens ..data/key sees the old files or the new ones, never a mixture.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/result.h>

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace holdfast::node {

struct PayloadFile {
  std::string bytes;
  mode_t mode = 0644;
};
/// By path below the folder.
using Payload = std::map<std::string, PayloadFile>;

/// The owners of what is written, as they stand on disk.
struct PayloadOwners {
  uid_t root = 0;
  std::optional<gid_t> group{};  ///< owns the files, if given
};

/// Nothing is touched if the files there are the same.
Result<void> write_payload(const std::filesystem::path& folder, const Payload& files,
                           const PayloadOwners& owners, WallTime now);

}  // namespace holdfast::node
