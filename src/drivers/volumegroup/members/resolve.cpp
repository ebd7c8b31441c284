#include "members/resolve.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/walls.h>
#include <holdfast/control/sabotage.h>
#include <holdfast/protect/locations.h>

namespace holdfast::drivers::volumegroup {
namespace {

/// Before anything is held still: what is cut for nothing is held still for nothing. A restore goes
/// by the one chosen here, whatever is the default by then. A location is named from where the
/// group is; if there is no default one, that of the members is.
Result<void> choose_location(control::Pass& pass, const std::string& ns,
                             const std::optional<protect::Reference>& wanted, Resolution& out) {
  protect::ChosenLocation chosen =
      HF_TRY(protect::choose_location(pass, ns, wanted, out.inputs.ns));
  if (!chosen.location && !wanted && out.inputs.ns != ns)
    chosen.location = HF_TRY(protect::choose_location(pass, out.inputs.ns, {})).location;
  out.inputs.location = std::move(chosen.location);
  if (!out.inputs.location) out.refusal = std::move(chosen.refusal);
  return {};
}

}  // namespace

Result<Resolution> resolve(control::Pass& pass, const protect::Outside& outside,
                           const GroupSettings& settings, const std::string& ns,
                           const VolumeGroup& group, GroupAction action,
                           const std::vector<std::string>& only) {
  const bool backup = action == GroupAction::Backup;
  const protect::CutWish wish{.members = group.spec.group,
                              .how = backup ? group.spec.backup : group.spec.snapshot,
                              .account = group.spec.account,
                              .snapshot_class = group.spec.snapshot_class,
                              .group_snapshot_class = group.spec.group_snapshot_class,
                              .allow_unguarded = group.spec.allow_unguarded,
                              .only = only};
  protect::ResolvedCut found =
      HF_TRY(protect::resolve_cut(pass, outside, wish, ns, settings.is_admin(ns)));
  Resolution out{.refusal = std::move(found.refusal)};
  static_cast<protect::CutInputs&>(out.inputs) = std::move(found.inputs);
  if (!out.refusal && backup) HF_TRY(choose_location(pass, ns, group.spec.backup.location, out));
  if (!backup) return out;
  out.inputs.repository = protect::repository_name(ns, out.inputs.ns);
  out.inputs.nonce = hex(outside.random.bytes(16));
  if (control::sabotage().no_owner || !wall_stands("moves of a group stand with the group"))
    out.inputs.repository.clear();
  return out;
}

}  // namespace holdfast::drivers::volumegroup
