// The controller of DataMoves: looks, lets plan_move decide, and does one thing.
#include "moves/controller.h"

#include <holdfast/kube/typed.h>
#include <holdfast/protect/use_move.h>

#include "moves/observe.h"

namespace holdfast::protect {
namespace {

using control::Outcome;
using model::string_at;
using model::Value;

class Moving final : public control::Reconciler {
 public:
  explicit Moving(MoverSettings settings) : settings_(std::move(settings)) {}

  Result<Outcome> reconcile(control::Pass& pass) override {
    const kube::Cached object = control::find_subject<DataMove>(pass);
    if (!object) return Outcome::done();
    MoveSeen seen = HF_TRY(observe_move(pass, object, settings_));
    seen.missing = missing_account(pass, seen);
    return plan_move(seen, settings_);
  }

 private:
  static std::optional<std::pair<kube::Resource, Value>> missing_account(control::Pass& pass,
                                                                         const MoveSeen& seen) {
    for (const auto& [resource, object] : account_of(seen))
      if (!pass.get(resource, string_at(object, {"metadata", "namespace"}),
                    string_at(object, {"metadata", "name"})))
        return std::pair(resource, object);
    return std::nullopt;
  }

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

}  // namespace

control::ControllerSpec move_controller(const MoverSettings& settings) {
  control::ControllerSpec spec;
  spec.name = "datamove-controller";
  spec.refused_condition = control::kRefused;
  spec.watch(kube::resource_of<DataMove>()).when = beyond_progress;
  control::Watch& pods = spec.watch(kube::kPods);
  pods.map = move_of;
  pods.indexes.emplace_back(kByMove, control::by_owner(kMoveMark));
  control::Watch& locations = spec.watch(kube::resource_of<BackupLocation>());
  locations.lookup = all_moves();
  // Its status is written every minute.
  locations.when = control::generation_changed();
  for (const kube::Resource& resource :
       {kube::kServiceAccounts, kube::kRoles, kube::kRoleBindings, kube::kStorageClasses})
    spec.watch(resource).map = control::nobody;
  control::Watch& volumes = spec.watch(kube::kVolumes);
  volumes.scope.label_selector = kMoveLabel;
  volumes.map = control::nobody;
  volumes.indexes.emplace_back(kByMove, control::by_owner(kMoveMark));
  spec.make = [settings] { return std::make_unique<Moving>(settings); };
  spec.rights = {{"holdfast.dev", {"datamoves", "datamoves/status"}, {"patch"}},
                 {"holdfast.dev", {"datamoves/finalizers"}, {"update"}},
                 {"", {"pods", "persistentvolumeclaims"}, {"create", "delete", "get"}},
                 {"", {"pods/exec"}, {"create", "get"}},
                 {"", {"serviceaccounts"}, {"create"}},
                 {"", {"persistentvolumes"}, {"get", "list", "patch"}},
                 {"snapshot.storage.k8s.io",
                  {"volumesnapshots", "volumesnapshotcontents"},
                  {"create", "delete", "get"}},
                 {"rbac.authorization.k8s.io", {"roles", "rolebindings"}, {"create", "delete"}}};
  spec.workers = 2;
  return spec;
}

}  // namespace holdfast::protect
