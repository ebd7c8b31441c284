/// The model of volume groups for the simulation. What runs in the containers of their
/// applications, what must hold of their cuts and restores, and the goals `settled` and `ended` are
/// sim's own.
#pragma once

#include <holdfast/sim/model.h>

namespace holdfast::drivers::volumegroup {

sim::DriverModel model();

}  // namespace holdfast::drivers::volumegroup
