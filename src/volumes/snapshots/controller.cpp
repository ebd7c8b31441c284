/// snapshot-controller's common half: VolumeSnapshots, their contents as objects, and what protects
/// them.
#include <holdfast/control/finalizers.h>

#include "known.h"
#include "snapshots/plan.h"
#include "words.h"

namespace holdfast::volumes {
namespace snapshots {
namespace {

using control::Outcome;

constexpr std::string_view kByClaim = "source-claim";
constexpr std::string_view kBySnapshot = "source-snapshot";

/// The snapshot that a claim is made of, by either field; "" if of none.
std::string source_of(const model::Value& claim) {
  for (const char* field : {"dataSourceRef", "dataSource"})
    if (model::string_at(claim, {"spec", field, "kind"}) == kube::kVolumeSnapshots.kind)
      return std::string(model::string_at(claim, {"spec", field, "name"}));
  return "";
}

void index_by_claim(const kube::Cached& object, std::vector<std::string>& values) {
  const Snapshot snapshot = read_snapshot(object);
  if (!snapshot.claim.empty()) values.push_back(snapshot.ns + "/" + snapshot.claim);
}

void index_by_snapshot(const kube::Cached& object, std::vector<std::string>& values) {
  if (const std::string name = source_of(*object.shared_value()); !name.empty())
    values.push_back(std::string(object.ns()) + "/" + name);
}

class Snapshots final : public control::Reconciler {
 public:
  explicit Snapshots(const kube::Resource& groups) : groups_(groups) {}

  Result<Outcome> reconcile(control::Pass& pass) override {
    const kube::Cached object = pass.get(kube::kVolumeSnapshots, pass.key().ns, pass.key().name);
    if (!object) return Outcome::done();
    Seen seen{.snapshot = read_snapshot(object)};
    seen.now = pass.now();
    if (const kube::Cached content =
            pass.get(kube::kVolumeSnapshotContents, "", seen.snapshot.content_name()))
      seen.content = read_content(content);
    for (const kube::Cached& each : pass.list(kube::kVolumeSnapshotClasses, ""))
      seen.classes.push_back(read_snapshot_class(each, kDefaultSnapshotClass));
    look_at_claim(pass, seen);
    if (seen.snapshot.deleting) look_at_users(pass, seen);
    return plan(seen);
  }

 private:
  static void look_at_claim(control::Pass& pass, Seen& seen) {
    const Snapshot& snapshot = seen.snapshot;
    if (snapshot.claim.empty()) return;
    const kube::Cached claim = pass.get(kube::kClaims, snapshot.ns, snapshot.claim);
    if (!claim) return;
    seen.claim = read_claim(claim);
    seen.claim_guarded = control::has_finalizer(claim, kClaimSource);
    if (const kube::Cached volume = pass.get(kube::kVolumes, "", seen.claim->volume_name))
      seen.volume = read_volume(volume);
    for (const kube::Cached& each :
         pass.find(kube::kVolumeSnapshots, kByClaim, snapshot.ns + "/" + snapshot.claim)) {
      const Snapshot other = read_snapshot(each);
      seen.claim_needed |= other.uid != snapshot.uid && !other.ready && !other.deleting;
    }
  }

  void look_at_users(control::Pass& pass, Seen& seen) const {
    const Snapshot& snapshot = seen.snapshot;
    for (const kube::Cached& each :
         pass.find(kube::kClaims, kBySnapshot, snapshot.ns + "/" + snapshot.name)) {
      const Claim claim = read_claim(each);
      if (claim.volume_name.empty() && !claim.deleting && !claim.provisioner().empty())
        seen.restoring = claim.name;
    }
    // Asked of the owner, not of the status: that of a member may not be written yet.
    for (const model::OwnerReference& owner : snapshot.object.meta().owners) {
      if (owner.kind != groups_.kind) continue;
      const kube::Cached group = pass.get(groups_, snapshot.ns, owner.name);
      seen.group_stays |= group && group.uid() == owner.uid && !group.being_deleted();
    }
  }

  const kube::Resource groups_;
};

control::Keys snapshot_of_content(const kube::Change& change) {
  const Content content = read_content(change.object());
  return {{content.ref_ns, content.ref_name}};
}

/// Snapshots of the claim, and the one that it is made of.
control::Keys snapshots_of_claim(const kube::Change& change, kube::Informers& informers) {
  control::Keys keys;
  const std::string ns(change.object().ns());
  if (const std::string source = source_of(*change.object().shared_value()); !source.empty())
    keys.push_back({ns, source});
  kube::Informer* snapshots = informers.covering(kube::kVolumeSnapshots, ns);
  if (snapshots == nullptr) return keys;
  for (const kube::Cached& each :
       snapshots->find(kByClaim, ns + "/" + std::string(change.object().name())))
    keys.push_back(kube::key_of(each));
  return keys;
}

control::Keys members_of_group(const kube::Change& change, kube::Informers& informers) {
  control::Keys keys;
  kube::Informer* snapshots = informers.covering(kube::kVolumeSnapshots, change.object().ns());
  if (snapshots == nullptr) return keys;
  for (const kube::Cached& each : snapshots->find(kube::kByController, change.object().uid()))
    if (each.ns() == change.object().ns()) keys.push_back(kube::key_of(each));
  return keys;
}

control::Keys snapshots_of_class(const kube::Change&, kube::Informers& informers) {
  control::Keys keys;
  kube::Informer* snapshots = informers.covering(kube::kVolumeSnapshots, "");
  if (snapshots == nullptr) return keys;
  for (const kube::Cached& each : snapshots->list())
    if (!read_snapshot(each).ready) keys.push_back(kube::key_of(each));
  return keys;
}

}  // namespace
}  // namespace snapshots

control::ControllerSpec snapshots_controller(const kube::GroupKinds& kinds) {
  return {
      .name = "snapshot-controller",
      .watches = {{.scope = {.resource = kube::kVolumeSnapshots},
                   .indexes = {{std::string(snapshots::kByClaim), snapshots::index_by_claim}}},
                  {.scope = {.resource = kube::kVolumeSnapshotContents},
                   .map = snapshots::snapshot_of_content},
                  {.scope = {.resource = kube::kVolumeSnapshotClasses},
                   .lookup = snapshots::snapshots_of_class},
                  {.scope = {.resource = kube::kClaims},
                   .lookup = snapshots::snapshots_of_claim,
                   .indexes = {{std::string(snapshots::kBySnapshot),
                                snapshots::index_by_snapshot}}},
                  {.scope = {.resource = kinds.snapshots}, .lookup = snapshots::members_of_group},
                  {.scope = {.resource = kube::kVolumes},
                   .map = [](const kube::Change&) { return control::Keys{}; }}},
      .make = [kinds] { return std::make_unique<snapshots::Snapshots>(kinds.snapshots); },
      .rights = {
          {std::string(kSnapshotGroup), {"volumesnapshots"}, {"patch"}},
          {std::string(kSnapshotGroup), {"volumesnapshots/status"}, {"patch"}},
          {std::string(kSnapshotGroup), {"volumesnapshotcontents"}, {"create", "patch", "delete"}},
          {"", {"persistentvolumeclaims"}, {"patch"}}}};
}

}  // namespace holdfast::volumes
