/// persistentvolume-binder-controller: claims and volumes find each other.
#include "binding/plan.h"
#include "known.h"
#include "words.h"

namespace holdfast::volumes {
namespace binding {
namespace {

using control::Outcome;

bool is_default(const kube::Cached& storage_class) {
  return model::string_at(*storage_class.shared_value(),
                          {"metadata", "annotations", kDefaultClass}) == "true";
}

/// Of several the newest, then the first by name, as admission has it.
std::string default_class(control::Pass& pass) {
  std::string name, created;
  for (const kube::Cached& each : pass.list(kube::kStorageClasses, "")) {
    const std::string_view since =
        model::string_at(*each.shared_value(), {"metadata", "creationTimestamp"});
    if (!is_default(each) || (!name.empty() && since <= created)) continue;
    name = each.name();
    created = since;
  }
  return name;
}

class Claims final : public control::Reconciler {
 public:
  Result<Outcome> reconcile(control::Pass& pass) override {
    const kube::Cached object = pass.get(kube::kClaims, pass.key().ns, pass.key().name);
    if (!object) return Outcome::done();
    Seen seen{.claim = read_claim(object)};
    const Claim& claim = seen.claim;
    if (const kube::Cached named = pass.get(kube::kStorageClasses, "", claim.class_name))
      seen.storage_class = read_class(named);
    if (!claim.volume_name.empty()) {
      HF_TRY(look_at_named(pass, seen));
      return plan(seen);
    }
    seen.default_class = default_class(pass);
    for (const kube::Cached& volume : pass.list(kube::kVolumes, ""))
      seen.volumes.push_back(read_volume(volume));
    return plan(seen);
  }

 private:
  /// A bound claim whose volume is gone is lost for good: the server is asked, not the cache.
  static Result<void> look_at_named(control::Pass& pass, Seen& seen) {
    const std::string& name = seen.claim.volume_name;
    if (const kube::Cached volume = pass.get(kube::kVolumes, "", name)) {
      seen.named = read_volume(volume);
      return ok();
    }
    kube::Reply<model::Value> live = pass.live(kube::kVolumes, "", name);
    if (live) return Error(Fault::Unavailable, "volume " + name + " is not yet in the cache");
    if (!live.error().not_found()) return live.error().error.copy();
    return ok();
  }
};

bool unbound(const kube::Cached& claim) {
  return model::string_at(*claim.shared_value(), {"spec", "volumeName"}).empty();
}

/// Unbound claims of a class: a new volume, or the class itself, may be what they wait for.
void add_waiting(control::Keys& keys, kube::Informers& informers, std::string_view class_name) {
  kube::Informer* claims = informers.covering(kube::kClaims, "");
  if (claims == nullptr) return;
  for (const kube::Cached& claim : claims->list())
    if (unbound(claim) && read_claim(claim).class_name == class_name)
      keys.push_back(kube::key_of(claim));
}

control::Keys claims_of_volume(const kube::Change& change, kube::Informers& informers) {
  control::Keys keys;
  const Volume volume = read_volume(change.object());
  if (volume.has_claim) keys.push_back({volume.claim_ns, volume.claim_name});
  if (change.before)
    if (const Volume before = read_volume(change.before); before.has_claim)
      keys.push_back({before.claim_ns, before.claim_name});
  if (!volume.has_claim && volume.phase == "Available")
    add_waiting(keys, informers, volume.class_name);
  return keys;
}

control::Keys claims_of_class(const kube::Change& change, kube::Informers& informers) {
  control::Keys keys;
  add_waiting(keys, informers, change.object().name());
  if (change.after && is_default(change.after)) add_waiting(keys, informers, "");
  return keys;
}

}  // namespace
}  // namespace binding

control::ControllerSpec binding_controller() {
  return {.name = "persistentvolume-binder-controller",
          .watches = {{.scope = {.resource = kube::kClaims}},
                      {.scope = {.resource = kube::kVolumes}, .lookup = binding::claims_of_volume},
                      {.scope = {.resource = kube::kStorageClasses},
                       .lookup = binding::claims_of_class}},
          .make = [] { return std::make_unique<binding::Claims>(); }};
}

}  // namespace holdfast::volumes
