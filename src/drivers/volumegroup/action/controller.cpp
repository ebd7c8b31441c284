// The controller of VolumeGroupActions: looks, lets the plan decide, and does one thing.
#include <holdfast/base/mutex.h>
#include <holdfast/kube/typed.h>
#include <holdfast/protect/use_move.h>

#include "action/objects.h"
#include "action/observe.h"
#include "action/plan.h"
#include "controllers.h"
#include "log/plan.h"
#include "members/claims.h"

#include <fmt/format.h>

#include <map>

namespace holdfast::drivers::volumegroup {
namespace {

using namespace std::chrono_literals;
using control::Outcome;
using model::Value;

/// Which pod is held still by which action of this process, so that no two windows of a pod
/// overlap.
class BusyPods {
 public:
  /// False if another action has one of them; otherwise all are this one's.
  bool take(const std::string& action, const std::vector<PodRecord>& pods) {
    const Lock lock(mutex_);
    for (const PodRecord& pod : pods)
      if (const auto found = holder_.find(pod.uid);
          found != holder_.end() && found->second != action)
        return false;
    for (const PodRecord& pod : pods) holder_[pod.uid] = action;
    return true;
  }
  void release(const std::string& action) {
    const Lock lock(mutex_);
    std::erase_if(holder_, [&](const auto& each) { return each.second == action; });
  }

 private:
  Mutex mutex_;
  std::map<std::string, std::string> holder_ HF_GUARDED_BY(mutex_);
};

class Acting final : public control::Reconciler {
 public:
  Acting(GroupSettings settings, Surroundings around)
      : settings_(std::move(settings)), around_(std::move(around)) {}

  Result<Outcome> reconcile(control::Pass& pass) override {
    const kube::Cached object =
        pass.get(kube::resource_of<VolumeGroupAction>(), pass.key().ns, pass.key().name);
    if (!object) {
      busy_.release(pass.key().text());
      return Outcome::done();
    }
    Result<ActionSeen> observed = observe_action(pass, object, around_, settings_);
    if (!observed && observed.error().fault() == Fault::Invalid)
      return Outcome::stop("Undecodable", observed.error().what());
    if (!observed) return observed.take_error();
    ActionSeen& seen = *observed;
    if (needs_pods(seen))
      seen.pods_busy = !busy_.take(pass.key().text(), seen.action.status.frozen->pods);
    else
      busy_.release(pass.key().text());
    if (seen.window)
      around_.metrics.count("holdfast_volumegroup_unquiesce_owed",
                            "Pods whose post actions are still owed.", labels_of(seen),
                            double(seen.action.status.owed.size()));
    Decision decision = plan_action(seen, settings_);
    switch (decision.what) {
      case Decision::Do::Nothing:
        return std::move(decision.outcome);
      case Decision::Do::Window:
        return Outcome::act(window(seen));
      case Decision::Do::Release:
        return Outcome::act(release(pass, seen, decision.attempt));
      case Decision::Do::CheckLog:
        return Outcome::act(check_log(pass, seen, decision.attempt));
    }
    return Outcome::done();
  }

 private:
  control::Operation operation(const ActionSeen& seen, std::string name) const {
    control::Operation out;
    out.name = std::move(name);
    out.resource = kube::resource_of<VolumeGroupAction>();
    out.owner = seen.object;
    return out;
  }

  static control::Metrics::Labels labels_of(const ActionSeen& seen) {
    return {{"namespace", seen.ns}, {"group", seen.action.spec.group}};
  }

  static void tell(control::Metrics& metrics, const control::Metrics::Labels& labels,
                   const WindowResult& result) {
    using std::chrono::microseconds;
    if (!result.quiesced) return;
    metrics.took("holdfast_volumegroup_quiesce_acquire_seconds",
                 "From the first command to the last lock of a group.", labels,
                 microseconds(result.acquire_micros));
    metrics.took("holdfast_volumegroup_freeze_window_seconds",
                 "From the first lock to the last release of a group.", labels,
                 microseconds(result.window_micros));
    if (result.reason.empty())
      metrics.took("holdfast_volumegroup_cut_skew_seconds",
                   "Between the first cut and the last that was seen.", labels,
                   microseconds(result.skew_micros));
  }

  /// From before its window until nothing of it is left in the containers: a guard that was not
  /// sent home would let go of the lock of another run.
  static bool needs_pods(const ActionSeen& seen) {
    const VolumeGroupAction::Status& status = seen.action.status;
    if (!status.frozen || status.state != State::Started) return false;
    const bool well = seen.window_result && seen.window_result->reason.empty() &&
                      status.owed.empty() && !seen.release && !seen.window_result->lingering;
    return !well;
  }

