#include "groups/act.h"

#include <holdfast/model/time.h>

#include "words.h"

#include <fmt/format.h>

namespace holdfast::volumes::groups {

using control::Decides;
using control::Note;
using control::Write;
using model::Array;
using model::Object;
using model::Value;

namespace {

Value object_of(const kube::Resource& resource, Object metadata, Object spec) {
  return Object{{"apiVersion", resource.api_version()},
                {"kind", resource.kind},
                {"metadata", std::move(metadata)},
                {"spec", std::move(spec)}};
}

}  // namespace

Write set_class(const Group& group, std::string_view name) {
  Value merge = Object{{"spec", Object{{"volumeGroupSnapshotClassName", name}}}};
  return control::patch(group.kinds.snapshots, group.object, std::move(merge), Decides::Yes);
}

Write create_content(const Group& group, const std::vector<std::string>& volumes,
                     const SnapshotClass& by) {
  Array handles;
  for (const std::string& volume : volumes) handles.emplace_back(volume);
  Object reference{{"apiVersion", group.kinds.snapshots.api_version()},
                   {"kind", group.kinds.snapshots.kind},
                   {"namespace", group.ns},
                   {"name", group.name},
                   {"uid", group.uid},
                   {"resourceVersion", std::to_string(group.object.version())}};
  Object spec{{"driver", kDriver},
              {"deletionPolicy", by.deletion_policy},
              {"volumeGroupSnapshotClassName", by.name},
              {"source", Object{{"volumeHandles", std::move(handles)}}},
              {"volumeGroupSnapshotRef", std::move(reference)}};
  Object metadata{{"name", group.content_name()}};
  metadata["finalizers"] = Array{Value(kGroupContentBound)};
  Write write = control::create(
      group.kinds.contents, object_of(group.kinds.contents, std::move(metadata), std::move(spec)));
  write.note = Note{.reason = "CreatingGroupSnapshot",
                    .message = fmt::format("Waiting for a group snapshot {} to be created by the "
                                           "CSI driver.",
                                           group.text()),
                    .action = "Creating"};
  return write;
}

Write bind_content(const GroupContent& content, const Group& group) {
  Object reference{{"uid", group.uid}, {"resourceVersion", std::to_string(group.object.version())}};
  Value merge = Object{{"spec", Object{{"volumeGroupSnapshotRef", std::move(reference)}}}};
  return control::patch(content.kinds.contents, content.object, std::move(merge), Decides::Yes);
}

Write create_member_content(const Group& group, const GroupContent& content,
                            const MemberInfo& member) {
  Object metadata{{"name", member_content_name(group, member)}};
  metadata["finalizers"] = Array{Value(kContentBound)};
  Object reference{{"apiVersion", kube::kVolumeSnapshots.api_version()},
                   {"kind", kube::kVolumeSnapshots.kind},
                   {"namespace", group.ns},
                   {"name", member_snapshot_name(group, member)}};
  Object spec{{"driver", kDriver},
              {"deletionPolicy", content.deletion_policy},
              {"sourceVolumeMode", "Filesystem"},
              {"source", Object{{"snapshotHandle", member.handle}}},
              {"volumeSnapshotRef", std::move(reference)}};
  return control::create(
      kube::kVolumeSnapshotContents,
      object_of(kube::kVolumeSnapshotContents, std::move(metadata), std::move(spec)));
}

Write create_member(const Group& group, const MemberInfo& member) {
  Object metadata{{"namespace", group.ns}, {"name", member_snapshot_name(group, member)}};
  metadata["ownerReferences"] =
      Array{control::controller_reference(group.kinds.snapshots, group.object)};
  metadata["finalizers"] = Array{Value(kSnapshotSource), Value(kSnapshotBound)};
  Object spec{
      {"source", Object{{"volumeSnapshotContentName", member_content_name(group, member)}}}};
  return control::create(kube::kVolumeSnapshots,
                         object_of(kube::kVolumeSnapshots, std::move(metadata), std::move(spec)));
}

Write name_group(const Snapshot& member, const Group& group) {
  Value merge = Object{{"status", Object{{"volumeGroupSnapshotName", group.name}}}};
  return control::patch(kube::kVolumeSnapshots, member.object, std::move(merge), Decides::Yes,
                        "status");
}

std::optional<Write> report(const Group& group, const GroupContent& content, bool ready,
                            WallTime now) {
  const std::string_view error = content.ready ? std::string_view() : content.error;
  const bool told = group.bound == content.name && group.ready == ready && group.error == error &&
                    group.created == content.created &&
                    model::find(*group.value, {"status", "readyToUse"}) != nullptr;
  if (told) return std::nullopt;
  Object status{{"boundVolumeGroupSnapshotContentName", content.name}, {"readyToUse", ready}};
  if (!content.created.empty()) status["creationTime"] = content.created;
  if (error.empty())
    status["error"] = nullptr;
  else
    status["error"] = Object{{"message", error}, {"time", model::to_rfc3339(now)}};
  Value merge = Object{{"status", std::move(status)}};
  Write write =
      control::patch(group.kinds.snapshots, group.object, std::move(merge), Decides::Yes, "status");
  if (ready)
    write.note = Note{.reason = "GroupSnapshotReady",
                      .message = fmt::format("Group snapshot {} is ready to use.", group.text()),
                      .action = "Creating"};
  return write;
}

Write announce_end(const GroupContent& content) {
  Object annotations;
  annotations[kGroupBeingDeleted] = "yes";
  Value merge = Object{{"metadata", Object{{"annotations", std::move(annotations)}}}};
  return control::patch(content.kinds.contents, content.object, std::move(merge), Decides::Yes);
}

}  // namespace holdfast::volumes::groups
