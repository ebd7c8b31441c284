// The controller of VolumeGroupActions: looks, lets the plan decide, and does one thing.
#include <holdfast/control/sabotage.h>
#include <holdfast/kube/typed.h>
#include <holdfast/protect/cut/records.h>
#include <holdfast/protect/cut/window_operations.h>
#include <holdfast/protect/use_move.h>

#include "action/objects.h"
#include "action/observe.h"
#include "action/plan.h"
#include "controllers.h"
#include "log/plan.h"

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

using namespace std::chrono_literals;
using control::Outcome;
using model::Value;

class Acting final : public control::Reconciler {
 public:
  Acting(GroupSettings settings, protect::Outside outside)
      : settings_(std::move(settings)), outside_(std::move(outside)) {}

  Result<Outcome> reconcile(control::Pass& pass) override {
    const kube::Cached object = control::find_subject<VolumeGroupAction>(pass);
    if (!object) {
      release_pods(pass.key());
      return Outcome::done();
    }
    ActionSeen seen = HF_TRY(observe_action(pass, object, outside_, settings_));
    if (control::sabotage().no_owed) seen.action.status.owed.clear();
    hold_pods(pass.key(), seen);
    if (seen.window)
      outside_.metrics.count("holdfast_volumegroup_unquiesce_owed",
                             "Pods whose post actions are still owed.", labels_of(seen),
                             double(seen.action.status.owed.size()));
    Outcome next = plan_action(seen, settings_);
    if (!next.asked().empty()) answer(pass, seen, std::get<control::Operation>(next.effect));
    return next;
  }

 private:
  void answer(control::Pass& pass, const ActionSeen& seen, control::Operation& asked) const {
    asked.resource = kube::resource_of<VolumeGroupAction>();
    asked.owner = seen.object;
    const Inputs& inputs = *seen.action.status.inputs;
    if (asked.name == "window")
      protect::set_window(asked,
                          {.quiesce = protect::quiesce_task(inputs),
                           .cuts = cut_objects(seen),
                           .limit = settings_.window_limit},
                          outside_, "holdfast_volumegroup", labels_of(seen));
    else if (asked.name == "release")
      protect::set_release(asked, pass, inputs, seen.action.status.owed, outside_,
                           settings_.window_limit);
    else
      check_log(pass, seen, asked);
  }

  void hold_pods(const kube::Key& key, ActionSeen& seen) {
    if (!needs_pods(seen)) return release_pods(key);
    seen.pods_busy = !outside_.held.take(key_owner(key), seen.action.status.inputs->pods);
  }
  void release_pods(const kube::Key& key) { outside_.held.release(key_owner(key)); }
  static std::string key_owner(const kube::Key& key) { return "volumegroupaction/" + key.text(); }

  static control::Metrics::Labels labels_of(const ActionSeen& seen) {
    return {{"namespace", seen.ns}, {"group", seen.action.spec.group}};
  }

  /// From before its window until nothing of it is left in the containers: a guard that was not
  /// sent home would let go of the lock of another run.
  static bool needs_pods(const ActionSeen& seen) {
    const VolumeGroupAction::Status& status = seen.action.status;
    if (!status.inputs || status.state != State::Started) return false;
    const bool well = seen.window_result && seen.window_result->reason.empty() &&
                      status.owed.empty() && !seen.release && !seen.window_result->lingering;
    return !well;
  }

  void check_log(control::Pass& pass, const ActionSeen& seen, control::Operation& asked) const {
    std::vector<protect::QuiesceTarget> targets = log_checks(seen.action.status);
    std::string failed = log_cut_error(seen);
    for (const protect::QuiesceTarget& each : targets)
      if (failed.empty() && !protect::still_there(pass, *seen.action.status.inputs, each))
        failed = fmt::format("pod {} is another one, or was started again", each.where.pod);
    asked.run = [targets = std::move(targets), cuts = log_cuts(seen), failed = std::move(failed),
                 outside = outside_]() -> Result<Value> {
      std::string error = failed;
      for (const protect::QuiesceTarget& each : targets)
        if (error.empty())
          error = protect::run_in_pod(each.before.front(), each.where, outside.exec, outside.clock);
      return Value(model::Object{{"cuts", cuts}, {"error", error}});
    };
  }

  const GroupSettings settings_;
  const protect::Outside outside_;
};

}  // namespace

control::ControllerSpec action_controller(const GroupSettings& settings,
                                          std::function<protect::Outside()> outside) {
  control::ControllerSpec spec;
  spec.name = "volumegroupaction-controller";
  spec.watch(kube::resource_of<VolumeGroupAction>());
  const control::Mapper action_of = control::owner_marked(kActionMark);
  protect::watch_moves(spec, action_of);
  spec.watch(kube::resource_of<protect::BackupLocation>()).map = control::nobody;
  spec.watch(kube::kPods).map = action_of;
  spec.watch(kube::kClaims).map = action_of;
  spec.watch(kube::kVolumes).map = control::nobody;
  spec.make = [settings, outside = std::move(outside)] {
    return std::make_unique<Acting>(settings, outside());
  };
  spec.rights = {
      {"longhorn.io", {"volumegroupactions", "volumegroupactions/status"}, {"patch"}},
      {"longhorn.io", {"volumegroups"}, {"get"}},
      {"apps", {"statefulsets", "deployments", "replicasets", "daemonsets"}, {"list"}},
      {"", {"pods"}, {"get", "list", "create", "delete"}},
      {"", {"pods/exec"}, {"create", "get"}},
      {"", {"serviceaccounts", "users", "groups"}, {"impersonate"}},
      {"authorization.k8s.io", {"subjectaccessreviews"}, {"create"}},
      {"", {"persistentvolumeclaims"}, {"get", "create", "patch", "delete"}},
      {"", {"persistentvolumes"}, {"get", "patch"}},
      {"holdfast.dev", {"datamoves"}, {"create", "delete"}},
      {"snapshot.storage.k8s.io", {"volumesnapshots"}, {"create", "get", "list", "delete"}},
      {"snapshot.storage.k8s.io", {"volumesnapshotcontents"}, {"get"}},
      {"snapshot.storage.k8s.io", {"volumesnapshotclasses"}, {"list"}},
      {"groupsnapshot.storage.k8s.io", {"volumegroupsnapshots"}, {"create", "get", "delete"}},
      {"groupsnapshot.storage.k8s.io", {"volumegroupsnapshotcontents"}, {"get"}},
      {"groupsnapshot.storage.k8s.io", {"volumegroupsnapshotclasses"}, {"list"}}};
  spec.workers = 4;
  spec.longest_operation = settings.window_limit;
  return spec;
}

}  // namespace holdfast::drivers::volumegroup
