/// deployment-controller: one ReplicaSet per template; the current one grows as the old ones
/// shrink.
#include "deployment/observe.h"
#include "known.h"
#include "pods/claim.h"

namespace holdfast::workloads {
namespace deployment {
namespace {

using control::Outcome;

class DeploymentReconciler final : public control::Reconciler {
 public:
  Result<Outcome> reconcile(control::Pass& pass) override {
    std::optional<Seen> seen = observe(pass);
    if (!seen) return Outcome::done();
    Outcome next = plan(*seen);
    if (next.asked() != kMayAdopt) return next;
    HF_TRY(may_adopt(pass, kube::kDeployments, seen->wanted.object));
    seen->may_adopt = true;
    return plan(*seen);
  }
};

/// The Deployment of a pod that is gone or has ended: Recreate waits for the last one.
control::Keys deployment_of_pod(const kube::Change& change, kube::Informers& informers) {
  control::Keys keys;
  const model::Meta pod = change.object().meta();
  const kube::Informer* sets = informers.covering(kube::kReplicaSets, pod.ns);
  for (const model::OwnerReference& owner : pod.owners) {
    if (!owner.controller || owner.kind != kube::kReplicaSets.kind || sets == nullptr) continue;
    const kube::Cached set = sets->get(pod.ns, owner.name);
    if (!set || set.uid() != owner.uid) continue;
    for (const model::OwnerReference& above : set.meta().owners)
      if (above.controller && above.kind == kube::kDeployments.kind)
        keys.push_back({pod.ns, above.name});
  }
  return keys;
}

}  // namespace
}  // namespace deployment

control::ControllerSpec deployment_controller() {
  control::ControllerSpec spec;
  spec.name = "deployment-controller";
  control::Watch deployments;
  deployments.scope.resource = kube::kDeployments;
  control::Watch sets;
  sets.scope.resource = kube::kReplicaSets;
  sets.lookup = owner_or_selecting(kube::kDeployments);
  sets.indexes = {{std::string(kOrphans), index_orphans}};
  control::Watch pods;
  pods.scope.resource = kube::kPods;
  pods.when = [](const kube::Change& change) { return change.kind == kube::Change::Kind::Deleted; };
  pods.lookup = deployment::deployment_of_pod;
  spec.watches = {std::move(deployments), std::move(sets), std::move(pods)};
  spec.make = [] { return std::make_unique<deployment::DeploymentReconciler>(); };
  spec.workers = 2;
  return spec;
}

}  // namespace holdfast::workloads
