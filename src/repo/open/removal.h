/// Taking files away for good.
#pragma once

#include <holdfast/repo/repository.h>

#include <vector>

namespace holdfast::repo {

/// They stay away, also after a power cut: what they needed may then go.
Result<void> remove_all(Opened& repository, FileType type, const std::vector<Id>& ids);

}  // namespace holdfast::repo
