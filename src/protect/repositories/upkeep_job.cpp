#include "repositories/upkeep_job.h"

#include <holdfast/model/time.h>

#include "locations/location_mounts.h"

#include <fmt/format.h>

namespace holdfast::protect {
namespace {

using model::Array;
using model::Object;
using model::string_at;
using model::Value;

/// The largest of repositories is pruned in a day; what takes longer hangs.
constexpr int64_t kLongestRun = 86400;

/// Another try does not make a wrong password right.
Value failure_policy() {
  const Object hopeless{
      {"containerName", "upkeep"}, {"operator", "In"}, {"values", Array{kUpkeepHopeless}}};
  return Object{{"rules", Array{Object{{"action", "FailJob"}, {"onExitCodes", hopeless}}}}};
}

Object pod_spec(const RepositorySeen& seen, const MoverSettings& settings) {
  PodMounts mounts;
  add_location(mounts, seen.location->location.spec);
  Array command;
  for (const std::string& word : settings.command) command.emplace_back(word);
  command.emplace_back("upkeep");
  const Object container{
      {"name", "upkeep"},
      {"image", settings.image},
      {"imagePullPolicy", "IfNotPresent"},
      {"command", std::move(command)},
      {"env", Array{Object{{"name", "HOLDFAST_UPKEEP"}, {"value", to_text(upkeep_task(seen))}}}},
      {"terminationMessagePolicy", "File"},
      {"volumeMounts", std::move(mounts.mounts)}};
  return Object{{"restartPolicy", "Never"},
                {"automountServiceAccountToken", false},
                {"terminationGracePeriodSeconds", 30},
                {"containers", Array{Value(container)}},
                {"volumes", std::move(mounts.volumes)}};
}

/// The report of the pod that ended last, and why one that has not begun does not.
void look_at_pod(const Value& pod, std::string& ended, JobSeen& out) {
  for (const Value& status : model::array_at(pod, {"status", "containerStatuses"})) {
    const std::string_view at = string_at(status, {"state", "terminated", "finishedAt"});
    if (!at.empty() && at >= ended) {
      ended = at;
      out.report = string_at(status, {"state", "terminated", "message"});
    }
    const std::string_view waiting = string_at(status, {"state", "waiting", "reason"});
    if (!waiting.empty())
      out.trouble =
          fmt::format("{}: {}", waiting, string_at(status, {"state", "waiting", "message"}));
  }
  for (const Value& condition : model::array_at(pod, {"status", "conditions"}))
    if (string_at(condition, {"type"}) == "PodScheduled" &&
        string_at(condition, {"status"}) == "False")
      out.trouble = string_at(condition, {"message"});
}

}  // namespace

UpkeepTask upkeep_task(const RepositorySeen& seen) {
  const Repository::Spec& spec = seen.repository.spec;
  UpkeepTask task;
  task.kind = seen.repository.status.running->kind;
  task.access = access_to(*seen.location, spec.ns.empty() ? seen.ns : spec.ns);
  if (task.kind == "Check") task.read_data_subset = spec.maintenance.check.read_data_subset;
  return task;
}

Value upkeep_job(const RepositorySeen& seen, const MoverSettings& settings, const Value& owner) {
  const Repository::Run& run = *seen.repository.status.running;
  const Object labels{{kUpkeepLabel, run.kind}, {"app.kubernetes.io/managed-by", "holdfast"}};
  return Object{{"apiVersion", "batch/v1"},
                {"kind", "Job"},
                {"metadata", Object{{"name", run.job},
                                    {"namespace", seen.ns},
                                    {"labels", labels},
                                    {"ownerReferences", Array{owner}}}},
                {"spec", Object{{"backoffLimit", 3},
                                {"activeDeadlineSeconds", kLongestRun},
                                {"podFailurePolicy", failure_policy()},
                                {"template", Object{{"metadata", Object{{"labels", labels}}},
                                                    {"spec", pod_spec(seen, settings)}}}}}};
}

JobSeen job_seen(const kube::Cached& job, const std::vector<kube::Cached>& pods) {
  const Value object = job.value();
  JobSeen out;
  out.name = job.name();
  out.kind = string_at(object, {"metadata", "labels", kUpkeepLabel});
  out.deleting = job.being_deleted();
  out.created = model::parse_rfc3339(string_at(object, {"metadata", "creationTimestamp"}));
  std::string ended;
  for (const kube::Cached& pod : pods) look_at_pod(pod.value(), ended, out);
  for (const Value& condition : model::array_at(object, {"status", "conditions"})) {
    const std::string_view type = string_at(condition, {"type"});
    if (string_at(condition, {"status"}) != "True" || (type != "Complete" && type != "Failed"))
      continue;
    out.finished = true;
    out.ended = model::parse_rfc3339(string_at(condition, {"lastTransitionTime"}));
    if (type == "Failed")
      out.trouble = fmt::format("{}: {}", string_at(condition, {"reason"}),
                                string_at(condition, {"message"}));
  }
  return out;
}

}  // namespace holdfast::protect
