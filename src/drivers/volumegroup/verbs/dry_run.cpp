// Dry run of an action, by the operator itself.
#include <holdfast/base/text.h>
#include <holdfast/cli/interrupts.h>
#include <holdfast/cli/sheet.h>

#include "commands.h"
#include "following.h"
#include "triggering.h"

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

std::string text_of(const Inputs& inputs) {
  cli::Sheet sheet;
  sheet.entry("Would Cut", fmt::format("{} volumes of namespace {} by {}, {}", inputs.claims.size(),
                                       inputs.ns, model::word(inputs.cut),
                                       inputs.atomic ? "of one instant" : "not of one instant"));
  sheet.entry("Order", order_text(inputs.quiescing));
  sheet.entry("Rights", inputs.account.empty() ? "the operator's" : "of " + inputs.account);
  std::vector<std::vector<std::string>> pods, claims;
  for (const PodRecord& each : inputs.pods)
    pods.push_back({each.name, each.container, join(each.mount_paths, ", ")});
  for (const ClaimRecord& each : inputs.claims)
    claims.push_back({each.name, each.size, each.storage_class, each.volume, each.snapshot_class});
  sheet.table("Holds Still", {"Pod", "Container", "Volumes At"}, pods);
  sheet.table("Claims", {"Name", "Size", "Class", "Volume", "Snapshot Class"}, claims);
  return sheet.text();
}

}  // namespace

Result<int> show_dry_run(Server& server, const std::string& group, const std::string& action) {
  VolumeGroupAction wanted;
  wanted.spec.group = group;
  wanted.spec.action = action == "backup" ? GroupAction::Backup : GroupAction::Snapshot;
  wanted.spec.dry_run = true;
  const std::string name =
      HF_TRY(make_action(server, wanted, "", fmt::format("{}-dry-run-", group), ""));
  const cli::Interrupts interrupts;
  const Result<std::optional<FoundAction>> found =
      follow_action(server, name, {}, interrupts.token());
  const std::string uid = found && *found ? (*found)->uid : "";
  HF_TRY(delete_action(server, name, uid));
  if (!found) return found.error().copy();
  if (!*found) return codes::kInterrupted;
  const cli::Ending end = end_of(**found, {});
  if ((*found)->action.status.inputs) fmt::print("\n{}", text_of(*(*found)->action.status.inputs));
  if (end.code == 0) return 0;
  fmt::print(stderr, "error: a {} would fail: {}\n", action, end.said);
  return end.code == codes::kPartly ? codes::kDone : end.code;
}

}  // namespace holdfast::drivers::volumegroup
