#include "plans.h"

#include <holdfast/base/text.h>

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

std::string title(std::string_view what, const FoundAction& found) {
  const VolumeGroupAction& action = found.action;
  const std::string group = action.spec.source ? action.spec.source->group : action.spec.group;
  return fmt::format("{} of {} ({} of {}, {}):\n", what, found.name,
                     model::word(action.spec.action), group, action.status.started);
}

std::vector<std::string> items_of(const FoundAction& found, const std::string& which) {
  std::vector<std::string> out;
  if (!found.action.status.triggered) return out;
  for (const auto& each : found.action.status.triggered->references.resources)
    if (const auto items = each.items.find(which); items != each.items.end())
      out.insert(out.end(), items->second.begin(), items->second.end());
  return out;
}

std::string replaced(const std::string& volume) {
  return volume.empty() ? "" : fmt::format(", in place of {}, which is kept", volume);
}

}  // namespace

VolumeOf volumes_now(Server& server) {
  return [&server](const std::string& ns, const std::string& claim) -> std::string {
    const auto found = server.client().get(kube::kClaims, ns, claim);
    return found ? std::string(model::string_at(*found, {"spec", "volumeName"})) : "";
  };
}

std::string revert_plan(const FoundAction& found, const VolumeOf& volume_of) {
  std::string text = title("revert", found);
  if (!found.action.status.inputs) return text + "  nothing: it has cut nothing\n";
  for (const ClaimRecord& claim : found.action.status.inputs->claims) {
    if (claim.log) continue;
    text += fmt::format("  claim {}/{} ({}): a new volume from its snapshot{}\n", claim.ns,
                        claim.name, claim.size, replaced(volume_of(claim.ns, claim.name)));
  }
  return text;
}

std::string replace_plan(const FoundAction& found, const VolumeGroupAction::Restore& restore,
                         const VolumeOf& volume_of) {
  std::string text = title("restore", found);
  if (!found.action.status.inputs) return text + "  nothing: it holds no backup\n";
  for (const ClaimRecord& claim : found.action.status.inputs->claims) {
    if (claim.log) continue;
    const std::string& ns = restore.ns.empty() ? claim.ns : restore.ns;
    text += fmt::format("  claim {}/{} ({}): a new volume from backup {}{}\n", ns, claim.name,
                        claim.size, claim.snapshot_id.substr(0, 8),
                        replaced(volume_of(ns, claim.name)));
  }
  return text;
}

std::string delete_plan(const FoundAction& found, bool with_backup) {
  using Deletion = VolumeGroupAction::Deletion;
  const VolumeGroupAction& action = found.action;
  const bool backup = action.spec.action == GroupAction::Backup;
  const bool keeps = !backup && action.spec.deletion_policy == Deletion::Retain;
  std::string text = title("deletion", found);
  const std::vector<std::string> snapshots = items_of(found, "snapshot");
  if (!snapshots.empty())
    text += fmt::format("  snapshots that {}: {}\n", keeps ? "stay" : "go", join(snapshots, ", "));
  if (backup && !action.spec.source)
    text += with_backup || action.spec.deletion_policy == Deletion::Delete
                ? "  the backup leaves its repository, for good\n"
                : "  the backup stays in its repository; holdfast group list --location shows it\n";
  text += "  volumes of claims, and those that were replaced, stay\n";
  return text;
}

}  // namespace holdfast::drivers::volumegroup
