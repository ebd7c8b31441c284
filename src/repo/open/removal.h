/// Removal of files from a repository.
#pragma once

#include <holdfast/repo/repository.h>

#include <vector>

namespace holdfast::repo {

/// Invalid if what was backed up may not go: asked before anything is written that would only make
/// sense with the removal, and by every removal itself. Keys and locks are nobody's backup.
Result<void> may_remove(const Opened& repository, FileType type = FileType::Pack);

/// They stay away, also after a power cut: what they needed may then go.
Result<void> remove_all(Opened& repository, FileType type, const std::vector<Id>& ids);

}  // namespace holdfast::repo
