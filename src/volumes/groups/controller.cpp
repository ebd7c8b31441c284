/// snapshot-controller's common half for groups: VolumeGroupSnapshots, and a snapshot of each
/// member.
#include <holdfast/model/selector.h>

#include "groups/plan.h"
#include "known.h"
#include "words.h"

namespace holdfast::volumes {
namespace groups {
namespace {

using control::Outcome;

class Groups final : public control::Reconciler {
 public:
  explicit Groups(const kube::GroupKinds& kinds) : kinds_(kinds) {}

  Result<Outcome> reconcile(control::Pass& pass) override {
    const kube::Cached object = pass.get(kinds_.snapshots, pass.key().ns, pass.key().name);
    if (!object) return Outcome::done();
    Seen seen{.group = read_group(object, kinds_)};
    seen.now = pass.now();
    if (const kube::Cached content = pass.get(kinds_.contents, "", seen.group.content_name()))
      seen.content = read_group_content(content, kinds_);
    for (const kube::Cached& each : pass.list(kinds_.classes, ""))
      seen.classes.push_back(read_snapshot_class(each, kDefaultGroupClass));
    if (!seen.content) look_at_claims(pass, seen);
    look_at_members(pass, seen);
    return plan(seen);
  }

 private:
  /// By the whole selector: one with expressions alone must not match every claim.
  static void look_at_claims(control::Pass& pass, Seen& seen) {
    const model::Value* wanted = model::find(*seen.group.value, {"spec", "source", "selector"});
    if (wanted == nullptr) return;
    const Result<model::LabelSelector> selector = model::LabelSelector::from_object(*wanted);
    if (!selector) {
      seen.selector_error = selector.error().what();
      return;
    }
    for (const kube::Cached& each : pass.list(kube::kClaims, seen.group.ns, *selector)) {
      Match match{.claim = read_claim(each)};
      if (const kube::Cached volume = pass.get(kube::kVolumes, "", match.claim.volume_name))
        match.volume = read_volume(volume);
      seen.matches.push_back(std::move(match));
    }
  }

  static void look_at_members(control::Pass& pass, Seen& seen) {
    for (const kube::Cached& each : pass.controlled_by(kube::kVolumeSnapshots, seen.group.uid))
      seen.members.push_back(read_snapshot(each));
    if (!seen.content) return;
    for (const MemberInfo& member : seen.content->members) {
      const std::string name = member_content_name(seen.group, member);
      if (pass.get(kube::kVolumeSnapshotContents, "", name)) seen.member_contents.push_back(name);
    }
  }

  const kube::GroupKinds kinds_;
};

control::Keys group_of_content(const kube::Change& change) {
  const GroupContent content = read_group_content(change.object());
  return {{content.ref_ns, content.ref_name}};
}

/// Groups of the namespace that are not cut yet: a claim or a class may be what they wait for.
control::Lookup waiting_groups(const kube::GroupKinds& kinds) {
  return [kinds](const kube::Change& change, kube::Informers& informers) {
    control::Keys keys;
    kube::Informer* groups = informers.covering(kinds.snapshots, change.object().ns());
    if (groups == nullptr) return keys;
    for (const kube::Cached& each : groups->list(change.object().ns()))
      if (read_group(each).created.empty()) keys.push_back(kube::key_of(each));
    return keys;
  };
}

}  // namespace
}  // namespace groups

control::ControllerSpec groups_controller(const kube::GroupKinds& kinds) {
  const std::string group(kGroupSnapshotGroup), snapshot(kSnapshotGroup);
  return {
      .name = "group-snapshot-controller",
      .watches = {{.scope = {.resource = kinds.snapshots}},
                  {.scope = {.resource = kinds.contents}, .map = groups::group_of_content},
                  {.scope = {.resource = kinds.classes}, .lookup = groups::waiting_groups(kinds)},
                  {.scope = {.resource = kube::kClaims}, .lookup = groups::waiting_groups(kinds)},
                  {.scope = {.resource = kube::kVolumeSnapshots},
                   .map = control::controlling_owner(kinds.snapshots)},
                  {.scope = {.resource = kube::kVolumeSnapshotContents}, .map = control::nobody},
                  {.scope = {.resource = kube::kVolumes}, .map = control::nobody}},
      .make = [kinds] { return std::make_unique<groups::Groups>(kinds); },
      .rights = {{group, {"volumegroupsnapshots", "volumegroupsnapshots/status"}, {"patch"}},
                 {group, {"volumegroupsnapshotcontents"}, {"create", "patch", "delete"}},
                 {snapshot, {"volumesnapshots"}, {"create", "delete"}},
                 {snapshot, {"volumesnapshots/status"}, {"patch"}},
                 {snapshot, {"volumesnapshotcontents"}, {"create"}}}};
}

}  // namespace holdfast::volumes
