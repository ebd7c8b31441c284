/// Members of a group at this moment, and whether a run can begin: members, containers, classes,
/// rights. Looks only, and asks the server itself where a cache may be behind.
#pragma once

#include <holdfast/control/reconciler.h>
#include <holdfast/control/refusal.h>
#include <holdfast/drivers/volumegroup/volume_group_action.h>
#include <holdfast/model/image.h>
#include <holdfast/protect/cut/window.h>

namespace holdfast::drivers::volumegroup {

using control::Refusal;

/// Of the operator, not of a group.
struct GroupSettings {
  /// Groups here may name members of another namespace, and need no account of their own.
  std::vector<std::string> admin_namespaces{};
  /// What pods of ours run that only have to mount a volume.
  std::string image = model::kOwnImage;
  std::vector<std::string> command = {model::kOwnProgram};
  /// After that no cut of a window is asked for.
  std::chrono::milliseconds window_limit{8000};
  bool is_admin(std::string_view ns) const {
    return std::find(admin_namespaces.begin(), admin_namespaces.end(), ns) !=
           admin_namespaces.end();
  }
};

struct Resolution {
  Inputs inputs{};
  std::optional<Refusal> refusal{};
};

/// For an action of that kind in namespace `ns`; of `only`, unless it is empty.
Result<Resolution> resolve(control::Pass& pass, const protect::Outside& outside,
                           const GroupSettings& settings, const std::string& ns,
                           const VolumeGroup& group, GroupAction action,
                           const std::vector<std::string>& only);

}  // namespace holdfast::drivers::volumegroup
