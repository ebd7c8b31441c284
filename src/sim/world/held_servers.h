/// Databases that are backed up while they run, as `protect`'s profile postgresql meets them in
/// containers: a base backup is held from `lock` to the end of the session's input, and for a
/// minute after it the segments of the log are still all there.
#pragma once

#include <holdfast/sim/model.h>

namespace holdfast::sim {

/// Of one run: it knows when the base backup of each pod has ended.
std::unique_ptr<DriverPart> make_held_servers();

}  // namespace holdfast::sim
