// Protection controllers: take the protection finalizer from claims that no pod uses any more, and
// from volumes that are bound to no claim.
#include "controllers/known.h"
#include "controllers/queue.h"
#include "controllers/write_as.h"

#include <fmt/format.h>

namespace holdfast::apiserver {
namespace {

constexpr MonoTime kRetry = std::chrono::seconds(1);

bool has(const Stored& stored, std::string_view finalizer) {
  for (const std::string& each : stored.meta.finalizers)
    if (each == finalizer) return true;
  return false;
}

class Protection : public Controller {
 public:
  Protection(std::string resource, std::string finalizer)
      : resource_(std::move(resource)), finalizer_(std::move(finalizer)) {}

  void note(const Change& change) override {
    if (change.key.resource == resource_ && change.type != ChangeType::Deleted &&
        !change.object->meta.deletion_timestamp.empty())
      queue_.add(change.key);
  }

  void start(Api& api) override {
    for (const StoredPtr& stored : list_all(api.store, resource_))
      if (!stored->meta.deletion_timestamp.empty())
        queue_.add({resource_, stored->meta.ns, stored->meta.name});
  }

  bool step(Api& api) override {
    const std::optional<Key> key = queue_.take(api.clock.mono());
    if (!key) return false;
    const StoredPtr stored = api.store.get(*key);
    if (stored == nullptr || stored->meta.deletion_timestamp.empty() || !has(*stored, finalizer_))
      return true;
    if (in_use(api, *stored)) return true;
    const ResourcePtr resource = api.kinds.catalogue()->find("", "v1", resource_);
    const Answer<Written> written =
        remove_finalizer(api, write_as(name(), resource, *key), finalizer_);
    if (!written && written.error().code != 404) queue_.add_at(*key, api.clock.mono() + kRetry);
    return true;
  }

 protected:
  virtual bool in_use(const Api& api, const Stored& stored) const = 0;
  KeyQueue queue_;

 private:
  const std::string resource_, finalizer_;
};

/// The claim that a volume of a pod is, or that an ephemeral one has made for it; "" if neither.
std::string claim_of(const Value& pod, const Value& volume) {
  if (model::find(volume, {"ephemeral"}))
    return fmt::format("{}-{}", model::string_at(pod, {"metadata", "name"}),
                       model::string_at(volume, {"name"}));
  return std::string(model::string_at(volume, {"persistentVolumeClaim", "claimName"}));
}

/// Its node is done with it, or nobody waits for the node any more: only finalizers keep it.
bool is_shut_down(const Value& pod) {
  return !model::string_at(pod, {"metadata", "deletionTimestamp"}).empty() &&
         model::int_at(pod, {"metadata", "deletionGracePeriodSeconds"}, -1) == 0;
}

bool is_controlled_by(const Stored& claim, std::string_view uid) {
  for (const model::OwnerReference& owner : claim.meta.owners)
    if (owner.controller && owner.uid == uid) return true;
  return false;
}

/// kube-controller-manager's rule. A pod that has ended uses its claims like any other, until it is
/// gone: its node may not have unmounted them. One without a node uses none, as no node will start
/// it on a claim that is going.
bool uses(const Value& pod, const Stored& claim) {
  if (model::string_at(pod, {"spec", "nodeName"}).empty()) return false;
  for (const Value& volume : model::array_at(pod, {"spec", "volumes"})) {
    if (claim_of(pod, volume) != claim.meta.name) continue;
    if (!model::find(volume, {"ephemeral"})) return true;
    if (!is_shut_down(pod) && is_controlled_by(claim, model::string_at(pod, {"metadata", "uid"})))
      return true;
  }
  return false;
}

class ClaimProtection final : public Protection {
 public:
  ClaimProtection() : Protection("persistentvolumeclaims", "kubernetes.io/pvc-protection") {}
  std::string_view name() const override { return "persistentvolumeclaim-protection-controller"; }

  void note(const Change& change) override {
    Protection::note(change);
    if (change.key.resource != "pods" || change.type == ChangeType::Added) return;
    const Value pod = parse_stored(*change.object);
    for (const Value& volume : model::array_at(pod, {"spec", "volumes"}))
      if (std::string claim = claim_of(pod, volume); !claim.empty())
        queue_.add({"persistentvolumeclaims", change.key.ns, std::move(claim)});
  }

 protected:
  bool in_use(const Api& api, const Stored& stored) const override {
    for (const StoredPtr& pod : list_all(api.store, "pods", stored.meta.ns))
      if (uses(parse_stored(*pod), stored)) return true;
    return false;
  }
};

class VolumeProtection final : public Protection {
 public:
  VolumeProtection() : Protection("persistentvolumes", "kubernetes.io/pv-protection") {}
  std::string_view name() const override { return "persistentvolume-protection-controller"; }

 protected:
  bool in_use(const Api&, const Stored& stored) const override {
    return model::string_at(parse_stored(stored), {"status", "phase"}) == "Bound";
  }
};

}  // namespace

std::unique_ptr<Controller> make_claim_protection(const std::string&) {
  return std::make_unique<ClaimProtection>();
}
std::unique_ptr<Controller> make_volume_protection(const std::string&) {
  return std::make_unique<VolumeProtection>();
}

}  // namespace holdfast::apiserver