  /// Begun once: what an operator that died in it left is let go by what stands in the containers,
  /// and the run ends.
  control::Operation window(const ActionSeen& seen) const {
    control::Operation out = operation(seen, "window");
    out.idempotent = false;
    out.limit = settings_.window_limit;
    WindowTask task{.quiesce = quiesce_task(*seen.action.status.frozen),
                    .cuts = cut_objects(seen),
                    .limit = settings_.window_limit};
    out.run = [task = std::move(task), around = around_,
               labels = labels_of(seen)]() -> Result<Value> {
      const WindowResult result = run_window(task, around);
      tell(around.metrics, labels, result);
      Value value;
      model::field_type<WindowResult>().encode(&result, value);
      return value;
    };
    return out;
  }

  /// Whether the container is still the one that was made to hold still.
  static bool still_there(control::Pass& pass, const Frozen& frozen,
                          const protect::QuiesceTarget& target) {
    const auto found = pass.live(kube::kPods, frozen.ns, target.where.pod);
    if (!found) return !found.error().not_found();
    const kube::Cached pod = kube::Cached::from_value(*found).take();
    for (const PodRecord& each : frozen.pods) {
      if (each.name != target.where.pod) continue;
      if (each.uid != pod.uid()) return false;
      const std::string id = pod_record(pod, each.container).container_id;
      return target.where.container != each.container || id == each.container_id;
    }
    return true;
  }

  control::Operation release(control::Pass& pass, const ActionSeen& seen, int64_t attempt) const {
    control::Operation out = operation(seen, "release");
    out.attempt = attempt;
    std::vector<protect::QuiesceTarget> targets;
    for (protect::QuiesceTarget& each : owed_targets(seen.action.status))
      if (still_there(pass, *seen.action.status.frozen, each)) targets.push_back(std::move(each));
    out.run = [targets = std::move(targets), around = around_]() -> Result<Value> {
      const std::vector<protect::Owed> left =
          protect::release_owed(targets, around.exec, around.clock);
      Value value;
      model::field_type<std::vector<protect::Owed>>().encode(&left, value);
      return value;
    };
    return out;
  }

  control::Operation check_log(control::Pass& pass, const ActionSeen& seen, int64_t attempt) const {
    control::Operation out = operation(seen, "log");
    out.attempt = attempt;
    std::vector<protect::QuiesceTarget> targets = log_checks(seen.action.status);
    std::string failed = log_cut_error(seen);
    for (const protect::QuiesceTarget& each : targets)
      if (failed.empty() && !still_there(pass, *seen.action.status.frozen, each))
        failed = fmt::format("pod {} is another one, or was started again", each.where.pod);
    out.run = [targets = std::move(targets), cuts = log_cuts(seen), failed = std::move(failed),
               around = around_]() -> Result<Value> {
      std::string error = failed;
      for (const protect::QuiesceTarget& each : targets)
        if (error.empty())
          error = protect::run_in_pod(each.before.front(), each.where, around.exec, around.clock);
      return Value(model::Object{{"cuts", cuts}, {"error", error}});
    };
    return out;
  }

  const GroupSettings settings_;
  const Surroundings around_;
  BusyPods busy_{};
};

}  // namespace

control::ControllerSpec action_controller(const GroupSettings& settings,
                                          std::function<Surroundings()> around) {
  control::ControllerSpec spec;
  spec.name = "volumegroupaction-controller";
  spec.watch(kube::resource_of<VolumeGroupAction>());
  const control::Mapper action_of = control::owner_marked(kActionMark);
  control::Watch& moves = spec.watch(kube::resource_of<protect::DataMove>());
  moves.map = action_of;
  moves.when = protect::beyond_progress;
  spec.watch(kube::resource_of<protect::BackupLocation>()).map = control::nobody;
  spec.watch(kube::kPods).map = action_of;
  spec.watch(kube::kClaims).map = action_of;
  for (const kube::Resource& resource :
       {kube::kVolumes, kube::kStatefulSets, kube::kDeployments, kube::kReplicaSets, kDaemonSets})
    spec.watch(resource).map = control::nobody;
  spec.make = [settings, around = std::move(around)] {
    return std::make_unique<Acting>(settings, around());
  };
  spec.rights = {
      {"longhorn.io", {"volumegroupactions", "volumegroupactions/status"}, {"patch"}},
      {"longhorn.io", {"volumegroups"}, {"get"}},
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
  return spec;
}

}  // namespace holdfast::drivers::volumegroup
