/// Documents in a repository. What lies there is not trusted: nothing is read before it is known
/// how large it is.
#pragma once

#include <holdfast/repo/snapshot.h>

#include <string>
#include <string_view>

namespace holdfast::protect {

/// The file /NAME of a snapshot. NotFound if there is none; Invalid if it is too large, or no text;
/// Corrupt if its bytes are not those that the snapshot speaks of.
Result<std::string> read_document(repo::Indexed& index, const repo::Snapshot& snapshot,
                                  std::string_view name);

}  // namespace holdfast::protect
