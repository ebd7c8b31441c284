/// The controllers of VolumeGroups and of their actions.
#pragma once

#include <holdfast/control/reconciler.h>

#include "members/resolve.h"

namespace holdfast::drivers::volumegroup {

control::ControllerSpec action_controller(const GroupSettings& settings,
                                          std::function<protect::Outside()> outside);
control::ControllerSpec group_controller(const GroupSettings& settings);
std::vector<model::Value> definitions();

}  // namespace holdfast::drivers::volumegroup
