#include "statefulset/observe.h"

#include "pods/claim.h"
#include "statefulset/claims.h"
#include "statefulset/revisions.h"

namespace holdfast::workloads::statefulset {

namespace {

/// A pod whose labels match but whose name is not that of a member is no member.
Claim claim_of_member(const Claimant& claimant, const Set& set, const model::Meta& pod) {
  if (const MemberName name = member_name(pod.name); name.ordinal >= 0 && name.set == set.name)
    return claim_of(claimant, pod);
  const bool ours = controller_of(pod) == claimant.uid;
  return ours && !claimant.deleting ? Claim::Release : Claim::Foreign;
}

Result<std::optional<control::Write>> take_or_let_go(control::Pass& pass, const Set& set,
                                                     Claim claim, const kube::Resource& resource,
                                                     const kube::Cached& child) {
  std::optional<control::Write> write;
  if (claim == Claim::Adopt) {
    HF_TRY(may_adopt(pass, kube::kStatefulSets, set.object));
    write = adopt(kube::kStatefulSets, set.object, resource, child);
  } else if (claim == Claim::Release) {
    write = release(set.uid, resource, child);
  }
  return write;
}

Result<void> look_at_pods(control::Pass& pass, const Claimant& claimant, Look& look) {
  const Set& set = look.seen.set;
  std::vector<kube::Cached> pods = pass.controlled_by(kube::kPods, set.uid);
  for (kube::Cached& orphan : pass.find(kube::kPods, kOrphans, set.ns))
    pods.push_back(std::move(orphan));
  for (const kube::Cached& object : pods) {
    const Claim claim = claim_of_member(claimant, set, object.meta());
    if (claim == Claim::Foreign) continue;
    if (claim == Claim::Ours) {
      look.seen.pods.push_back(read_replica(object));
      continue;
    }
    look.claiming = HF_TRY(take_or_let_go(pass, set, claim, kube::kPods, object));
    return ok();
  }
  return ok();
}

/// Revisions are never let go: one whose labels do not match is merely passed over.
Result<void> look_at_revisions(control::Pass& pass, const Claimant& claimant, Look& look) {
  const Set& set = look.seen.set;
  std::vector<kube::Cached> revisions = pass.controlled_by(kube::kRevisions, set.uid);
  for (kube::Cached& orphan : pass.find(kube::kRevisions, kOrphans, set.ns))
    revisions.push_back(std::move(orphan));
  for (const kube::Cached& object : revisions) {
    const Claim claim = claim_of(claimant, object.meta());
    if (claim == Claim::Ours) look.seen.revisions.push_back(read_revision(object));
    if (claim != Claim::Adopt) continue;
    look.claiming = HF_TRY(take_or_let_go(pass, set, claim, kube::kRevisions, object));
    return ok();
  }
  return ok();
}

/// Follows the names that the template's revision would take, until one is free.
void look_at_names(control::Pass& pass, Observed& seen) {
  const model::Value data = revision_data(seen.set);
  int64_t collisions = model::int_at(*seen.set.value, {"status", "collisionCount"}, 0);
  for (;; ++collisions) {
    const std::string name = revision_name(seen.set, revision_hash(data, collisions));
    const kube::Cached taken = pass.get(kube::kRevisions, seen.set.ns, name);
    if (!taken) return;
    const model::Value& other =
        seen.names_taken.emplace(name, read_revision(taken).data).first->second;
    if (model::equal(other, data)) return;
  }
}

void look_at_pod_names(control::Pass& pass, Observed& seen) {
  std::set<int64_t> there;
  for (const Replica& pod : seen.pods) there.insert(pod.ordinal);
  for (int64_t i = 0; i < seen.set.replicas; ++i) {
    const int64_t ordinal = seen.set.start + i;
    if (there.count(ordinal) == 0 &&
        pass.get(kube::kPods, seen.set.ns, member_of(seen.set, ordinal).name))
      seen.pod_names_taken.insert(ordinal);
  }
}

void look_at_claims(control::Pass& pass, Observed& seen) {
  const auto look = [&](int64_t ordinal) {
    for (const std::string_view pattern : claim_templates(seen.set)) {
      const std::string name = claim_name(seen.set, pattern, ordinal);
      if (const kube::Cached claim = pass.get(kube::kClaims, seen.set.ns, name))
        seen.claims.emplace(name, read_claim(claim));
    }
  };
  for (int64_t i = 0; i < seen.set.replicas; ++i) look(seen.set.start + i);
  for (const Replica& pod : seen.pods)
    if (!seen.set.holds(pod.ordinal)) look(pod.ordinal);
}

}  // namespace

Result<Look> observe(control::Pass& pass, const kube::Cached& object) {
  Look look;
  look.seen.set = read_set(object);
  look.seen.now = pass.now();
  look.seen.refused = pass.refusal() != nullptr;
  Set& set = look.seen.set;
  const model::Value* selector = model::find(*set.value, {"spec", "selector"});
  const Claimant claimant{
      .ns = set.ns,
      .uid = set.uid,
      .deleting = set.being_deleted,
      .selector = HF_TRY(model::LabelSelector::from_object(selector ? *selector : nullptr))};
  HF_TRY(look_at_revisions(pass, claimant, look));
  if (!look.claiming) HF_TRY(look_at_pods(pass, claimant, look));
  if (look.claiming) return look;
  put_in_order(look.seen);
  look_at_names(pass, look.seen);
  look_at_pod_names(pass, look.seen);
  look_at_claims(pass, look.seen);
  return look;
}

}  // namespace holdfast::workloads::statefulset
