#include "replicaset/observe.h"

#include "pods/claim.h"
#include "pods/refusal.h"

namespace holdfast::workloads::replicaset {
namespace {

/// The name of the lowest slot that no pod has, whosever it is. Slots keep names few and fixed: a
/// create whose answer was lost finds its own pod when it is tried again.
std::string free_name(control::Pass& pass, const ReplicaSet& set) {
  for (int slot = 0;; ++slot) {
    std::string name = control::child_name(set.meta.name, set.meta.uid, std::to_string(slot));
    if (!pass.get(kube::kPods, set.meta.ns, name)) return name;
  }
}

/// The pods of every ReplicaSet with the same owner. One that stands alone has no relatives, not
/// even itself, as in the real manager.
std::vector<Pod> related(control::Pass& pass, const ReplicaSet& set) {
  const std::string owner = controller_of(set.meta);
  std::vector<Pod> out;
  if (owner.empty()) return out;
  for (const kube::Cached& sibling : pass.controlled_by(kube::kReplicaSets, owner))
    for (const kube::Cached& pod : pass.controlled_by(kube::kPods, sibling.uid()))
      out.push_back(read_pod(pod));
  return out;
}

}  // namespace

std::optional<Seen> observe(control::Pass& pass) {
  const kube::Cached object = pass.get(kube::kReplicaSets, pass.key().ns, pass.key().name);
  if (!object) return std::nullopt;
  Seen seen;
  seen.set = read_replica_set(object);
  seen.now = pass.now();
  seen.pods = read_pods(pass.controlled_by(kube::kPods, seen.set.meta.uid));
  const auto owned = std::count_if(seen.pods.begin(), seen.pods.end(), active);
  for (const kube::Cached& orphan : pass.find(kube::kPods, kOrphans, seen.set.meta.ns))
    seen.pods.push_back(read_pod(orphan));
  if (owned < seen.set.replicas) seen.free_name = free_name(pass, seen.set);
  if (owned > seen.set.replicas) seen.related = related(pass, seen.set);
  seen.refusal = refused_because(pass);
  seen.namespace_ending = namespace_is_ending(pass);
  return seen;
}

}  // namespace holdfast::workloads::replicaset
