/// The snapshotter of volumes.holdfast.dev on one machine: cuts what contents ask for.
#include "contents/plan.h"
#include "known.h"
#include "words.h"

#include <fmt/format.h>

namespace holdfast::volumes {
namespace contents {
namespace {

using control::Outcome;

class Snapshotter final : public control::Reconciler {
 public:
  explicit Snapshotter(Local local) : local_(std::move(local)) {}

  Result<Outcome> reconcile(control::Pass& pass) override {
    const kube::Cached object = pass.get(kube::kVolumeSnapshotContents, "", pass.key().name);
    if (!object) return Outcome::done();
    Seen seen{.content = read_content(object)};
    HF_TRY(observe(pass, seen));
    Outcome outcome = plan(seen);
    if (outcome.asked().empty()) return outcome;
    const CutMember member = member_of(seen.content);
    if (outcome.asked() == kCut) seen.cut = cut(seen, member);
    if (outcome.asked() == kInspect) seen.cut = inspect(member);
    if (outcome.asked() == kRelease) seen.released = local_.store->release(member);
    return plan(seen);
  }

 private:
  Result<void> observe(control::Pass& pass, Seen& seen) const {
    const Content& content = seen.content;
    seen.node = local_.node;
    seen.now = pass.now();
    if (const kube::Cached volume = pass.get(kube::kVolumes, "", content.volume_handle)) {
      seen.volume = read_volume(volume);
      if (const kube::Cached claim =
              pass.get(kube::kClaims, seen.volume->claim_ns, seen.volume->claim_name);
          claim && claim.uid() == seen.volume->claim_uid)
        seen.claim = read_claim(claim);
    }
    if (content.ref_name.empty() || (content.ready && !content.deleting)) return ok();
    // A cut cannot be taken back and a release even less: no cache decides them.
    const kube::Reply<model::Value> live =
        pass.live(kube::kVolumeSnapshots, content.ref_ns, content.ref_name);
    if (!live && !live.error().not_found()) return live.error().error.copy();
    if (!live || model::string_at(*live, {"metadata", "uid"}) != content.ref_uid) return ok();
    seen.snapshot = read_snapshot(HF_TRY(kube::Cached::from_value(*live)));
    return ok();
  }

  Result<Cut> cut(const Seen& seen, const CutMember& member) const {
    const std::optional<VolumeFolder> folder = local_.store->volume_at(
        std::string(model::string_at(*seen.volume->value, {"spec", "local", "path"})));
    if (!folder || folder->name != member.volume)
      return Error(Fault::Invalid, fmt::format("the folder of volume {} is not one of this machine",
                                               member.volume));
    return local_.store->cut(member.cut, folder->ns,
                             {{member.volume, seen.volume->capacity.value()}});
  }

  Result<Cut> inspect(const CutMember& member) const {
    if (!local_.store->holds(member))
      return Error(Fault::NotFound,
                   fmt::format("there is no snapshot {} on node {}", member.handle(), local_.node));
    return local_.store->find_cut(member.cut);
  }

  const Local local_;
};

control::Keys content_of_snapshot(const kube::Change& change) {
  const Snapshot snapshot = read_snapshot(change.object());
  return {{"", snapshot.bound.empty() ? snapshot.content_name() : snapshot.bound}};
}

}  // namespace
}  // namespace contents

control::ControllerSpec contents_controller(const Local& local) {
  return {.name = std::string(kDriver) + "-snapshotter",
          .watches = {{.scope = {.resource = kube::kVolumeSnapshotContents}},
                      {.scope = {.resource = kube::kVolumeSnapshots},
                       .map = contents::content_of_snapshot},
                      {.scope = {.resource = kube::kVolumes},
                       .map = [](const kube::Change&) { return control::Keys{}; }},
                      {.scope = {.resource = kube::kClaims},
                       .map = [](const kube::Change&) { return control::Keys{}; }}},
          .make = [local] { return std::make_unique<contents::Snapshotter>(local); },
          .rights = {{std::string(kSnapshotGroup), {"volumesnapshotcontents"}, {"patch"}},
                     {std::string(kSnapshotGroup), {"volumesnapshotcontents/status"}, {"patch"}}},
          .workers = 4};
}

}  // namespace holdfast::volumes
