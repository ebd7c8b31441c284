#include "replicaset/plan.h"

#include <holdfast/model/time.h>

#include "pods/claim.h"
#include "pods/ranking.h"
#include "replicaset/act.h"

namespace holdfast::workloads::replicaset {
namespace {

using control::Outcome;

constexpr std::string_view kReplicaFailure = "ReplicaFailure";

model::Value failure(std::string_view reason, std::string_view message, WallTime now) {
  return model::Object{{"type", kReplicaFailure},
                       {"status", "True"},
                       {"lastTransitionTime", model::to_rfc3339(now)},
                       {"reason", reason},
                       {"message", message}};
}

/// `missing` > 0: pods are to be created, < 0: to be deleted; with `refused` that did not work.
ReplicaSetStatus status_of(const Seen& seen, const std::vector<Pod>& ours, int64_t missing,
                           const std::string& refused) {
  ReplicaSetStatus status = seen.set.status;
  const model::Labels wanted = model::meta_of(seen.set.pod_template).labels;
  status.replicas = static_cast<int64_t>(ours.size());
  status.fully_labeled = status.ready = status.available = 0;
  for (const Pod& pod : ours) {
    if (has_labels(pod.meta.labels, wanted)) ++status.fully_labeled;
    if (pod.ready) ++status.ready;
    if (available(pod, seen.set.min_ready_seconds, seen.now)) ++status.available;
  }
  status.observed_generation = seen.set.meta.generation;
  const bool failing = find_condition(status.conditions, kReplicaFailure) != nullptr;
  // The first refusal stays: a message that changed with every try would be a write per try.
  if (!refused.empty() && !failing)
    status.conditions.push_back(
        failure(missing > 0 ? "FailedCreate" : "FailedDelete", refused, seen.now));
  if (missing == 0 && failing)
    status.conditions = without_condition(status.conditions, kReplicaFailure);
  return status;
}

Outcome adopt_pod(const Seen& seen, const Pod& pod) {
  if (!seen.may_adopt) return Outcome::ask(std::string(kMayAdopt));
  return Outcome::act(adopt(kube::kReplicaSets, seen.set.object, kube::kPods, pod.object));
}

Outcome change_count(const Seen& seen, const std::vector<Pod>& ours, int64_t missing) {
  if (missing < 0)
    return Outcome::act(delete_pod(first_to_go(ours, seen.related, seen.now).front()));
  return Outcome::act(create_pod(seen.set, seen.free_name));
}

/// A pod becomes available by mere waiting.
Outcome rest(const Seen& seen, const std::vector<Pod>& ours, const ReplicaSetStatus& status) {
  const int64_t wanted = seen.set.min_ready_seconds;
  if (wanted <= 0 || status.ready == status.available) return Outcome::done();
  const auto again = next_available(ours, wanted, seen.now).value_or(std::chrono::seconds(wanted));
  return Outcome::wait(std::chrono::ceil<std::chrono::milliseconds>(again), "AwaitingAvailability",
                       "ready pods are not yet available");
}

}  // namespace

Outcome plan(const Seen& seen) {
  if (!seen.set.selector) return Outcome::done();
  const bool deleting = !seen.set.meta.deletion_timestamp.empty();
  const Claimant claimant{seen.set.meta.ns, seen.set.meta.uid, deleting, *seen.set.selector};
  std::vector<Pod> ours;
  for (const Pod& pod : seen.pods) {
    if (!active(pod)) continue;
    const Claim claim = claim_of(claimant, pod.meta);
    if (claim == Claim::Adopt) return adopt_pod(seen, pod);
    if (claim == Claim::Release)
      return Outcome::act(release(seen.set.meta.uid, kube::kPods, pod.object));
    if (claim == Claim::Ours) ours.push_back(pod);
  }

  const int64_t missing = deleting ? 0 : seen.set.replicas - static_cast<int64_t>(ours.size());
  const ReplicaSetStatus status = status_of(seen, ours, missing, missing != 0 ? seen.refusal : "");
  // A refusal is told before the next try, or the status would never be written while it lasts.
  const bool told = seen.refusal.empty() || status == seen.set.status;
  if (missing != 0 && told && !seen.namespace_ending) return change_count(seen, ours, missing);
  if (status != seen.set.status) return Outcome::act(write_status(seen.set, status));
  return rest(seen, ours, status);
}

}  // namespace holdfast::workloads::replicaset
