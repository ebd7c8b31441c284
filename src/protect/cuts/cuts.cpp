#include <holdfast/base/walls.h>
#include <holdfast/kube/group_members.h>
#include <holdfast/protect/cut/cuts.h>

#include <fmt/format.h>

namespace holdfast::protect {

using control::read_live;
using model::Object;
using model::string_at;
using model::Value;

std::optional<SnapshotSeen> snapshot_seen(kube::Cached object) {
  if (!object) return std::nullopt;
  const auto value = object.shared_value();
  SnapshotSeen out;
  out.ready = model::bool_at(*value, {"status", "readyToUse"}, false);
  out.cut = !string_at(*value, {"status", "creationTime"}).empty();
  if (!out.cut) out.error = string_at(*value, {"status", "error", "message"});
  out.deleting = object.being_deleted();
  out.object = std::move(object);
  return out;
}

Value snapshot_of(const ClaimRecord& claim, Object metadata) {
  return control::made_object(kube::kVolumeSnapshots, std::move(metadata),
                              {{"source", Object{{"persistentVolumeClaimName", claim.name}}},
                               {"volumeSnapshotClassName", claim.snapshot_class}});
}

Value group_snapshot_of(const kube::GroupKinds& kinds, const std::string& group_class,
                        const std::string& label, Object metadata) {
  // Only matchLabels count: a selector with expressions alone would take every claim there is.
  Object labels;
  labels[label] = "true";
  return control::made_object(
      kinds.snapshots, std::move(metadata),
      {{"source", Object{{"selector", Object{{"matchLabels", std::move(labels)}}}}},
       {"volumeGroupSnapshotClassName", group_class}});
}

Result<kube::Cached> read_group_snapshot(control::Pass& pass, kube::ServedGroupKinds& served,
                                         kube::GroupKinds& kinds, const std::string& ns,
                                         const std::string& name) {
  kinds = HF_TRY(served.known()).value_or(kube::GroupKinds());
  kube::Cached found = HF_TRY(read_live(pass, kinds.snapshots, ns, name));
  if (found) return found;
  // Perhaps only its version is served no more: gone is what the one of now does not show.
  const kube::GroupKinds before = kinds;
  kinds = HF_TRY(served.ask()).value_or(before);
  if (kinds == before) return found;
  return read_live(pass, kinds.snapshots, ns, name);
}

namespace {

/// What the content of that group snapshot tells: volume handles by snapshot handle.
Result<std::map<std::string, std::string>> told_by(control::Pass& pass,
                                                   const kube::GroupKinds& kinds,
                                                   const kube::Cached& group_snapshot) {
  const kube::Cached content =
      HF_TRY(read_live(pass, kinds.contents, "",
                       string_at(*group_snapshot.shared_value(),
                                 {"status", "boundVolumeGroupSnapshotContentName"})));
  if (!content) return std::map<std::string, std::string>();
  const auto value = content.shared_value();
  const std::string_view of = string_at(*value, {"spec", "volumeGroupSnapshotRef", "uid"});
  if (!of.empty() && of != group_snapshot.uid()) return std::map<std::string, std::string>();
  return kube::volumes_told(*value);
}

/// Whether the content of a member is one of the group's; any, while that tells of none.
bool is_told(const Value& content, const std::map<std::string, std::string>& told) {
  std::string_view handle = string_at(content, {"status", "snapshotHandle"});
  if (handle.empty()) handle = string_at(content, {"spec", "source", "snapshotHandle"});
  return told.empty() || told.contains(std::string(handle)) ||
         !wall_stands("what is uploaded is what was cut");
}

}  // namespace

Result<std::map<std::string, MemberCut>> members_of(control::Pass& pass, kube::Client& client,
                                                    const kube::GroupKinds& kinds,
                                                    const kube::Cached& group_snapshot,
                                                    const std::vector<ClaimRecord>& claims) {
  const std::map<std::string, std::string> told = HF_TRY(told_by(pass, kinds, group_snapshot));
  std::vector<Value> members;
  const auto listed =
      client.list(kube::kVolumeSnapshots, group_snapshot.ns(), {}, [&](const Value& each) {
        for (const model::OwnerReference& owner : model::meta_of(each).owners)
          if (owner.uid == group_snapshot.uid()) members.push_back(each);
        return true;
      });
  if (!listed) return listed.error().error.copy();
  std::map<std::string, MemberCut> out;
  for (const Value& member : members) {
    const kube::Cached its =
        HF_TRY(read_live(pass, kube::kVolumeSnapshotContents, "", kube::content_of(member)));
    if (!its || !kube::is_bound_to(*its.shared_value(), member)) continue;
    if (!is_told(*its.shared_value(), told)) continue;
    const std::string volume = kube::volume_of(*its.shared_value(), told);
    for (const ClaimRecord& claim : claims)
      if (!volume.empty() && claim.volume_handle == volume)
        out[claim.name] = {std::string(string_at(member, {"metadata", "name"})),
                           std::string(string_at(member, {"metadata", "uid"}))};
  }
  return out;
}

}  // namespace holdfast::protect
