// The controller of DataMoves: looks, lets plan_move decide, and does one thing.
#include "moves/controller.h"

#include <holdfast/kube/typed.h>
#include <holdfast/protect/repository.h>
#include <holdfast/protect/use_move.h>

#include "leftovers/orphans.h"
#include "moves/observe.h"
#include "queue/queue.h"

#include <fmt/format.h>

namespace holdfast::protect {
namespace {

using control::Outcome;
using model::string_at;

class Moving final : public control::Reconciler {
 public:
  explicit Moving(MoverSettings settings) : settings_(std::move(settings)) {}

  Result<Outcome> reconcile(control::Pass& pass) override {
    const kube::Cached object = control::find_subject<DataMove>(pass);
    if (auto step = HF_TRY(clear_orphans(pass, object ? object.uid() : std::string_view())))
      return *std::move(step);
    if (!object) return Outcome::done();
    return plan_move(HF_TRY(observe_move(pass, object, settings_)), settings_);
  }

 private:
  const MoverSettings settings_;
};

/// All moves: a location has changed.
control::Lookup all_moves() {
  return [](const kube::Change&, kube::Informers& informers) {
    control::Keys keys;
    if (const kube::Informer* moves = informers.covering(kube::resource_of<DataMove>(), ""))
      for (const kube::Cached& move : moves->list()) keys.push_back(kube::key_of(move));
    return keys;
  };
}

/// The move of a mover, in whichever namespace it runs.
control::Keys move_of(const kube::Change& change) {
  control::Keys keys = control::controlling_owner(kube::resource_of<DataMove>())(change);
  return keys.empty() ? control::owner_marked(kMoverElsewhere)(change) : keys;
}

/// The move of a Mover; and when that has gone, those whose turn it is.
control::Lookup move_and_next(const MoverSettings& settings) {
  return [settings](const kube::Change& change, kube::Informers& informers) {
    control::Keys keys = control::owner_marked(kMoverElsewhere)(change);
    const kube::Informer* moves = informers.covering(kube::resource_of<DataMove>(), "");
    const kube::Informer* movers = informers.covering(kube::resource_of<Mover>(), "");
    const kube::Informer* locations = informers.covering(kube::resource_of<BackupLocation>(), "");
    if (change.kind != kube::Change::Kind::Deleted || moves == nullptr || movers == nullptr ||
        locations == nullptr)
      return keys;
    const std::string ns(change.object().ns());
    const auto value = change.object().shared_value();
    const std::string name(string_at(*value, {"spec", "location"}));
    const kube::Cached found = locations->get(ns, name);
    const auto location = found ? model::decode_object<BackupLocation>(*found.shared_value())
                                : Result<BackupLocation>(BackupLocation());
    if (!location) return keys;
    const LocationSeen seen{ns, name, "", *location, 0};
    for (kube::Key& each :
         may_begin(queue_of(seen, movers->list(ns),
                            moves->find(kByLocation, fmt::format("{}/{}", ns, name)), settings)))
      keys.push_back(std::move(each));
    return keys;
  };
}

}  // namespace

control::ControllerSpec move_controller(const MoverSettings& settings) {
  control::ControllerSpec spec;
  spec.name = "datamove-controller";
  spec.refused_condition = control::kRefused;
  control::Watch& moves = spec.watch(kube::resource_of<DataMove>());
  moves.when = beyond_progress;
  moves.indexes.emplace_back(kByLocation, by_location());
  control::Watch& movers = spec.watch(kube::resource_of<Mover>());
  movers.lookup = move_and_next(settings);
  movers.indexes.emplace_back(kByMoveName, by_move_name());
  control::Watch& pods = spec.watch(kube::kPods);
  pods.map = move_of;
  pods.indexes.emplace_back(kByMove, control::by_owner(kMoveMark));
  control::Watch& locations = spec.watch(kube::resource_of<BackupLocation>());
  locations.lookup = all_moves();
  // Its status is written every minute.
  locations.when = control::generation_changed();
  control::Watch& repositories = spec.watch(kube::resource_of<Repository>());
  repositories.map = control::nobody;
  repositories.indexes.emplace_back(kByPlace, by_place());
  for (const kube::Resource& resource :
       {kube::kServiceAccounts, kube::kRoles, kube::kRoleBindings, kube::kStorageClasses})
    spec.watch(resource).map = control::nobody;
  control::Watch& volumes = spec.watch(kube::kVolumes);
  volumes.scope.label_selector = kMoveLabel;
  volumes.map = control::nobody;
  volumes.indexes.emplace_back(kByMove, control::by_owner(kMoveMark));
  spec.make = [settings] { return std::make_unique<Moving>(settings); };
  spec.rights = {{"holdfast.dev", {"datamoves", "datamoves/status"}, {"patch"}},
                 {"holdfast.dev", {"datamoves/finalizers", "movers/finalizers"}, {"update"}},
                 // What movers are given, one by one, must be held by who gives it.
                 {"holdfast.dev", {"movers"}, {"create", "delete", "get", "patch"}},
                 {"holdfast.dev", {"movers/status"}, {"patch"}},
                 {"", {"pods"}, {"create", "delete", "get"}},
                 {"", {"persistentvolumeclaims"}, {"create", "delete", "get", "list"}},
                 {"", {"pods/exec"}, {"create", "get"}},
                 {"", {"serviceaccounts"}, {"create"}},
                 {"", {"persistentvolumes"}, {"get", "list", "patch"}},
                 {"snapshot.storage.k8s.io",
                  {"volumesnapshots", "volumesnapshotcontents"},
                  {"create", "delete", "get", "list"}},
                 {"rbac.authorization.k8s.io", {"roles", "rolebindings"}, {"create", "delete"}}};
  spec.workers = 2;
  return spec;
}

}  // namespace holdfast::protect
