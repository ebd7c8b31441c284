#include "job/tally.h"

namespace holdfast::workloads::job {

namespace {

/// A pod that ended and that the status does not know of yet.
bool is_new(const Job& job, const JobPod& pod, const std::set<std::string>& uncounted) {
  return pod.tracked && uncounted.count(pod.uid()) == 0 && (!job.indexed || job.holds(pod.index));
}

void count_pods(const Observed& seen, Tally& counts) {
  const Job& job = seen.job;
  for (const JobPod& pod : seen.pods) {
    if (active(pod)) {
      counts.active.push_back(&pod);
      if (pod.ready) ++counts.ready;
    }
    if (terminating(pod)) ++counts.terminating;
    if (pod.succeeded() && is_new(job, pod, job.uncounted_succeeded)) ++counts.succeeded;
    if (pod.failed && pod.ruling.counts() && is_new(job, pod, job.uncounted_failed))
      ++counts.failed;
  }
  counts.succeeded += job.status_count("succeeded") + int64_t(job.uncounted_succeeded.size());
  counts.failed += job.status_count("failed") + int64_t(job.uncounted_failed.size());
}

bool fails_its_index(const Job& job, const JobPod& pod) {
  if (!pod.failed) return false;
  if (pod.ruling.action == Ruling::Action::FailIndex) return true;
  return pod.ruling.counts() && pod.index_failures >= *job.limit_per_index;
}

void count_indexes(const Observed& seen, Tally& counts) {
  const Job& job = seen.job;
  const auto read = [&](std::string_view field) {
    return Indexes::parse(model::string_at(job.value, {"status", field}), *job.completions);
  };
  std::set<int64_t> succeeded, failed;
  for (const JobPod& pod : seen.pods) {
    if (!pod.tracked || !job.holds(pod.index)) continue;
    if (pod.succeeded()) succeeded.insert(pod.index);
    if (job.limit_per_index && fails_its_index(job, pod)) failed.insert(pod.index);
  }
  counts.recorded_indexes = read("completedIndexes");
  counts.succeeded_indexes = counts.recorded_indexes.with(Indexes(succeeded));
  counts.succeeded = counts.succeeded_indexes.size();
  if (job.limit_per_index) counts.failed_indexes = read("failedIndexes").with(Indexes(failed));
}

bool replaces(const JobPod& pod, const JobPod& kept) {
  return kept.index_failures + kept.index_failures_ignored <=
             pod.index_failures + pod.index_failures_ignored &&
         pod.ended >= kept.ended;
}

void hold_back(const Observed& seen, Tally& counts) {
  std::set<int64_t> busy;
  for (const JobPod* pod : counts.active) busy.insert(pod->index);
  for (const JobPod& pod : seen.pods) {
    if (!pod.tracked || !pod.failed || !seen.job.holds(pod.index)) continue;
    if (counts.succeeded_indexes.has(pod.index) || counts.failed_indexes->has(pod.index) ||
        busy.count(pod.index) > 0)
      continue;
    const JobPod*& kept = counts.held_back[pod.index];
    if (kept == nullptr || replaces(pod, *kept)) kept = &pod;
  }
}

std::chrono::microseconds backoff_of(const Observed& seen) {
  WallTime last_success{}, last_failure{};
  for (const JobPod& pod : seen.pods)
    if (pod.succeeded()) last_success = std::max(last_success, pod.ended);
  int64_t failures = 0;
  for (const JobPod& pod : seen.pods) {
    if (!pod.failed || pod.ended <= last_success) continue;
    ++failures;
    last_failure = std::max(last_failure, pod.ended);
  }
  return backoff_left(failures, last_failure, seen.now);
}

}  // namespace

std::chrono::microseconds backoff_left(int64_t failures, WallTime last, WallTime now) {
  using std::chrono::microseconds;
  if (failures == 0) return microseconds(0);
  constexpr microseconds kFirst = std::chrono::seconds(10), kLongest = std::chrono::minutes(10);
  microseconds pause = kFirst;
  for (int64_t i = 1; i < failures && pause < kLongest; ++i) pause = std::min(pause * 2, kLongest);
  return std::max(pause - (now - last), microseconds(0));
}

Tally tally(const Observed& seen) {
  Tally counts;
  count_pods(seen, counts);
  if (seen.job.indexed) count_indexes(seen, counts);
  if (counts.failed_indexes) hold_back(seen, counts);
  if (!seen.job.limit_per_index) counts.backoff = backoff_of(seen);
  return counts;
}

bool may_let_go(const Observed& seen, const Tally& counts, bool ends, const JobPod& pod) {
  if (!pod.tracked) return false;
  if (seen.job.being_deleted || ends || pod.succeeded()) return true;
  if (!pod.failed) return false;
  const auto held = counts.held_back.find(pod.index);
  return held == counts.held_back.end() || held->second != &pod;
}

}  // namespace holdfast::workloads::job
