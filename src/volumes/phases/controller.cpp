/// persistentvolume-phase-controller: the volumes' half of kube-controller-manager's binder.
#include "known.h"
#include "phases/plan.h"

namespace holdfast::volumes {
namespace phases {
namespace {

using control::Outcome;

class Volumes final : public control::Reconciler {
 public:
  Result<Outcome> reconcile(control::Pass& pass) override {
    const kube::Cached object = pass.get(kube::kVolumes, "", pass.key().name);
    if (!object) return Outcome::done();
    Seen seen{.volume = read_volume(object)};
    if (!seen.volume.claim_uid.empty()) HF_TRY(look_at_claim(pass, seen));
    return plan(seen);
  }

 private:
  static Result<void> look_at_claim(control::Pass& pass, Seen& seen) {
    const Volume& volume = seen.volume;
    const kube::Cached cached = pass.get(kube::kClaims, volume.claim_ns, volume.claim_name);
    if (cached && cached.uid() == volume.claim_uid) {
      seen.claim = read_claim(cached);
      return ok();
    }
    if (volume.phase == "Released" || volume.phase == "Failed") return ok();
    const kube::Reply<model::Value> live =
        pass.live(kube::kClaims, volume.claim_ns, volume.claim_name);
    if (live && model::string_at(*live, {"metadata", "uid"}) == volume.claim_uid)
      return Error(Fault::Unavailable, "claim " + volume.claim_ns + "/" + volume.claim_name +
                                           " is not yet in the cache");
    if (!live && !live.error().not_found()) return live.error().error.copy();
    return ok();
  }
};

constexpr std::string_view kByClaim = "claim-uid";

void index_by_claim(const kube::Cached& object, std::vector<std::string>& values) {
  const Volume volume = read_volume(object);
  if (!volume.claim_uid.empty()) values.push_back(volume.claim_uid);
}

/// The volume that the claim names, and those that name it: a claim that chose another leaves them.
control::Keys claimed_volumes(const kube::Change& change, kube::Informers& informers) {
  control::Keys keys;
  const Claim claim = read_claim(change.object());
  if (!claim.volume_name.empty()) keys.push_back({"", claim.volume_name});
  kube::Informer* volumes = informers.covering(kube::kVolumes, "");
  if (volumes == nullptr) return keys;
  for (const kube::Cached& volume : volumes->find(kByClaim, claim.uid))
    if (volume.name() != claim.volume_name) keys.push_back(kube::key_of(volume));
  return keys;
}

}  // namespace
}  // namespace phases

control::ControllerSpec phases_controller() {
  return {.name = "persistentvolume-phase-controller",
          .watches = {{.scope = {.resource = kube::kVolumes},
                       .indexes = {{std::string(phases::kByClaim), phases::index_by_claim}}},
                      {.scope = {.resource = kube::kClaims}, .lookup = phases::claimed_volumes}},
          .make = [] { return std::make_unique<phases::Volumes>(); }};
}

}  // namespace holdfast::volumes
