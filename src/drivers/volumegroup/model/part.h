/// Volume groups' part in a run: what runs in the containers of their applications and in pods of
/// their actions, and whether what an action says of its cuts is true.
#pragma once

#include <holdfast/sim/model.h>

namespace holdfast::drivers::volumegroup {

std::unique_ptr<sim::DriverPart> make_part(const sim::Sight& sight);

}  // namespace holdfast::drivers::volumegroup
