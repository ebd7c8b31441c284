/// The model of volume groups for the simulation. Its words in scenarios:
///
///   settled volumegroups/g         nothing is asked of it by label, and nothing of it runs
///   ended volumegroups/g REASONS   settled, and Completed unless for one of these reasons (A|B);
///                                  where nothing went wrong, Completed
///   one-cut, volumes-kept, log-put-back    invariants.h
#pragma once

#include <holdfast/sim/model.h>

namespace holdfast::drivers::volumegroup {

sim::DriverModel model();

}  // namespace holdfast::drivers::volumegroup
