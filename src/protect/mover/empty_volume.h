/// Check that a volume is empty, before a restore.
#pragma once

#include <holdfast/base/result.h>

#include <string>

namespace holdfast::protect {

/// Invalid names the first thing that lies in the folder where it is mounted.
Result<void> expect_empty_volume(const std::string& folder);

}  // namespace holdfast::protect
