/// The deleter of volumes.holdfast.dev on one machine: a released volume's folder goes, then it.
#include "known.h"
#include "reclaiming/plan.h"
#include "words.h"

#include <fmt/format.h>

namespace holdfast::volumes {
namespace reclaiming {
namespace {

using namespace std::chrono_literals;
using control::Outcome;

constexpr auto kAgain = 15s;

class Deleter final : public control::Reconciler {
 public:
  explicit Deleter(Local local) : local_(std::move(local)) {}

  Result<Outcome> reconcile(control::Pass& pass) override {
    const kube::Cached object = pass.get(kube::kVolumes, "", pass.key().name);
    if (!object) return Outcome::done();
    const Seen seen{.volume = read_volume(object), .node = local_.node};
    Step step = plan(seen);
    if (!step.remove) return std::move(step.outcome);
    const Result<void> removed = remove(seen.volume);
    if (removed) return std::move(step.outcome);
    Outcome again = Outcome::wait(kAgain, "VolumeFailedDelete", removed.error().what());
    again.notes = {{.warning = true,
                    .reason = "VolumeFailedDelete",
                    .message = removed.error().what(),
                    .action = "Deleting"}};
    return again;
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
