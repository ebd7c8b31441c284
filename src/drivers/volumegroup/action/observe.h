/// Observation of a VolumeGroupAction: all that one decision about it needs.
#pragma once

#include "action/names.h"

namespace holdfast::drivers::volumegroup {

Result<ActionSeen> observe_action(control::Pass& pass, const kube::Cached& object,
                                  const protect::Outside& outside, const GroupSettings& settings);

/// The trigger label of an object, by either of its keys: {key, value}.
std::pair<std::string, std::string> trigger_of(const kube::Cached& object);

}  // namespace holdfast::drivers::volumegroup
