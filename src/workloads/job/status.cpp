#include "job/status.h"

#include <holdfast/model/time.h>

namespace holdfast::workloads::job {

using control::Note;
using model::Array;
using model::Object;
using model::Value;

namespace {

/// Keeps status.uncountedTerminatedPods below about 20 KB.
constexpr size_t kMostUncounted = 500;

Value condition(std::string_view type, std::string_view status, std::string_view reason,
                std::string_view message, WallTime now) {
  const std::string at = model::to_rfc3339(now);
  return Object{{"type", type},        {"status", status},
                {"lastProbeTime", at}, {"lastTransitionTime", at},
                {"reason", reason},    {"message", message}};
}

Array& conditions_of(Object& status) {
  Value& list = status["conditions"];
  if (!list.is_array()) list = Array();
  return list.as_array();
}

/// A condition that is not there is not added to say False. True if anything changed.
bool ensure(Object& status, std::string_view type, bool holds, std::string_view reason,
            std::string_view message, WallTime now) {
  const std::string_view word = holds ? "True" : "False";
  const Value wanted = condition(type, word, reason, message, now);
  if (const Value* there = status.if_contains("conditions"); there && there->is_array())
    for (Value& each : status["conditions"].as_array()) {
      if (model::string_at(each, {"type"}) != type) continue;
      if (model::string_at(each, {"status"}) == word &&
          model::string_at(each, {"reason"}) == reason &&
          model::string_at(each, {"message"}) == message)
        return false;
      each = wanted;
      return true;
    }
  if (holds) conditions_of(status).push_back(wanted);
  return holds;
}

void put_count(Object& status, std::string_view name, int64_t number) {
  if (number == 0)
    status.erase(name);
  else
    status[name] = number;
}

/// The lists of uids, in the order they stand in the status.
struct Uncounted {
  Array succeeded{}, failed{};
  size_t size() const { return succeeded.size() + failed.size(); }
};

Value to_value(const Uncounted& uncounted) {
  Object value;
  if (!uncounted.succeeded.empty()) value["succeeded"] = uncounted.succeeded;
  if (!uncounted.failed.empty()) value["failed"] = uncounted.failed;
  return value;
}

/// Step 3: what has no finalizer any more leaves the list; how many did is returned.
int64_t settle(const Observed& seen, std::string_view which, Array& kept) {
  std::set<std::string_view> tracked;
  for (const JobPod& pod : seen.pods)
    if (pod.tracked) tracked.insert(pod.uid());
  int64_t gone = 0;
  for (const Value& uid :
       model::array_at(seen.job.value, {"status", "uncountedTerminatedPods", which})) {
    if (uid.is_string() && tracked.count(model::view(uid.get_string())) > 0)
      kept.push_back(uid);
    else
      ++gone;
  }
  return gone;
}

/// Step 1: pods that ended enter the lists. True if one did.
bool enter(const Observed& seen, const Tally& counts, const std::optional<Verdict>& verdict,
           Uncounted& uncounted) {
  bool entered = false;
  for (const JobPod& pod : seen.pods) {
    if (uncounted.size() >= kMostUncounted) break;
    if (!may_let_go(seen, counts, verdict.has_value(), pod) ||
        is_recorded(seen, counts, verdict, pod))
      continue;
    entered = true;
    if (!pod.succeeded())
      uncounted.failed.emplace_back(pod.uid());
    else if (!seen.job.indexed)
      uncounted.succeeded.emplace_back(pod.uid());
  }
  return entered;
}

void record_suspension(const Observed& seen, NextStatus& next) {
  if (seen.job.suspended) {
    if (!ensure(next.status, "Suspended", true, "JobSuspended", "Job suspended", seen.now)) return;
    next.note = Note{false, "Suspended", "Job suspended", "Suspend"};
  } else {
    if (!ensure(next.status, "Suspended", false, "JobResumed", "Job resumed", seen.now)) return;
    next.note = Note{false, "Resumed", "Job resumed", "Resume"};
    // The deadline counts the time in which the Job is active without a break.
    next.status["startTime"] = model::to_rfc3339(seen.now);
  }
  next.records = true;
}

void record_verdict(const Observed& seen, const Verdict& verdict, NextStatus& next) {
  if (verdict.recorded) return;
  conditions_of(next.status)
      .push_back(condition(verdict.success ? "SuccessCriteriaMet" : "FailureTarget", "True",
                           verdict.reason, verdict.message, seen.now));
  next.records = true;
}

void finish(const Observed& seen, const Verdict& verdict, NextStatus& next) {
  ensure(next.status, verdict.success ? "Complete" : "Failed", true, verdict.reason,
         verdict.message, seen.now);
  if (!verdict.success) {
    next.note = Note{true, verdict.reason, verdict.message, "Fail"};
    return;
  }
  // The server refuses an end before the beginning, which a clock set back would make: RFC 3339
  // in UTC is ordered as text.
  std::string ended = model::to_rfc3339(seen.now);
  const Value* started = next.status.if_contains("startTime");
  if (started != nullptr) ended = std::max(ended, std::string(model::string_at(*started, {})));
  next.status["completionTime"] = ended;
  next.note = Note{false, "Completed", "Job completed", "Complete"};
  const Value* succeeded = next.status.if_contains("succeeded");
  next.too_many_succeeded =
      seen.job.completions && succeeded && model::int_at(*succeeded, {}, 0) > *seen.job.completions;
}

bool all_let_go(const Observed& seen, const Tally& counts) {
  const bool tracked = std::any_of(seen.pods.begin(), seen.pods.end(),
                                   [](const JobPod& pod) { return pod.tracked; });
  return !tracked && counts.active.empty() && counts.terminating == 0;
}

void record_indexes(const Tally& counts, NextStatus& next) {
  put_count(next.status, "succeeded", counts.succeeded_indexes.size());
  if (counts.succeeded_indexes.size() > 0)
    next.status["completedIndexes"] = counts.succeeded_indexes.text();
  else
    next.status.erase("completedIndexes");
  next.records |= !(counts.succeeded_indexes == counts.recorded_indexes);
  if (counts.failed_indexes) next.status["failedIndexes"] = counts.failed_indexes->text();
}

}  // namespace

bool is_recorded(const Observed& seen, const Tally& counts, const std::optional<Verdict>& verdict,
                 const JobPod& pod) {
  const Job& job = seen.job;
  if (pod.succeeded() && job.uncounted_failed.count(pod.uid()) == 0) {
    if (!job.indexed) return job.uncounted_succeeded.count(pod.uid()) > 0;
    return !job.holds(pod.index) || counts.recorded_indexes.has(pod.index);
  }
  // When the Job fails, so do all pods that have not ended.
  if (!pod.failed && (!verdict || verdict->success)) return true;
  if (!pod.ruling.counts() || (job.indexed && !job.holds(pod.index))) return true;
  return job.uncounted_failed.count(pod.uid()) > 0;
}

NextStatus next_status(const Observed& seen, const Tally& counts,
                       const std::optional<Verdict>& verdict) {
  NextStatus next;
  const Job& job = seen.job;
  next.status = model::object_at(job.value, {"status"});
  if (!job.started && !job.suspended) {
    next.status["startTime"] = model::to_rfc3339(seen.now);
    next.records = true;
  }
  put_count(next.status, "active", int64_t(counts.active.size()));
  next.status["ready"] = counts.ready;
  next.status["terminating"] = counts.terminating;

  Uncounted uncounted;
  const int64_t succeeded = settle(seen, "succeeded", uncounted.succeeded);
  const int64_t failed = settle(seen, "failed", uncounted.failed);
  put_count(next.status, "succeeded", job.status_count("succeeded") + succeeded);
  put_count(next.status, "failed", job.status_count("failed") + failed);
  next.records |= enter(seen, counts, verdict, uncounted);
  next.status["uncountedTerminatedPods"] = to_value(uncounted);
  if (job.indexed) record_indexes(counts, next);

  if (verdict)
    record_verdict(seen, *verdict, next);
  else if (!job.being_deleted)
    record_suspension(seen, next);
  if (verdict && verdict->recorded && !next.records && uncounted.size() == 0 &&
      all_let_go(seen, counts))
    finish(seen, *verdict, next);
  return next;
}

}  // namespace holdfast::workloads::job
