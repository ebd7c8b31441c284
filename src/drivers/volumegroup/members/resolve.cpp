#include "members/resolve.h"

#include <holdfast/protect/locations.h>

namespace holdfast::drivers::volumegroup {
namespace {

/// Before anything is held still: what is cut for nothing is held still for nothing. A restore goes
/// by the one chosen here, whatever is the default by then.
Result<void> choose_location(control::Pass& pass, const std::string& ns,
                             std::optional<protect::Reference> wanted, Resolution& out) {
  // A location is named from where the group is.
  if (wanted && wanted->ns.empty() && out.inputs.ns != ns) wanted->ns = ns;
  protect::ChosenLocation chosen =
      HF_TRY(protect::choose_location(pass, out.inputs.ns, std::move(wanted)));
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
  return out;
}

}  // namespace holdfast::drivers::volumegroup
