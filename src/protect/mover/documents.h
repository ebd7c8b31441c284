/// Documents in a repository. What lies there is not trusted: nothing is read before it is known
/// how large it is.
#pragma once

#include <holdfast/protect/move_results.h>
#include <holdfast/protect/mover.h>
#include <holdfast/repo/snapshot.h>

#include <string>
#include <string_view>

namespace holdfast::protect {

/// The file /NAME of a snapshot. NotFound if there is none; Invalid if it is too large, or no text;
/// Corrupt if its bytes are not those that the snapshot speaks of.
Result<std::string> read_document(repo::Indexed& index, const repo::Snapshot& snapshot,
                                  std::string_view name);

struct FoundDocuments {
  std::vector<data_move::FoundDocument> documents{};
  bool truncated = false;  ///< those that no longer fitted are left out
  uint64_t bytes = 0;
};
/// The document of the task's snapshot, or of those that it wants found, the newest first. One that
/// cannot be read is told as such; a store that does not answer is an error.
Result<FoundDocuments> find_documents(repo::Indexed& index, const MoveTask& task);
/// As members of a DataMove's status, for a merge patch.
model::Object status_of(const FoundDocuments& found);

}  // namespace holdfast::protect
