/// The list of drivers as the command line sees it.
#pragma once

#include <holdfast/cli/verbs.h>

#include <vector>

namespace holdfast::drivers {

/// In the order of list.def.
std::vector<cli::Verbs> verbs();

}  // namespace holdfast::drivers
