/// Judge of a corruption: whether it was detected and named, and whether untouched data is still
/// there.
#pragma once

#include "engine-corrupt/corruption.h"

namespace holdfast::campaign {

/// What went wrong; nothing if all is as it should be.
std::vector<std::string> judge(World& world, const Corruption& corruption);

}  // namespace holdfast::campaign
