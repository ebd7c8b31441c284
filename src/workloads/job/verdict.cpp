/// Verdict on a Job, whether it ends and why; what the status already says comes first, failure
/// before success.
#include "job/tally.h"

#include <fmt/format.h>

namespace holdfast::workloads::job {

using model::string_at;
using model::Value;

namespace {

Verdict recorded(const Value& condition, bool success) {
  return {.success = success,
          .reason = std::string(string_at(condition, {"reason"})),
          .message = std::string(string_at(condition, {"message"})),
          .recorded = true};
}

/// Containers that restart in their pod have a limit too.
bool restarted_too_often(const Observed& seen) {
  if (string_at(seen.job.value, {"spec", "template", "spec", "restartPolicy"}) != "OnFailure")
    return false;
  int64_t restarts = 0;
  for (const JobPod& pod : seen.pods) {
    if (pod.phase != "Running" && pod.phase != "Pending") continue;
    for (const std::string_view list : {"initContainerStatuses", "containerStatuses"})
      for (const Value& status : model::array_at(pod.value, {"status", list}))
        restarts += model::int_at(status, {"restartCount"}, 0);
  }
  return seen.job.backoff_limit == 0 ? restarts > 0 : restarts >= seen.job.backoff_limit;
}

bool past_deadline(const Observed& seen) {
  const Job& job = seen.job;
  if (!job.active_deadline || !job.started || job.suspended) return false;
  return seen.now - *job.started >= std::chrono::seconds(*job.active_deadline);
}

std::optional<Verdict> failure(const Observed& seen, const Tally& counts) {
  const Job& job = seen.job;
  for (const JobPod& pod : seen.pods)
    if (pod.failed && pod.ruling.action == Ruling::Action::FailJob)
      return Verdict{.reason = "PodFailurePolicy", .message = pod.ruling.message};
  if (counts.failed > job.backoff_limit || restarted_too_often(seen))
    return Verdict{.reason = "BackoffLimitExceeded",
                   .message = "Job has reached the specified backoff limit"};
  if (past_deadline(seen))
    return Verdict{.reason = "DeadlineExceeded",
                   .message = "Job was active longer than specified deadline"};
  if (!counts.failed_indexes) return std::nullopt;
  const int64_t failed = counts.failed_indexes->size();
  if (job.max_failed_indexes && failed > *job.max_failed_indexes)
    return Verdict{.reason = "MaxFailedIndexesExceeded",
                   .message = "Job has exceeded the specified maximal number of failed indexes"};
  if (failed > 0 && failed + counts.succeeded_indexes.size() >= *job.completions)
    return Verdict{.reason = "FailedIndexes", .message = "Job has failed indexes"};
  return std::nullopt;
}

bool rule_met(const Value& rule, const Job& job, const Indexes& succeeded) {
  const Value* count = model::find(rule, {"succeededCount"});
  const int64_t enough = model::int_at(rule, {"succeededCount"}, 0);
  if (model::find(rule, {"succeededIndexes"}) == nullptr)
    return count != nullptr && succeeded.size() >= enough;
  const Indexes needed = Indexes::parse(string_at(rule, {"succeededIndexes"}), *job.completions);
  if (needed.size() == 0) return false;
  const int64_t common = needed.in_common_with(succeeded);
  return common == needed.size() || (count != nullptr && common >= enough);
}

std::optional<Verdict> success(const Observed& seen, const Tally& counts) {
  const Job& job = seen.job;
  if (job.indexed && counts.succeeded_indexes.size() > 0) {
    const model::Array& rules = model::array_at(job.value, {"spec", "successPolicy", "rules"});
    for (size_t i = 0; i < rules.size(); ++i)
      if (rule_met(rules[i], job, counts.succeeded_indexes))
        return Verdict{.success = true,
                       .reason = "SuccessPolicy",
                       .message = fmt::format("Matched rules at index {}", i)};
  }
  const bool enough = job.completions ? counts.succeeded >= *job.completions : counts.succeeded > 0;
  if (!enough || !counts.active.empty()) return std::nullopt;
  return Verdict{.success = true,
                 .reason = "CompletionsReached",
                 .message = "Reached expected number of succeeded pods"};
}

}  // namespace

std::optional<Verdict> verdict(const Observed& seen, const Tally& counts) {
  if (const Value* met = seen.job.condition("SuccessCriteriaMet")) return recorded(*met, true);
  if (const Value* target = seen.job.condition("FailureTarget")) return recorded(*target, false);
  if (auto failed = failure(seen, counts)) return failed;
  return success(seen, counts);
}

}  // namespace holdfast::workloads::job
