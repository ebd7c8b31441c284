/// What the repository is told of a backup.
#pragma once

#include <holdfast/drivers/volumegroup/volume_group_catalogue.h>

#include "action/seen.h"

namespace holdfast::drivers::volumegroup {

std::string catalogue_text(const ActionSeen& seen);

}  // namespace holdfast::drivers::volumegroup
