/// What an action was asked for when it began, which no later edit of its spec changes.
#pragma once

#include <holdfast/drivers/volume_group_action.h>

namespace holdfast::drivers::volumegroup {

/// Puts the spec back to what was asked for; the fields that had been edited since, such as
/// "spec.action".
std::vector<std::string> keep_to_asked(VolumeGroupAction& action);

/// CEL rules for the CustomResourceDefinition: a server that knows them refuses such an edit.
void refuse_edits(model::Value& definition);

}  // namespace holdfast::drivers::volumegroup
