#include "snapshots/plan.h"

#include <holdfast/control/finalizers.h>

#include "snapshots/act.h"
#include "words.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::volumes::snapshots {

using control::Outcome;
using control::Write;

namespace {

Outcome wrong(const Seen& seen, std::string reason, std::string message) {
  return fail(kube::kVolumeSnapshots, seen.snapshot, std::move(reason), std::move(message),
              seen.now);
}

const SnapshotClass* class_named(const Seen& seen, std::string_view name) {
  for (const SnapshotClass& each : seen.classes)
    if (each.name == name) return &each;
  return nullptr;
}

/// Ours alone: with other drivers about, each has a default of its own.
const SnapshotClass* default_class(const Seen& seen) {
  for (const SnapshotClass& each : seen.classes)
    if (each.is_default && each.driver == kDriver) return &each;
  return nullptr;
}

std::optional<Write> let_claim_go(const Seen& seen) {
  if (!seen.claim || !seen.claim_guarded || seen.claim_needed) return std::nullopt;
  return control::drop_finalizer(kube::kClaims, seen.claim->object, kClaimSource);
}

/// Why the claim cannot be cut now; empty if it can.
std::string obstacle(const Seen& seen) {
  const std::string& name = seen.snapshot.claim;
  if (!seen.claim) return fmt::format("the source claim {} does not exist", name);
  if (seen.claim->deleting)
    return fmt::format("the source claim {} is being deleted: it cannot be snapshotted any more",
                       name);
  if (!seen.volume || seen.claim->phase != "Bound")
    return fmt::format("the source claim {} is not bound to a volume yet", name);
  if (seen.volume->annotation(kProvisionedBy) != kDriver)
    return fmt::format("the source claim {} has a volume of another driver than {}", name, kDriver);
  return "";
}

Outcome follow(const Seen& seen) {
  const Content& content = *seen.content;
  if (std::optional<Write> told = report(seen.snapshot, content, seen.now))
    return Outcome::act(std::move(*told));
  if (!content.error.empty() && !content.ready) return Outcome::done("Failed", content.error);
  if (!content.ready) return Outcome::done("Waiting");
  if (std::optional<Write> write = let_claim_go(seen)) return Outcome::act(std::move(*write));
  return Outcome::done("Ready");
}

Outcome make_content(const Seen& seen, const SnapshotClass& by) {
  if (const std::string why = obstacle(seen); !why.empty())
    return wrong(seen, "SnapshotContentCreationFailed",
                 fmt::format("Failed to create snapshot content with error {}", why));
  if (!seen.claim_guarded)
    return Outcome::act(control::add_finalizer(kube::kClaims, seen.claim->object, kClaimSource));
  return Outcome::act(create_content(seen.snapshot, *seen.volume, by));
}

Outcome take(const Seen& seen) {
  const Snapshot& snapshot = seen.snapshot;
  if (snapshot.class_name.empty() && seen.content) return follow(seen);
  if (snapshot.class_name.empty()) {
    // Whose default it gets is the driver's that made the claim's volume.
    if (const std::string why = obstacle(seen); !why.empty())
      return wrong(seen, "SetDefaultSnapshotClassFailed",
                   fmt::format("Failed to set default snapshot class with error {}", why));
    const SnapshotClass* by_default = default_class(seen);
    if (by_default == nullptr)
      return wrong(seen, "SetDefaultSnapshotClassFailed",
                   "Failed to set default snapshot class with error cannot find default snapshot "
                   "class");
    return Outcome::act(set_class(snapshot, by_default->name));
  }
  const SnapshotClass* by = class_named(seen, snapshot.class_name);
  if (by != nullptr && by->driver != kDriver) return Outcome::done("Foreign");
  if (by == nullptr && !seen.content)
    return wrong(seen, "GetSnapshotClassFailed",
                 fmt::format("Failed to get snapshot class with error volumesnapshotclass.{} "
                             "\"{}\" not found",
                             kSnapshotGroup, snapshot.class_name));
  for (const std::string_view finalizer : {kSnapshotBound, kSnapshotSource})
    if (std::optional<Write> write = guard(kube::kVolumeSnapshots, snapshot, finalizer))
      return Outcome::act(std::move(*write));
  return seen.content ? follow(seen) : make_content(seen, *by);
}

/// A content that somebody made for it.
Outcome bind(const Seen& seen) {
  const Snapshot& snapshot = seen.snapshot;
  if (!seen.content)
    return wrong(seen, "SnapshotContentMissing",
                 fmt::format("VolumeSnapshotContent {} is missing", snapshot.given_content));
  const Content& content = *seen.content;
  if (content.driver != kDriver) return Outcome::done("Foreign");
  if (content.ref_ns != snapshot.ns || content.ref_name != snapshot.name ||
      (!content.ref_uid.empty() && content.ref_uid != snapshot.uid))
    return wrong(
        seen, "SnapshotContentMisbound",
        fmt::format("VolumeSnapshotContent [{}] is bound to a different snapshot", content.name));
  if (content.given_handle.empty())
    return wrong(seen, "SnapshotContentMismatch",
                 "VolumeSnapshotContent is dynamically provisioned while expecting a "
                 "pre-provisioned one");
  for (const std::string_view finalizer : {kSnapshotBound, kSnapshotSource})
    if (std::optional<Write> write = guard(kube::kVolumeSnapshots, snapshot, finalizer))
      return Outcome::act(std::move(*write));
  if (content.ref_uid.empty()) return Outcome::act(bind_content(content, snapshot));
  return follow(seen);
}

Outcome still_needed(const Snapshot& snapshot, std::string why) {
  Outcome out = Outcome::done("SnapshotDeletePending", why);
  if (snapshot.guarded_by(kSnapshotSource))
    out.notes = {{.warning = true,
                  .reason = "SnapshotDeletePending",
                  .message = std::move(why),
                  .action = "Deleting"}};
  return out;
}

Outcome end(const Seen& seen) {
  const Snapshot& snapshot = seen.snapshot;
  if (!snapshot.guarded_by(kSnapshotBound) && !snapshot.guarded_by(kSnapshotSource))
    return Outcome::done("Deleting");
  if (!seen.restoring.empty())
    return still_needed(snapshot,
                        fmt::format("Snapshot is being used to restore a PVC: {}", seen.restoring));
  if (seen.group_stays)
    return still_needed(snapshot, fmt::format("Snapshot belongs to VolumeGroupSnapshot {} and goes "
                                              "with it",
                                              snapshot.group));
  if (seen.content && seen.content->ref_uid == snapshot.uid) {
    const Content& content = *seen.content;
    if (content.annotation(kBeingDeleted).empty()) return Outcome::act(announce_end(content));
    if (content.deletes && !content.deleting)
      return Outcome::act(control::remove(kube::kVolumeSnapshotContents, content.object));
    if (content.deletes) return Outcome::done("Deleting");
  }
  if (std::optional<Write> write = let_claim_go(seen)) return Outcome::act(std::move(*write));
  for (const std::string_view finalizer : {kSnapshotSource, kSnapshotBound})
    if (std::optional<Write> write = unguard(kube::kVolumeSnapshots, snapshot, finalizer))
      return Outcome::act(std::move(*write));
  return Outcome::done("Deleting");
}

}  // namespace

Outcome plan(const Seen& seen) {
  if (seen.snapshot.deleting) return end(seen);
  return seen.snapshot.given_content.empty() ? take(seen) : bind(seen);
}

}  // namespace holdfast::volumes::snapshots
