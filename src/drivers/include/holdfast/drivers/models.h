/// The list of the drivers' models, for programs that simulate them; only they are linked with it.
#pragma once

#include <holdfast/sim/model.h>

namespace holdfast::drivers {

/// In the order of list.def.
sim::Models models();

}  // namespace holdfast::drivers
