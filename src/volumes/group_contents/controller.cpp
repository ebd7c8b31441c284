/// The group snapshotter of volumes.holdfast.dev on one machine.
#include "group_contents/plan.h"
#include "known.h"
#include "words.h"

namespace holdfast::volumes {
namespace group_contents {
namespace {

using control::Outcome;

class GroupSnapshotter final : public control::Reconciler {
 public:
  explicit GroupSnapshotter(Local local) : local_(std::move(local)) {}

  Result<Outcome> reconcile(control::Pass& pass) override {
    const kube::Cached object = pass.get(local_.kinds.contents, "", pass.key().name);
    if (!object) return Outcome::done();
    Seen seen{.content = read_group_content(object, local_.kinds)};
    HF_TRY(observe(pass, seen));
    Outcome outcome = plan(seen);
    if (outcome.asked().empty()) return outcome;
    const Target target = target_of(seen);
    if (outcome.asked() == kCut) seen.cut = local_.store->cut(target.cut, target.ns, target.sizes);
    if (outcome.asked() == kInspect) seen.cut = local_.store->find_cut(target.cut);
    if (outcome.asked() == kRelease) seen.released = release(target.cut);
    return plan(seen);
  }

 private:
  Result<void> observe(control::Pass& pass, Seen& seen) const {
    const GroupContent& content = seen.content;
    seen.node = local_.node;
    seen.provider = local_.store->provider().name();
    seen.cuts_groups = local_.store->provider().cuts_groups();
    seen.now = pass.now();
    for (const std::string& handle : content.volumes)
      if (const kube::Cached volume = pass.get(kube::kVolumes, "", handle))
        seen.sources.emplace(handle, source_of(pass, read_volume(volume)));
    if (content.ref_name.empty() || (content.ready && !content.deleting)) return ok();
    // A cut cannot be taken back and a release even less: no cache decides them.
    const kube::Reply<model::Value> live =
        pass.live(local_.kinds.snapshots, content.ref_ns, content.ref_name);
    if (!live && !live.error().not_found()) return live.error().error.copy();
    if (!live || model::string_at(*live, {"metadata", "uid"}) != content.ref_uid) return ok();
    seen.group = read_group(HF_TRY(kube::Cached::from_value(*live)), local_.kinds);
    return ok();
  }

  Source source_of(control::Pass& pass, Volume volume) const {
    Source source{.volume = std::move(volume)};
    const Volume& of = source.volume;
    if (of.annotation(kProvisionedBy) == kDriver && of.reachable_from(local_.node))
      source.folder = local_.store->volume_at(
          std::string(model::string_at(*of.value, {"spec", "local", "path"})));
    const kube::Cached claim = pass.get(kube::kClaims, of.claim_ns, of.claim_name);
    source.claim_going = !claim || claim.being_deleted();
    return source;
  }

  /// Members that are left: those of snapshots that were made have released theirs already.
  Result<void> release(const std::string& id) const {
    const Result<Cut> cut = local_.store->find_cut(id);
    if (!cut && cut.error().fault() == Fault::NotFound) return ok();
    if (!cut) return cut.error().copy();
    for (const auto& [volume, size] : cut->sizes) HF_TRY(local_.store->release({id, volume}));
    return ok();
  }

  const Local local_;
};

control::Keys content_of_group(const kube::Change& change) {
  return {{"", read_group(change.object()).content_name()}};
}

}  // namespace
}  // namespace group_contents

control::ControllerSpec group_contents_controller(const Local& local) {
  const std::string group(kGroupSnapshotGroup);
  return {.name = std::string(kDriver) + "-group-snapshotter",
          .watches = {{.scope = {.resource = local.kinds.contents}},
                      {.scope = {.resource = local.kinds.snapshots},
                       .map = group_contents::content_of_group},
                      {.scope = {.resource = kube::kVolumes}, .map = control::nobody},
                      {.scope = {.resource = kube::kClaims}, .map = control::nobody}},
          .make = [local] { return std::make_unique<group_contents::GroupSnapshotter>(local); },
          .rights = {{group,
                      {"volumegroupsnapshotcontents", "volumegroupsnapshotcontents/status"},
                      {"patch"}}},
          .workers = 2};
}

}  // namespace holdfast::volumes
