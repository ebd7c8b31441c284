/// The provisioner of volumes.holdfast.dev on one machine: folders for claims, and their growth.
#include "known.h"
#include "provisioning/plan.h"
#include "words.h"

namespace holdfast::volumes {
namespace provisioning {
namespace {

using control::Outcome;

class Provisioner final : public control::Reconciler {
 public:
  explicit Provisioner(Local local) : local_(std::move(local)) {}

  Result<Outcome> reconcile(control::Pass& pass) override {
    const kube::Cached object = pass.get(kube::kClaims, pass.key().ns, pass.key().name);
    if (!object) return Outcome::done();
    Seen seen = observe(pass, object);
    Outcome outcome = plan(seen);
    if (outcome.asked() != kMakeFolder) return outcome;
    seen.made = make(seen);
    return plan(seen);
  }

 private:
  Seen observe(control::Pass& pass, const kube::Cached& object) const {
    Seen seen{.claim = read_claim(object)};
    const Claim& claim = seen.claim;
    if (const kube::Cached named = pass.get(kube::kStorageClasses, "", claim.class_name))
      seen.storage_class = read_class(named);
    const std::string name = claim.volume_name.empty() ? volume_name(claim) : claim.volume_name;
    if (const kube::Cached volume = pass.get(kube::kVolumes, "", name))
      seen.volume = read_volume(volume);
    seen.node = local_.node;
    seen.provider = local_.store->provider().name();
    seen.path = local_.store->path_of({claim.ns, volume_name(claim)});
    if (!seen.volume) seen.source = look_at_source(pass, claim, local_);
    return seen;
  }

  Result<void> make(const Seen& seen) const {
    const VolumeFolder folder{seen.claim.ns, volume_name(seen.claim)};
    switch (seen.source.kind) {
      case Source::Kind::Snapshot:
        return local_.store->restore(seen.source.snapshot, folder);
      case Source::Kind::Claim:
        return local_.store->clone(seen.source.claim, folder);
      case Source::Kind::None:
      case Source::Kind::Foreign:
        break;
    }
    return local_.store->make(folder);
  }

  const Local local_;
};

control::Keys claim_of_volume(const kube::Change& change) {
  const Volume volume = read_volume(change.object());
  if (!volume.has_claim) return {};
  return {{volume.claim_ns, volume.claim_name}};
}

control::Keys claims_of_class(const kube::Change& change, kube::Informers& informers) {
  control::Keys keys;
  kube::Informer* claims = informers.covering(kube::kClaims, "");
  if (claims == nullptr) return keys;
  for (const kube::Cached& each : claims->list())
    if (const Claim claim = read_claim(each);
        claim.volume_name.empty() && claim.class_name == change.object().name())
      keys.push_back(kube::key_of(each));
  return keys;
}

/// Claims that wait for the snapshot they are made of.
control::Keys claims_of_snapshot(const kube::Change& change, kube::Informers& informers) {
  control::Keys keys;
  kube::Informer* claims = informers.covering(kube::kClaims, change.object().ns());
  if (claims == nullptr) return keys;
  for (const kube::Cached& each : claims->list(change.object().ns())) {
    const Claim claim = read_claim(each);
    if (!claim.volume_name.empty()) continue;
    for (const char* field : {"dataSourceRef", "dataSource"})
      if (model::string_at(*claim.value, {"spec", field, "name"}) == change.object().name()) {
        keys.push_back(kube::key_of(each));
        break;
      }
  }
  return keys;
}

}  // namespace
}  // namespace provisioning

control::ControllerSpec provisioning_controller(const Local& local) {
  return {
      .name = std::string(kDriver) + "-provisioner",
      .watches = {{.scope = {.resource = kube::kClaims}},
                  {.scope = {.resource = kube::kVolumes}, .map = provisioning::claim_of_volume},
                  {.scope = {.resource = kube::kStorageClasses},
                   .lookup = provisioning::claims_of_class},
                  {.scope = {.resource = kube::kVolumeSnapshots},
                   .lookup = provisioning::claims_of_snapshot},
                  {.scope = {.resource = kube::kVolumeSnapshotContents}, .map = control::nobody}},
      .make = [local] { return std::make_unique<provisioning::Provisioner>(local); },
      .rights = {{"", {"persistentvolumes"}, {"create", "patch", "delete"}},
                 {"", {"persistentvolumeclaims/status"}, {"patch"}}},
      .workers = 4};
}

}  // namespace holdfast::volumes
