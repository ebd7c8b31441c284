/// The deleter of volumes.holdfast.dev on one machine: a released volume's folder goes, then it.
#include "known.h"
#include "reclaiming/plan.h"
#include "words.h"

#include <fmt/format.h>

namespace holdfast::volumes {
namespace reclaiming {
namespace {

using control::Outcome;

class Deleter final : public control::Reconciler {
 public:
  explicit Deleter(Local local) : local_(std::move(local)) {}

  Result<Outcome> reconcile(control::Pass& pass) override {
    const kube::Cached object = pass.get(kube::kVolumes, "", pass.key().name);
    if (!object) return Outcome::done();
    Seen seen{.volume = read_volume(object), .node = local_.node};
    Outcome outcome = plan(seen);
    if (outcome.asked() != kRemoveFolder) return outcome;
    seen.removed = remove(seen.volume);
    return plan(seen);
  }

 private:
  /// Only what lies where this store would have put it: a path in an object is a wish.
  Result<void> remove(const Volume& volume) const {
    const fs::path path = std::string(model::string_at(*volume.value, {"spec", "local", "path"}));
    const std::optional<VolumeFolder> folder = local_.store->volume_at(path);
    if (!folder || folder->name != volume.name)
      return Error(Fault::Invalid,
                   fmt::format("{} is not the folder of a volume of this machine", path.string()));
    return local_.store->remove(*folder);
  }

  const Local local_;
};

}  // namespace
}  // namespace reclaiming

control::ControllerSpec reclaiming_controller(const Local& local) {
  return {.name = std::string(kDriver) + "-deleter",
          .watches = {{.scope = {.resource = kube::kVolumes}}},
          .make = [local] { return std::make_unique<reclaiming::Deleter>(local); },
          .rights = {{"", {"persistentvolumes"}, {"patch", "delete"}}},
          .workers = 2};
}

}  // namespace holdfast::volumes
