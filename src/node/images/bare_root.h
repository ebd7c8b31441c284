/// Root of an image with nothing in it that runs: folders, and the few files that libraries read.
///
///   ROOT/
///     etc/{passwd,group,nsswitch.conf}               root, and how names of hosts are found
///     tmp, var/tmp                                   1777
///     dev, lib, lib64, proc, root, run, sys, usr/bin empty
#pragma once

#include <holdfast/base/result.h>

#include <filesystem>

namespace holdfast::node {

/// What stands there as it shall be stays as it is: pods may run on it.
Result<void> make_bare_root(const std::filesystem::path& root);

}  // namespace holdfast::node
