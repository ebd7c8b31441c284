#include "deployment/observe.h"

#include "deployment/rollout.h"
#include "pods/claim.h"
#include "pods/pod.h"
#include "pods/refusal.h"
#include "pods/template.h"

namespace holdfast::workloads::deployment {
namespace {

/// The template's hash: its canonical JSON and, once names collided, how often they did.
std::string hash_of(const Deployment& wanted) {
  std::string text = canonical_json(wanted.pod_template);
  if (wanted.status.collisions) text += std::to_string(*wanted.status.collisions);
  return control::short_hash(text);
}

std::set<std::string> running(control::Pass& pass, const std::vector<ReplicaSet>& sets) {
  std::set<std::string> out;
  for (const ReplicaSet& set : sets)
    for (const kube::Cached& pod : pass.controlled_by(kube::kPods, set.meta.uid))
      if (!terminal(read_pod(pod))) out.insert(set.meta.uid);
  return out;
}

}  // namespace

std::optional<Seen> observe(control::Pass& pass) {
  const kube::Cached object = pass.get(kube::kDeployments, pass.key().ns, pass.key().name);
  if (!object) return std::nullopt;
  Seen seen;
  seen.wanted = read_deployment(object);
  seen.now = pass.now();
  for (const kube::Cached& set : pass.controlled_by(kube::kReplicaSets, seen.wanted.meta.uid))
    seen.sets.push_back(read_replica_set(set));
  if (!seen.wanted.rolling) seen.running = running(pass, seen.sets);
  for (const kube::Cached& orphan : pass.find(kube::kReplicaSets, kOrphans, seen.wanted.meta.ns))
    seen.sets.push_back(read_replica_set(orphan));
  seen.next_hash = hash_of(seen.wanted);
  seen.name_taken =
      static_cast<bool>(pass.get(kube::kReplicaSets, seen.wanted.meta.ns, next_name(seen)));
  seen.refusal = refused_because(pass);
  return seen;
}

}  // namespace holdfast::workloads::deployment
