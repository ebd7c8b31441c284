/// replicaset-controller: as many pods of a template as asked for.
#include "known.h"
#include "pods/claim.h"
#include "replicaset/observe.h"

namespace holdfast::workloads {
namespace replicaset {
namespace {

using control::Outcome;

class ReplicaSetReconciler final : public control::Reconciler {
 public:
  Result<Outcome> reconcile(control::Pass& pass) override {
    std::optional<Seen> seen = observe(pass);
    if (!seen) return Outcome::done();
    Outcome next = plan(*seen);
    if (next.asked() != kMayAdopt) return next;
    HF_TRY(may_adopt(pass, kube::kReplicaSets, seen->set.object));
    seen->may_adopt = true;
    return plan(*seen);
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
