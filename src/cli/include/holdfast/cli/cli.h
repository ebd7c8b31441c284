/// The command line. Exit codes: 0 done, 1 failed, 2 usage.
#pragma once

#include <holdfast/cli/verbs.h>

#include <vector>

namespace holdfast::cli {

/// `verbs`: those of all drivers, in the order in which they are listed.
int run(int argc, char** argv, const std::vector<Verbs>& verbs);

}  // namespace holdfast::cli
