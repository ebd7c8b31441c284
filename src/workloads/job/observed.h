/// State of a Job as observed: all that one decision about it needs, as plain values.
#pragma once

#include "job/indexes.h"
#include "pods/pod.h"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace holdfast::workloads::job {

inline constexpr std::string_view kTracking = "batch.kubernetes.io/job-tracking";
inline constexpr std::string_view kIndexKey = "batch.kubernetes.io/job-completion-index";
inline constexpr std::string_view kFailureCount = "batch.kubernetes.io/job-index-failure-count";
inline constexpr std::string_view kIgnoredCount =
    "batch.kubernetes.io/job-index-ignored-failure-count";

/// What a rule of spec.podFailurePolicy makes of a failed pod.
struct Ruling {
  enum class Action { None, Ignore, Count, FailIndex, FailJob } action = Action::None;
  std::string message{};  ///< FailJob: why the Job fails
  bool counts() const { return action != Action::Ignore; }
};

struct JobPod : Pod {
  model::Value value{};
  bool tracked = false;  ///< has the finalizer: not yet counted, or counted but not yet let go
  int64_t index = -1;    ///< completion index; -1 = none
  bool failed = false;   ///< as the Job sees it: also one that is being deleted, unless only failed
                         ///< pods are to be replaced
  WallTime ended{};      ///< when it finished, as well as it can be told
  int64_t index_failures = 0, index_failures_ignored = 0;
  Ruling ruling{};  ///< by spec.podFailurePolicy; decides once the pod has failed

  bool succeeded() const { return phase == "Succeeded"; }
  const std::string& uid() const { return meta.uid; }
};

struct Job {
  kube::Cached object{};
  model::Value value{};
  std::string ns{}, name{}, uid{};
  bool being_deleted = false, suspended = false, indexed = false;
  bool only_replaces_failed = false;  ///< terminating pods are waited for
  int64_t parallelism = 1, backoff_limit = 6;
  std::optional<int64_t> completions{}, active_deadline{}, limit_per_index{}, max_failed_indexes{};
  std::optional<WallTime> started{};
  std::set<std::string> uncounted_succeeded{}, uncounted_failed{};  ///< uids

  int64_t status_count(std::string_view name) const;
  /// The condition if it stands with status True.
  const model::Value* condition(std::string_view type) const;
  bool finished() const { return condition("Complete") || condition("Failed"); }
  /// A pod's index that means something to this Job.
  bool holds(int64_t index) const { return index >= 0 && index < completions.value_or(0); }
};

struct Observed {
  Job job{};
  std::vector<JobPod> pods{};  ///< the Job's own, ordered by index and name
  /// Whether a pod of that name is there, whoever owns it.
  std::function<bool(std::string_view name)> name_taken{};
  WallTime now{};
  bool refused = false;  ///< the server refused the write of the pass before
};

Job read_job(const kube::Cached& object);
JobPod read_job_pod(const kube::Cached& object, const Job& job);
/// The first rule of the policy that the pod matches.
Ruling judge(const model::Value& policy, const model::Value& pod);
/// When all containers had ended; else when it stopped being ready; else when it was deleted.
WallTime ended_at(const model::Value& pod);
void put_in_order(Observed& seen);

}  // namespace holdfast::workloads::job
