#include "job/plan.h"

#include "job/act.h"
#include "pods/ranking.h"

#include <optional>

namespace holdfast::workloads::job {

using control::Outcome;
using control::Write;

namespace {

/// What is to be done about the number of pods, or how long nothing may be.
struct Step {
  std::optional<Write> write{};
  std::chrono::microseconds pause{0};
};

int64_t wanted_active(const Job& job, const Tally& counts) {
  const auto active = int64_t(counts.active.size());
  if (job.suspended) return 0;
  // Without a number of completions the first success tells the others to end by themselves.
  if (!job.completions) return counts.succeeded > 0 ? active : job.parallelism;
  return std::clamp<int64_t>(*job.completions - counts.succeeded, 0, job.parallelism);
}

/// Of several pods with one index all but the one that got furthest are too many, as is every pod
/// whose index means nothing.
std::vector<const JobPod*> without_place(const Observed& seen, const Tally& counts) {
  std::vector<const JobPod*> out;
  if (!seen.job.indexed) return out;
  std::map<int64_t, std::vector<Pod>> by_index;
  for (const JobPod* pod : counts.active) by_index[pod->index].push_back(*pod);
  for (const auto& [index, pods] : by_index) {
    std::vector<Pod> ranked = first_to_go(pods, {}, seen.now);
    if (seen.job.holds(index)) ranked.pop_back();
    for (const Pod& gone : ranked)
      for (const JobPod* pod : counts.active)
        if (pod->uid() == gone.meta.uid) out.push_back(pod);
  }
  return out;
}

std::vector<const JobPod*> too_many(const Observed& seen, const Tally& counts, int64_t wanted) {
  const auto surplus = int64_t(counts.active.size()) - wanted;
  std::vector<const JobPod*> out = without_place(seen, counts);
  std::vector<Pod> others;
  for (const JobPod* pod : counts.active)
    if (std::find(out.begin(), out.end(), pod) == out.end()) others.push_back(*pod);
  for (const Pod& next : first_to_go(others, {}, seen.now)) {
    if (int64_t(out.size()) >= surplus) break;
    for (const JobPod* pod : counts.active)
      if (pod->uid() == next.meta.uid) out.push_back(pod);
  }
  return out;
}

/// First the finalizer, so that the pod is not counted as failed, then the pod. One that has lost
/// its finalizer goes before another loses it.
Write remove_one(const std::vector<const JobPod*>& pods) {
  for (const JobPod* pod : pods)
    if (!pod->tracked) return delete_pod(*pod);
  return let_go(pods.front()->object);
}

Indexes busy_indexes(const Observed& seen, const Tally& counts) {
  std::set<int64_t> busy;
  for (const JobPod& pod : seen.pods) {
    const bool waited_for = seen.job.only_replaces_failed && terminating(pod);
    if (pod.index >= 0 && (active(pod) || waited_for)) busy.insert(pod.index);
  }
  Indexes all = counts.succeeded_indexes.with(Indexes(busy));
  return counts.failed_indexes ? all.with(*counts.failed_indexes) : all;
}

/// The first index that may have a pod now; each waits for its own failures only, if the limit is
/// per index.
Step create_indexed(const Observed& seen, const Tally& counts, int64_t count) {
  Step step;
  for (const int64_t index :
       busy_indexes(seen, counts).first_missing(count, *seen.job.completions)) {
    const auto held = counts.held_back.find(index);
    const JobPod* failed = held == counts.held_back.end() ? nullptr : held->second;
    std::chrono::microseconds pause{0};
    if (failed != nullptr)
      pause = backoff_left(failed->index_failures + failed->index_failures_ignored + 1,
                           failed->ended, seen.now);
    if (pause.count() == 0) return {.write = create_pod(seen, index, failed)};
    if (step.pause.count() == 0 || pause < step.pause) step.pause = pause;
  }
  return step;
}

Step manage(const Observed& seen, const Tally& counts) {
  if (seen.job.being_deleted) return {};
  const int64_t wanted = wanted_active(seen.job, counts);
  const auto surplus = too_many(seen, counts, wanted);
  if (!surplus.empty()) return {.write = remove_one(surplus)};
  const int64_t waited_for = seen.job.only_replaces_failed ? counts.terminating : 0;
  const int64_t missing = wanted - waited_for - int64_t(counts.active.size());
  if (missing <= 0) return {};
  if (counts.backoff.count() > 0) return {.pause = counts.backoff};
  if (seen.job.indexed) return create_indexed(seen, counts, missing);
  return {.write = create_pod(seen, -1, nullptr)};
}

/// A Job that ends has no pods left: all are let go by then, so they need only be deleted.
Step clear(const Tally& counts) {
  if (counts.active.empty()) return {};
  return {.write = delete_pod(*counts.active.front())};
}

Outcome rest(const Observed& seen, const Step& step, bool ends) {
  std::optional<std::chrono::microseconds> again;
  if (step.pause.count() > 0) again = step.pause;
  if (const Job& job = seen.job; !ends && job.active_deadline && job.started && !job.suspended) {
    const auto left = *job.started + std::chrono::seconds(*job.active_deadline) - seen.now;
    again = std::min(again.value_or(left), left);
  }
  if (!again) return Outcome::done();
  return Outcome::wait(std::chrono::ceil<std::chrono::milliseconds>(*again),
                       step.pause.count() > 0 ? "BackingOff" : "Running");
}

Outcome act(const Observed& seen, NextStatus next) {
  const bool too_many = next.too_many_succeeded;
  Outcome outcome = Outcome::act(report(seen, std::move(next)));
  if (too_many)
    outcome.notes.push_back(
        {.warning = true,
         .reason = "TooManySucceededPods",
         .message = "Too many succeeded pods running after completion count reached",
         .action = "Complete"});
  return outcome;
}

Outcome let_all_go(const Observed& seen) {
  for (const JobPod& pod : seen.pods)
    if (pod.tracked) return Outcome::act(let_go(pod.object));
  return Outcome::done("Finished");
}

}  // namespace

Outcome plan(const Observed& seen) {
  if (seen.job.finished()) return let_all_go(seen);
  const Tally counts = tally(seen);
  const std::optional<Verdict> ends = verdict(seen, counts);
  NextStatus next = next_status(seen, counts, ends);
  if (next.records) return act(seen, std::move(next));
  for (const JobPod& pod : seen.pods)
    if (may_let_go(seen, counts, ends.has_value(), pod) && is_recorded(seen, counts, ends, pod))
      return Outcome::act(let_go(pod.object));
  const Step step = ends ? clear(counts) : manage(seen, counts);
  // A pod that the server keeps refusing must not keep the counts from being told.
  if (step.write && !seen.refused) return Outcome::act(*step.write);
  if (!model::equal(next.status, model::object_at(seen.job.value, {"status"})))
    return act(seen, std::move(next));
  if (step.write) return Outcome::act(*step.write);
  return rest(seen, step, ends.has_value());
}

}  // namespace holdfast::workloads::job
