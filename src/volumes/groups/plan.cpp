#include "groups/plan.h"

#include <holdfast/control/finalizers.h>

#include "groups/act.h"
#include "words.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::volumes::groups {

using control::Outcome;
using control::Write;

namespace {

Outcome wrong(const Seen& seen, std::string reason, std::string message) {
  return fail(seen.group.kinds.snapshots, seen.group, std::move(reason), std::move(message),
              seen.now);
}

const Snapshot* member_named(const Seen& seen, std::string_view name) {
  for (const Snapshot& each : seen.members)
    if (each.name == name) return &each;
  return nullptr;
}

/// The next thing that a member lacks: its content, its snapshot, the group's name on it.
std::optional<Write> complete(const Seen& seen, const MemberInfo& member) {
  const std::string content = member_content_name(seen.group, member);
  const auto& contents = seen.member_contents;
  if (std::find(contents.begin(), contents.end(), content) == contents.end())
    return create_member_content(seen.group, *seen.content, member);
  const Snapshot* snapshot = member_named(seen, member_snapshot_name(seen.group, member));
  if (snapshot == nullptr) return create_member(seen.group, member);
  if (snapshot->group.empty()) return name_group(*snapshot, seen.group);
  return std::nullopt;
}

bool all_ready(const Seen& seen) {
  const std::vector<MemberInfo>& members = seen.content->members;
  return seen.content->ready && std::all_of(members.begin(), members.end(), [&](const auto& each) {
           const Snapshot* member = member_named(seen, member_snapshot_name(seen.group, each));
           return member != nullptr && member->ready;
         });
}

Outcome follow(const Seen& seen) {
  const GroupContent& content = *seen.content;
  // Members are those of the cut: one that is deleted later is not made again.
  const bool done = seen.group.ready;
  if (std::optional<Write> told = report(seen.group, content, done || all_ready(seen), seen.now))
    return Outcome::act(std::move(*told));
  if (!content.ready)
    return Outcome::done(content.error.empty() ? "Waiting" : "Failed", content.error);
  if (done) return Outcome::done("Ready");
  for (const MemberInfo& member : content.members)
    if (std::optional<Write> write = complete(seen, member)) return Outcome::act(std::move(*write));
  return Outcome::done("WaitingForMembers");
}

/// Why the members cannot be cut now; empty if they can.
std::string obstacle(const Seen& seen) {
  if (!seen.selector_error.empty()) return seen.selector_error;
  if (seen.matches.empty()) return "no claim of the namespace matches the selector";
  for (const Match& match : seen.matches) {
    const std::string& name = match.claim.name;
    if (match.claim.deleting)
      return fmt::format("claim {} is being deleted: it cannot be snapshotted any more", name);
    if (!match.volume || match.claim.phase != "Bound")
      return fmt::format("claim {} is not bound to a volume yet", name);
    if (match.volume->annotation(kProvisionedBy) != kDriver)
      return fmt::format("claim {} has a volume of another driver than {}", name, kDriver);
  }
  return "";
}

Outcome make_content(const Seen& seen, const SnapshotClass& by) {
  if (const std::string why = obstacle(seen); !why.empty())
    return wrong(seen, "GroupSnapshotContentCreationFailed",
                 fmt::format("Failed to create group snapshot content with error {}", why));
  std::vector<std::string> handles;
  for (const Match& match : seen.matches) handles.push_back(match.volume->name);
  std::sort(handles.begin(), handles.end());
  return Outcome::act(create_content(seen.group, handles, by));
}

Outcome take(const Seen& seen) {
  const Group& group = seen.group;
  const SnapshotClass* by = nullptr;
  for (const SnapshotClass& each : seen.classes) {
    const bool chosen = group.class_name.empty() ? each.is_default && each.driver == kDriver
                                                 : each.name == group.class_name;
    if (chosen) by = &each;
  }
  if (by != nullptr && by->driver != kDriver) return Outcome::done("Foreign");
  if (by == nullptr && !seen.content)
    return wrong(seen, "GetGroupSnapshotClassFailed",
                 group.class_name.empty()
                     ? "cannot find default group snapshot class"
                     : fmt::format("volumegroupsnapshotclass.{} \"{}\" not found",
                                   kGroupSnapshotGroup, group.class_name));
  if (group.class_name.empty() && by != nullptr && !seen.content)
    return Outcome::act(set_class(group, by->name));
  if (std::optional<Write> write = guard(group.kinds.snapshots, group, kGroupBound))
    return Outcome::act(std::move(*write));
  return seen.content ? follow(seen) : make_content(seen, *by);
}

Outcome bind(const Seen& seen) {
  const Group& group = seen.group;
  if (!seen.content)
    return wrong(seen, "GroupSnapshotContentMissing",
                 fmt::format("VolumeGroupSnapshotContent {} is missing", group.given_content));
  const GroupContent& content = *seen.content;
  if (content.driver != kDriver) return Outcome::done("Foreign");
  if (content.ref_ns != group.ns || content.ref_name != group.name ||
      (!content.ref_uid.empty() && content.ref_uid != group.uid))
    return wrong(seen, "GroupSnapshotContentMisbound",
                 fmt::format("VolumeGroupSnapshotContent [{}] is bound to a different group "
                             "snapshot",
                             content.name));
  if (std::optional<Write> write = guard(group.kinds.snapshots, group, kGroupBound))
    return Outcome::act(std::move(*write));
  if (content.ref_uid.empty()) return Outcome::act(bind_content(content, group));
  return follow(seen);
}

/// Members first, each with its own content; then the group's content; then the group.
Outcome end(const Seen& seen) {
  const Group& group = seen.group;
  if (!group.guarded_by(kGroupBound)) return Outcome::done("Deleting");
  for (const Snapshot& member : seen.members)
    if (!member.deleting)
      return Outcome::act(control::remove(kube::kVolumeSnapshots, member.object));
  if (!seen.members.empty()) return Outcome::done("Deleting", "members are being deleted");
  if (seen.content && seen.content->ref_uid == group.uid) {
    const GroupContent& content = *seen.content;
    if (content.annotation(kGroupBeingDeleted).empty()) return Outcome::act(announce_end(content));
    if (content.deletes() && !content.deleting)
      return Outcome::act(control::remove(content.kinds.contents, content.object));
    if (content.deletes()) return Outcome::done("Deleting");
  }
  return Outcome::act(control::drop_finalizer(group.kinds.snapshots, group.object, kGroupBound));
}

}  // namespace

Outcome plan(const Seen& seen) {
  if (seen.group.deleting) return end(seen);
  return seen.group.given_content.empty() ? take(seen) : bind(seen);
}

}  // namespace holdfast::volumes::groups
