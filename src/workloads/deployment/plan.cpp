/// The order in which a Deployment's needs are met: what is its own, the history, the size, the
/// rollout, and last what is told of it.
#include "deployment/plan.h"

#include "deployment/rollout.h"
#include "pods/claim.h"

namespace holdfast::workloads::deployment {
namespace {

Step about(Step::Do what, const ReplicaSet& set) {
  Step step;
  step.what = what;
  step.set = set;
  return step;
}

/// Selecting everything is surely a mistake: nothing is done but to say so.
Step refuse_to_select_all(const Seen& seen) {
  Step step;
  if (seen.wanted.status.observed_generation < seen.wanted.meta.generation) {
    step.what = Step::Do::Report;
    step.annotations = seen.wanted.annotations;
    step.status = seen.wanted.status;
    step.status.observed_generation = seen.wanted.meta.generation;
  }
  step.note = control::Note{
      true, "SelectingAll",
      "This deployment is selecting all pods. A non-empty selector is required.", "Select"};
  return step;
}

/// Scaling, also of a paused Deployment: no rollout, no judgement of progress.
Step scale_only(const Seen& seen, const Sets& sets) {
  if (MaybeStep step = scale(seen.wanted, sets)) return *std::move(step);
  if (seen.wanted.paused && !seen.wanted.annotations.contains(std::string(kRollbackTo)))
    if (MaybeStep step = clean_up(seen.wanted, sets)) return *std::move(step);
  return report(seen.wanted, count_status(seen, sets)).value_or(Step());
}

Step report_rollout(const Seen& seen, const Sets& sets) {
  const Status status = rollout_status(seen, sets);
  if (MaybeStep step = report(seen.wanted, status)) return *std::move(step);
  Step nothing;
  nothing.again = until_deadline(seen, status);
  return nothing;
}

Step roll_out(const Seen& seen, const Sets& sets) {
  if (seen.wanted.rolling) {
    if (sets.current == nullptr) return create_current(seen, sets);
    if (MaybeStep step = roll(seen.wanted, sets)) return *std::move(step);
  } else {
    bool waiting = false;
    if (MaybeStep step = recreate(seen, sets, waiting)) return *std::move(step);
    if (waiting) return report_rollout(seen, sets);
  }
  if (complete(seen.wanted, seen.wanted.status))
    if (MaybeStep step = clean_up(seen.wanted, sets)) return *std::move(step);
  return report_rollout(seen, sets);
}

}  // namespace

Step plan(const Seen& seen) {
  const Deployment& wanted = seen.wanted;
  if (!wanted.selector) return {};
  if (wanted.selector->empty()) return refuse_to_select_all(seen);

  const bool deleting = !wanted.meta.deletion_timestamp.empty();
  const Claimant claimant{wanted.meta.ns, wanted.meta.uid, deleting, *wanted.selector};
  std::vector<const ReplicaSet*> owned;
  for (const ReplicaSet& set : seen.sets) {
    const Claim claim = claim_of(claimant, set.meta);
    if (claim == Claim::Adopt) return about(Step::Do::Adopt, set);
    if (claim == Claim::Release) return about(Step::Do::Release, set);
    if (claim == Claim::Ours) owned.push_back(&set);
  }

  const Sets sets = split(wanted, owned);
  if (!deleting)
    if (MaybeStep step = report_pause(seen)) return *std::move(step);
  if (MaybeStep step = keep_revision(seen, sets)) return *std::move(step);
  if (deleting) return report(wanted, count_status(seen, sets)).value_or(Step());
  if (wanted.paused) return scale_only(seen, sets);
  if (MaybeStep step = roll_back(seen, sets)) return *std::move(step);
  if (being_scaled(wanted, sets)) return scale_only(seen, sets);
  return roll_out(seen, sets);
}

}  // namespace holdfast::workloads::deployment
