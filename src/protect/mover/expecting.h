/// Snapshots that a mover looks for before it goes on: those of its own earlier attempts, and those
/// that other movers have told of.
#pragma once

#include <holdfast/protect/data_move.h>
#include <holdfast/repo/snapshot.h>

#include <optional>
#include <string>
#include <vector>

namespace holdfast::protect {

/// The newest that has all of these tags, which no other move's have. It was saved whole, and is to
/// be verified again.
Result<std::optional<repo::Snapshot>> find_own(repo::Opened& repository,
                                               const std::vector<std::string>& tags);

/// Each is there, with all its tags, a folder that holds so many files and bytes. If not, `reason`
/// has one word for it: SnapshotMissing, SnapshotDiffers.
Result<void> expect_snapshots(repo::Indexed& index, const std::vector<DataMove::Expected>& expected,
                              const std::string& folder, std::string& reason);

}  // namespace holdfast::protect
