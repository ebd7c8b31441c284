/// Plans of destructive commands, shown before they are carried out.
#pragma once

#include "actions.h"

#include <optional>
#include <string>

namespace holdfast::drivers::volumegroup {

/// The volume of a claim now; "" if there is none.
using VolumeOf = std::function<std::string(const std::string& ns, const std::string& claim)>;
VolumeOf volumes_now(Server& server);

std::string revert_plan(const FoundAction& found, const VolumeOf& volume_of);
std::string replace_plan(const FoundAction& found, const VolumeGroupAction::Restore& restore,
                         const VolumeOf& volume_of);
/// `with_backup`: also what lies in the repository.
std::string delete_plan(const FoundAction& found, bool with_backup);

}  // namespace holdfast::drivers::volumegroup
