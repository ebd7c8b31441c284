#include "objects/groups/dry_run.h"

#include <holdfast/base/sleep.h>
#include <holdfast/base/text.h>
#include <holdfast/kube/typed.h>

#include "objects/describe/sheet.h"
#include "objects/groups/following_action.h"
#include "objects/groups/triggering.h"
#include "repo/interrupts.h"

#include <fmt/format.h>

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;
using drivers::volumegroup::ClaimRecord;
using drivers::volumegroup::Frozen;
using drivers::volumegroup::PodRecord;

constexpr auto kLook = 200ms;
constexpr MonoTime kPatience = 120s;

std::string way_text(const Frozen& frozen) {
  std::vector<std::string> words;
  if (!frozen.quiescing.profile.empty()) words.push_back("profile " + frozen.quiescing.profile);
  for (const auto& each : frozen.quiescing.pre_actions) words.push_back(each.name);
  words.emplace_back("cut");
  for (const auto& each : frozen.quiescing.post_actions) words.push_back(each.name);
  return join(words, " → ");
}

std::string text_of(const Frozen& frozen) {
  Sheet sheet;
  sheet.entry("Would Cut", fmt::format("{} volumes of namespace {} by {}, {}", frozen.claims.size(),
                                       frozen.ns, model::word(frozen.cut),
                                       frozen.atomic ? "of one instant" : "not of one instant"));
  sheet.entry("Order", way_text(frozen));
  sheet.entry("Rights", frozen.account.empty() ? "the operator's" : "of " + frozen.account);
  std::vector<std::vector<std::string>> pods, claims;
  for (const PodRecord& each : frozen.pods)
    pods.push_back({each.name, each.container, join(each.mount_paths, ", ")});
  for (const ClaimRecord& each : frozen.claims)
    claims.push_back({each.name, each.size, each.storage_class, each.volume, each.snapshot_class});
  sheet.table("Holds Still", {"Pod", "Container", "Volumes At"}, pods);
  sheet.table("Claims", {"Name", "Size", "Class", "Volume", "Snapshot Class"}, claims);
  return sheet.text();
}

}  // namespace

Result<void> let_backup_go(Server& server, const FoundAction& found) {
  const auto told = server.client().patch(
      kube::resource_of<VolumeGroupAction>(), server.ns(), found.name, kube::PatchType::Merge,
      model::Value(model::Object{{"spec", model::Object{{"deletionPolicy", "Delete"}}}}));
  if (!told) return error_of(told.error(), fmt::format("change VolumeGroupAction {}", found.name));
  return ok();
}

Result<void> delete_action(Server& server, const std::string& name, const std::string& uid) {
  const kube::Resource& actions = kube::resource_of<VolumeGroupAction>();
  const auto gone = server.client().remove(actions, server.ns(), name, {.only = {.uid = uid}});
  if (!gone && gone.error().not_found()) return ok();
  if (!gone) return error_of(gone.error(), fmt::format("delete VolumeGroupAction {}", name));
  const Sleep pause = holdfast::sleep_until_stopped();
  for (const MonoTime end = server.clock().mono() + kPatience; server.clock().mono() < end;) {
    const auto there = server.client().get(actions, server.ns(), name);
    if (!there && there.error().not_found()) return ok();
    if (there && model::string_at(*there, {"metadata", "uid"}) != uid) return ok();
    pause(kLook, {});
  }
  return Error(Fault::Unavailable,
               fmt::format("VolumeGroupAction {} is being deleted, but still there", name))
      .with_hint(fmt::format("holdfast group describe {} says what it waits for", name));
}

Result<int> show_dry_run(Server& server, const std::string& group, const std::string& action) {
  VolumeGroupAction wanted;
  wanted.spec.group = group;
  wanted.spec.action = action == "backup" ? GroupAction::Backup : GroupAction::Snapshot;
  wanted.spec.dry_run = true;
  const std::string name =
      HF_TRY(make_action(server, wanted, "", fmt::format("{}-dry-run-", group), ""));
  const Interrupts interrupts;
  const Result<std::optional<FoundAction>> found =
      follow_action(server, name, {}, interrupts.token());
  const std::string uid = found && *found ? (*found)->uid : "";
  HF_TRY(delete_action(server, name, uid));
  if (!found) return found.error().copy();
  if (!*found) return kInterruptedCode;
  const ActionEnd end = end_of(**found, {});
  if ((*found)->action.status.frozen) fmt::print("\n{}", text_of(*(*found)->action.status.frozen));
  if (end.code == 0) return 0;
  fmt::print(stderr, "error: a {} would fail: {}\n", action, end.said);
  return end.code == 3 ? 0 : end.code;
}

}  // namespace holdfast::cli
