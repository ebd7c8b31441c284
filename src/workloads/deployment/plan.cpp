/// The order in which a Deployment's needs are met: what is its own, the history, the size, the
/// rollout, and last what is told of it.
#include "deployment/plan.h"

#include "deployment/act.h"
#include "deployment/rollout.h"
#include "pods/claim.h"

namespace holdfast::workloads::deployment {
namespace {

using control::Outcome;

/// Selecting everything is surely a mistake: nothing is done but to say so.
Outcome refuse_to_select_all(const Deployment& wanted) {
  const control::Note note{
      true, "SelectingAll",
      "This deployment is selecting all pods. A non-empty selector is required.", "Select"};
  if (wanted.status.observed_generation < wanted.meta.generation) {
    Status status = wanted.status;
    status.observed_generation = wanted.meta.generation;
    return Outcome::act(control::with_note(write_status(wanted, wanted.annotations, status), note));
  }
  Outcome out = Outcome::done();
  out.notes.push_back(note);
  return out;
}

Outcome adopt_set(const Seen& seen, const ReplicaSet& set) {
  if (!seen.may_adopt) return Outcome::ask(std::string(kMayAdopt));
  return Outcome::act(
      adopt(kube::kDeployments, seen.wanted.object, kube::kReplicaSets, set.object));
}

/// Scaling, also of a paused Deployment: no rollout, no judgement of progress.
Outcome scale_only(const Seen& seen, const Sets& sets) {
  if (MaybeOutcome next = scale(seen.wanted, sets)) return *std::move(next);
  if (seen.wanted.paused && !seen.wanted.annotations.contains(std::string(kRollbackTo)))
    if (MaybeOutcome next = clean_up(seen.wanted, sets)) return *std::move(next);
  return report(seen.wanted, count_status(seen, sets)).value_or(Outcome::done());
}

Outcome report_rollout(const Seen& seen, const Sets& sets) {
  const Status status = rollout_status(seen, sets);
  if (MaybeOutcome next = report(seen.wanted, status)) return *std::move(next);
  const auto again = until_deadline(seen, status);
  if (!again) return Outcome::done();
  return Outcome::wait(std::chrono::ceil<std::chrono::milliseconds>(*again), "AwaitingProgress",
                       "the rollout has time until its deadline");
}

Outcome roll_out(const Seen& seen, const Sets& sets) {
  if (seen.wanted.rolling) {
    if (sets.current == nullptr) return create_current(seen, sets);
    if (MaybeOutcome next = roll(seen.wanted, sets)) return *std::move(next);
  } else {
    bool waiting = false;
    if (MaybeOutcome next = recreate(seen, sets, waiting)) return *std::move(next);
    if (waiting) return report_rollout(seen, sets);
  }
  if (complete(seen.wanted, seen.wanted.status))
    if (MaybeOutcome next = clean_up(seen.wanted, sets)) return *std::move(next);
  return report_rollout(seen, sets);
}

}  // namespace

Outcome plan(const Seen& seen) {
  const Deployment& wanted = seen.wanted;
  if (!wanted.selector) return Outcome::done();
  if (wanted.selector->empty()) return refuse_to_select_all(wanted);

  const bool deleting = !wanted.meta.deletion_timestamp.empty();
  const Claimant claimant{wanted.meta.ns, wanted.meta.uid, deleting, *wanted.selector};
  std::vector<const ReplicaSet*> owned;
  for (const ReplicaSet& set : seen.sets) {
    const Claim claim = claim_of(claimant, set.meta);
    if (claim == Claim::Adopt) return adopt_set(seen, set);
    if (claim == Claim::Release)
      return Outcome::act(release(wanted.meta.uid, kube::kReplicaSets, set.object));
    if (claim == Claim::Ours) owned.push_back(&set);
  }

  const Sets sets = split(wanted, owned);
  if (!deleting)
    if (MaybeOutcome next = report_pause(seen)) return *std::move(next);
  if (MaybeOutcome next = keep_revision(seen, sets)) return *std::move(next);
  if (deleting) return report(wanted, count_status(seen, sets)).value_or(Outcome::done());
  if (wanted.paused) return scale_only(seen, sets);
  if (MaybeOutcome next = roll_back(seen, sets)) return *std::move(next);
  if (being_scaled(wanted, sets)) return scale_only(seen, sets);
  return roll_out(seen, sets);
}

}  // namespace holdfast::workloads::deployment
