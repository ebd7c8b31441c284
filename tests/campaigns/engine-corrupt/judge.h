/// Whether a corruption was seen and named, and whether all that it did not touch is still there.
#pragma once

#include "engine-corrupt/corruption.h"

namespace holdfast::campaign {

/// What went wrong; nothing if all is as it should be.
std::vector<std::string> judge(World& world, const Corruption& corruption);

}  // namespace holdfast::campaign
