#include "groups/objects.h"

namespace holdfast::volumes {

using model::string_at;
using model::Value;

namespace {

std::vector<std::string> texts(const model::Array& list) {
  std::vector<std::string> out;
  for (const Value& each : list)
    if (each.is_string()) out.emplace_back(model::view(each.get_string()));
  return out;
}

std::string member_hash(const Group& group, const MemberInfo& member) {
  return control::short_hash(group.uid + member.handle) +
         control::short_hash(member.handle + group.uid);
}

}  // namespace

Group read_group(const kube::Cached& object, const kube::GroupKinds& kinds) {
  Group out;
  out.kinds = kinds;
  read_told(out, object);
  const Value& value = *out.value;
  out.ns = object.ns();
  out.given_content = string_at(value, {"spec", "source", "volumeGroupSnapshotContentName"});
  out.class_name = string_at(value, {"spec", "volumeGroupSnapshotClassName"});
  out.bound = string_at(value, {"status", "boundVolumeGroupSnapshotContentName"});
  out.created = string_at(value, {"status", "creationTime"});
  return out;
}

GroupContent read_group_content(const kube::Cached& object, const kube::GroupKinds& kinds) {
  GroupContent out;
  out.kinds = kinds;
  read_told(out, object);
  const Value& value = *out.value;
  out.driver = string_at(value, {"spec", "driver"});
  out.deletion_policy = string_at(value, {"spec", "deletionPolicy"});
  out.volumes = texts(model::array_at(value, {"spec", "source", "volumeHandles"}));
  out.given_handle =
      string_at(value, {"spec", "source", "groupSnapshotHandles", "volumeGroupSnapshotHandle"});
  out.given_members = texts(
      model::array_at(value, {"spec", "source", "groupSnapshotHandles", "volumeSnapshotHandles"}));
  out.handle = string_at(value, {"status", "volumeGroupSnapshotHandle"});
  out.created = string_at(value, {"status", "creationTime"});
  const model::Array& told = model::array_at(value, {"status", "volumeSnapshotInfoList"});
  for (const Value& info :
       told.empty() ? model::array_at(value, {"status", "volumeSnapshotHandlePairList"}) : told)
    out.members.push_back({std::string(string_at(info, {"volumeHandle"})),
                           std::string(string_at(info, {"snapshotHandle"}))});
  out.ref_ns = string_at(value, {"spec", "volumeGroupSnapshotRef", "namespace"});
  out.ref_name = string_at(value, {"spec", "volumeGroupSnapshotRef", "name"});
  out.ref_uid = string_at(value, {"spec", "volumeGroupSnapshotRef", "uid"});
  return out;
}

std::string member_snapshot_name(const Group& group, const MemberInfo& member) {
  return "snap-" + member_hash(group, member);
}

std::string member_content_name(const Group& group, const MemberInfo& member) {
  return "snapcontent-" + member_hash(group, member);
}

}  // namespace holdfast::volumes
