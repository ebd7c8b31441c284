#include "job/observed.h"

#include <holdfast/model/time.h>

#include <charconv>
#include <tuple>

namespace holdfast::workloads::job {

using model::array_at;
using model::int_at;
using model::string_at;
using model::Value;

namespace {

std::optional<int64_t> optional_int(const Value& job, std::string_view field) {
  const Value* value = model::find(job, {"spec", field});
  if (value == nullptr || value->is_null()) return std::nullopt;
  return int_at(job, {"spec", field}, 0);
}

/// -1 if the annotation is not there or says no number from 0 up.
int64_t annotated_number(const Value& pod, std::string_view name) {
  const std::string_view text = string_at(pod, {"metadata", "annotations", name});
  int32_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::max(number, -1) : -1;
}

std::optional<WallTime> containers_ended(const Value& pod) {
  std::set<std::string_view> sidecars;
  for (const Value& container : array_at(pod, {"spec", "initContainers"}))
    if (string_at(container, {"restartPolicy"}) == "Always")
      sidecars.insert(string_at(container, {"name"}));
  std::optional<WallTime> latest;
  bool all = true;
  const auto look = [&](const Value& status) {
    const auto at = model::parse_rfc3339(string_at(status, {"state", "terminated", "finishedAt"}));
    if (!at)
      all = false;
    else if (!latest || *latest < *at)
      latest = at;
  };
  for (const Value& status : array_at(pod, {"status", "containerStatuses"})) look(status);
  for (const Value& status : array_at(pod, {"status", "initContainerStatuses"}))
    if (sidecars.count(string_at(status, {"name"})) > 0) look(status);
  return all ? latest : std::nullopt;
}

void read_uncounted(const Value& job, std::string_view which, std::set<std::string>& uids) {
  for (const Value& uid : array_at(job, {"status", "uncountedTerminatedPods", which}))
    if (uid.is_string()) uids.emplace(model::view(uid.get_string()));
}

bool is_failed(const Pod& pod, const Job& job) {
  if (pod.phase == "Failed") return true;
  if (job.only_replaces_failed) return false;
  // A pod whose node is gone is deleted without ever having failed.
  return !pod.meta.deletion_timestamp.empty() && pod.phase != "Succeeded";
}

}  // namespace

int64_t Job::status_count(std::string_view field) const {
  return int_at(value, {"status", field}, 0);
}

const Value* Job::condition(std::string_view type) const {
  for (const Value& condition : array_at(value, {"status", "conditions"}))
    if (string_at(condition, {"type"}) == type)
      return string_at(condition, {"status"}) == "True" ? &condition : nullptr;
  return nullptr;
}

WallTime ended_at(const Value& pod) {
  if (const auto ended = containers_ended(pod)) return *ended;
  for (const Value& condition : array_at(pod, {"status", "conditions"})) {
    if (string_at(condition, {"type"}) != "Ready") continue;
    const auto since = model::parse_rfc3339(string_at(condition, {"lastTransitionTime"}));
    if (since && string_at(condition, {"status"}) == "False") return *since;
  }
  if (const auto at = model::parse_rfc3339(string_at(pod, {"metadata", "deletionTimestamp"})))
    return *at - std::chrono::seconds(int_at(pod, {"metadata", "deletionGracePeriodSeconds"}, 0));
  const auto created = model::parse_rfc3339(string_at(pod, {"metadata", "creationTimestamp"}));
  return created.value_or(WallTime{});
}

Job read_job(const kube::Cached& object) {
  Job job;
  job.object = object;
  job.value = object.value();
  job.ns = object.ns();
  job.name = object.name();
  job.uid = object.uid();
  job.being_deleted = object.being_deleted();
  const Value& value = job.value;
  job.suspended = model::bool_at(value, {"spec", "suspend"}, false);
  job.indexed = string_at(value, {"spec", "completionMode"}) == "Indexed";
  job.only_replaces_failed = string_at(value, {"spec", "podReplacementPolicy"}) == "Failed" ||
                             model::find(value, {"spec", "podFailurePolicy"}) != nullptr;
  job.parallelism = int_at(value, {"spec", "parallelism"}, 1);
  job.backoff_limit = int_at(value, {"spec", "backoffLimit"}, 6);
  job.completions = optional_int(value, "completions");
  job.active_deadline = optional_int(value, "activeDeadlineSeconds");
  job.limit_per_index = optional_int(value, "backoffLimitPerIndex");
  job.max_failed_indexes = optional_int(value, "maxFailedIndexes");
  job.started = model::parse_rfc3339(string_at(value, {"status", "startTime"}));
  read_uncounted(value, "succeeded", job.uncounted_succeeded);
  read_uncounted(value, "failed", job.uncounted_failed);
  return job;
}

JobPod read_job_pod(const kube::Cached& object, const Job& job) {
  JobPod pod;
  pod.value = object.value();
  static_cast<Pod&>(pod) = read_pod(pod.value);
  pod.object = object;
  const auto& finalizers = pod.meta.finalizers;
  pod.tracked = std::find(finalizers.begin(), finalizers.end(), kTracking) != finalizers.end();
  pod.index = annotated_number(pod.value, kIndexKey);
  pod.failed = is_failed(pod, job);
  if (pod.failed || pod.succeeded()) pod.ended = ended_at(pod.value);
  pod.index_failures = std::max<int64_t>(annotated_number(pod.value, kFailureCount), 0);
  pod.index_failures_ignored = std::max<int64_t>(annotated_number(pod.value, kIgnoredCount), 0);
  const Value* policy = model::find(job.value, {"spec", "podFailurePolicy"});
  if (policy != nullptr) pod.ruling = judge(*policy, pod.value);
  return pod;
}

void put_in_order(Observed& seen) {
  std::sort(seen.pods.begin(), seen.pods.end(), [](const JobPod& a, const JobPod& b) {
    return std::tie(a.index, a.meta.name) < std::tie(b.index, b.meta.name);
  });
}

}  // namespace holdfast::workloads::job
