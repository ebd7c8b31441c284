/// replicaset-controller: as many pods of a template as asked for.
#include "known.h"
#include "pods/claim.h"
#include "pods/template.h"
#include "replicaset/observe.h"

namespace holdfast::workloads {
namespace replicaset {
namespace {

using control::Note;
using control::Outcome;

Outcome create_pod(const Seen& seen, const std::string& name) {
  control::Write write = control::create(
      kube::kPods,
      pod_from_template(seen.set.pod_template, seen.set.meta.ns, name,
                        pod_prefix(seen.set.meta.name),
                        control::controller_reference(kube::kReplicaSets, seen.set.object)));
  write.note = Note{false, "SuccessfulCreate", "Created pod: " + name, "Create"};
  write.refused = Note{true, "FailedCreate", "Error creating", "Create"};
  return Outcome::act(std::move(write));
}

Outcome delete_pod(const Pod& pod) {
  control::Write write = control::remove(kube::kPods, pod.object);
  write.note = Note{false, "SuccessfulDelete", "Deleted pod: " + pod.meta.name, "Delete"};
  write.refused = Note{true, "FailedDelete", "Error deleting", "Delete"};
  return Outcome::act(std::move(write));
}

Outcome report(const ReplicaSet& set, const ReplicaSetStatus& status) {
  model::Value changed = set.object.value();
  model::ensure_object(changed, {})["status"] = to_value(status);
  return Outcome::act(control::update_status(kube::kReplicaSets, set.object, std::move(changed)));
}

Outcome nothing(const Step& step) {
  if (!step.again) return Outcome::done();
  const auto again = std::chrono::ceil<std::chrono::milliseconds>(*step.again);
  return Outcome::wait(again, "AwaitingAvailability", "ready pods are not yet available");
}

class ReplicaSetReconciler final : public control::Reconciler {
 public:
  Result<Outcome> reconcile(control::Pass& pass) override {
    const std::optional<Seen> seen = observe(pass);
    if (!seen) return Outcome::done();
    const Step step = plan(*seen);
    switch (step.what) {
      case Step::Do::Adopt:
        HF_TRY(may_adopt(pass, kube::kReplicaSets, seen->set.object));
        return Outcome::act(
            adopt(kube::kReplicaSets, seen->set.object, kube::kPods, step.pod.object));
      case Step::Do::Release:
        return Outcome::act(release(seen->set.meta.uid, kube::kPods, step.pod.object));
      case Step::Do::Create:
        return create_pod(*seen, step.name);
      case Step::Do::Delete:
        return delete_pod(step.pod);
      case Step::Do::Report:
        return report(seen->set, step.status);
      case Step::Do::Nothing:
        break;
    }
    return nothing(step);
  }
};

}  // namespace
}  // namespace replicaset

control::ControllerSpec replicaset_controller() {
  control::ControllerSpec spec;
  spec.name = "replicaset-controller";
  control::Watch sets;
  sets.scope.resource = kube::kReplicaSets;
  control::Watch pods;
  pods.scope.resource = kube::kPods;
  pods.lookup = owner_or_selecting(kube::kReplicaSets);
  pods.indexes = {{std::string(kOrphans), index_orphans}};
  spec.watches = {std::move(sets), std::move(pods)};
  spec.make = [] { return std::make_unique<replicaset::ReplicaSetReconciler>(); };
  spec.workers = 2;
  return spec;
}

}  // namespace holdfast::workloads
