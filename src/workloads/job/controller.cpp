/// job-controller: pods that run to completion, each counted once.
#include "job/act.h"
#include "job/plan.h"
#include "known.h"
#include "pods/claim.h"

namespace holdfast::workloads {
namespace job {
namespace {

using control::Outcome;

/// Index over pods with the tracking finalizer, by NAMESPACE/JOB of the Job they are or were of: a
/// Job that is gone must not leave pods behind that nobody lets go.
constexpr std::string_view kTrackedBy = "tracked-by-job";

bool is_tracked(const model::Meta& pod) {
  return std::find(pod.finalizers.begin(), pod.finalizers.end(), kTracking) != pod.finalizers.end();
}

std::string job_of(const model::Meta& pod) {
  for (const model::OwnerReference& owner : pod.owners)
    if (owner.controller) return owner.kind == kube::kJobs.kind ? owner.name : "";
  for (const auto& [key, value] : pod.labels)
    if (key == "batch.kubernetes.io/job-name") return value;
  return "";
}

void index_tracked(const kube::Cached& object, std::vector<std::string>& values) {
  const model::Meta meta = object.meta();
  if (!is_tracked(meta)) return;
  if (const std::string name = job_of(meta); !name.empty())
    values.push_back(kube::Key{meta.ns, name}.text());
}

/// Pods of a Job by this name that is no longer there, or that was another one.
Outcome let_go_of_orphans(control::Pass& pass, std::string_view living_uid) {
  for (const kube::Cached& pod : pass.find(kube::kPods, kTrackedBy, pass.key().text())) {
    const std::string owner = controller_of(pod.meta());
    if (living_uid.empty() || (!owner.empty() && owner != living_uid))
      return Outcome::act(let_go(pod));
  }
  return Outcome::done();
}

Result<std::optional<control::Write>> look_at_pods(control::Pass& pass, Observed& seen) {
  const model::Value* selector = model::find(seen.job.value, {"spec", "selector"});
  const Claimant claimant{
      .ns = seen.job.ns,
      .uid = seen.job.uid,
      .deleting = seen.job.being_deleted,
      .selector = HF_TRY(model::LabelSelector::from_object(selector ? *selector : nullptr))};
  std::optional<control::Write> claiming;
  std::vector<kube::Cached> pods = pass.controlled_by(kube::kPods, seen.job.uid);
  for (kube::Cached& orphan : pass.find(kube::kPods, kOrphans, seen.job.ns))
    pods.push_back(std::move(orphan));
  for (const kube::Cached& object : pods) {
    const Claim claim = claim_of(claimant, object.meta());
    if (claim == Claim::Ours) seen.pods.push_back(read_job_pod(object, seen.job));
    if (claim == Claim::Release) claiming = release_pod(seen.job, object);
    if (claim == Claim::Adopt) {
      HF_TRY(may_adopt(pass, kube::kJobs, seen.job.object));
      claiming = adopt_pod(seen.job, object);
    }
    if (claiming) break;
  }
  return claiming;
}

/// Somebody else looks after a Job that says so.
bool is_foreign(const Job& job) {
  const std::string_view by = model::string_at(job.value, {"spec", "managedBy"});
  return !by.empty() && by != "kubernetes.io/job-controller";
}

class JobReconciler final : public control::Reconciler {
 public:
  Result<Outcome> reconcile(control::Pass& pass) override {
    const kube::Cached object = pass.get(kube::kJobs, pass.key().ns, pass.key().name);
    if (!object) return let_go_of_orphans(pass, "");
    Observed seen;
    seen.job = read_job(object);
    if (is_foreign(seen.job)) return Outcome::done("ManagedByAnother");
    if (Outcome orphans = let_go_of_orphans(pass, seen.job.uid); orphans.write()) return orphans;
    seen.now = pass.now();
    seen.refused = pass.refusal() != nullptr;
    seen.name_taken = [&](std::string_view name) {
      return bool(pass.get(kube::kPods, seen.job.ns, name));
    };
    std::optional<control::Write> claiming;
    if (!seen.job.finished()) claiming = HF_TRY(look_at_pods(pass, seen));
    if (claiming) return Outcome::act(*std::move(claiming));
    if (seen.job.finished())
      for (const kube::Cached& pod : pass.find(kube::kPods, kTrackedBy, pass.key().text()))
        seen.pods.push_back(read_job_pod(pod, seen.job));
    put_in_order(seen);
    return plan(seen);
  }
};

/// Also the Job by whose name the pod is tracked, there or not.
control::Lookup jobs_of_pod() {
  return [owners = owner_or_selecting(kube::kJobs)](const kube::Change& change,
                                                    kube::Informers& informers) {
    control::Keys keys = owners(change, informers);
    const model::Meta meta = change.object().meta();
    if (is_tracked(meta))
      if (const std::string name = job_of(meta); !name.empty()) keys.push_back({meta.ns, name});
    return keys;
  };
}

}  // namespace
}  // namespace job

control::ControllerSpec job_controller() {
  control::ControllerSpec spec;
  spec.name = "job-controller";
  control::Watch jobs;
  jobs.scope.resource = kube::kJobs;
  control::Watch pods;
  pods.scope.resource = kube::kPods;
  pods.lookup = job::jobs_of_pod();
  pods.indexes = {{std::string(kOrphans), index_orphans},
                  {std::string(job::kTrackedBy), job::index_tracked}};
  spec.watches = {std::move(jobs), std::move(pods)};
  spec.make = [] { return std::make_unique<job::JobReconciler>(); };
  spec.workers = 2;
  return spec;
}

}  // namespace holdfast::workloads
