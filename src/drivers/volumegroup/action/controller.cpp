// The controller of VolumeGroupActions: looks, lets the plan decide, and does one thing.
#include <holdfast/control/sabotage.h>
#include <holdfast/kube/typed.h>
#include <holdfast/protect/cut/log_notes.h>
#include <holdfast/protect/cut/owed.h>
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

const kube::Resource& actions() { return kube::resource_of<VolumeGroupAction>(); }

class Acting final : public control::Reconciler {
 public:
  Acting(GroupSettings settings, protect::Outside outside)
      : settings_(std::move(settings)), outside_(std::move(outside)) {
    outside_.held.learn_from(protect::find_holders(outside_.client, actions(), outside_.clock));
  }

  Result<Outcome> reconcile(control::Pass& pass) override {
    const kube::Cached object = control::find_subject<VolumeGroupAction>(pass);
    if (!object) {
      outside_.held.release(owner_of(pass.key()));
      return Outcome::done();
    }
    ActionSeen seen = HF_TRY(observe_action(pass, object, outside_, settings_));
    if (control::sabotage().no_owed) seen.action.status.owed.clear();
    HF_TRY(hold_pods(pass.key(), seen));
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
    asked.resource = actions();
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

  /// Before the run has begun nothing is known: a cache may lag behind its window.
  Result<void> hold_pods(const kube::Key& key, ActionSeen& seen) {
    const VolumeGroupAction::Status& status = seen.action.status;
    if (!status.inputs || !status.state || *status.state == State::Pending) return {};
    const bool begins = status.state == State::Started && !seen.window;
    if (begins || !protect::pods_kept(*seen.object.shared_value(), seen.now).empty())
      seen.pods_busy = !HF_TRY(outside_.held.take(owner_of(key), status.inputs->pods));
    else
      outside_.held.release(owner_of(key));
    if (control::sabotage().no_holders) seen.pods_busy = false;
    return {};
  }
  static std::string owner_of(const kube::Key& key) { return protect::pod_owner(actions(), key); }

  static control::Metrics::Labels labels_of(const ActionSeen& seen) {
    return {{"namespace", seen.ns}, {"group", seen.action.spec.group}};
  }

  void check_log(control::Pass& pass, const ActionSeen& seen, control::Operation& asked) const {
    std::vector<protect::QuiesceTarget> targets = protect::log_checks(*seen.action.status.inputs);
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
  spec.refused_condition = control::kRefused;
  spec.watch(actions());
  const control::Mapper action_of = control::owner_marked(kActionMark);
  protect::watch_moves(spec, action_of);
  spec.watch(kube::resource_of<protect::BackupLocation>()).map = control::nobody;
  spec.watch(kube::kPods).map = action_of;
  spec.watch(kube::kClaims).map = action_of;
  spec.watch(kube::kVolumes).map = protect::handover::owner_of_available(kActionMark);
  spec.make = [settings, outside = std::move(outside)] {
    return std::make_unique<Acting>(settings, outside());
  };
  spec.rights = {
      {"longhorn.io", {"volumegroupactions", "volumegroupactions/status"}, {"patch"}},
      {"longhorn.io", {"volumegroups"}, {"get"}},
      {"apps", {"statefulsets", "deployments", "replicasets", "daemonsets"}, {"list"}},
      {"", {"pods"}, {"get", "list", "create", "delete"}},
      {"", {"pods/exec"}, {"create", "get"}},
      {"", {"serviceaccounts"}, {"impersonate"}},
      {"authorization.k8s.io", {"subjectaccessreviews"}, {"create"}},
      {"", {"persistentvolumeclaims"}, {"get", "list", "create", "patch", "delete"}},
      {"", {"persistentvolumes"}, {"get", "list", "patch"}},
      {"", {"namespaces"}, {"get"}},
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
