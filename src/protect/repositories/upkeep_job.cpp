#include "repositories/upkeep_job.h"

#include <holdfast/kube/typed.h>
#include <holdfast/model/time.h>
#include <holdfast/protect/pods.h>

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
  OwnPod pod{"upkeep", "upkeep", settings.image, settings.command};
  pod.parts = {
      {"env", Array{Object{{"name", "HOLDFAST_UPKEEP"}, {"value", to_text(upkeep_task(seen))}}}},
      {"volumeMounts", std::move(mounts.mounts)}};
  pod.volumes = std::move(mounts.volumes);
  pod.reports = true;
  return spec_of(std::move(pod));
}

/// The report of the pod that ended last, and why one that has not begun does not.
void look_at_pod(const PodSeen& pod, std::optional<WallTime>& ended, JobSeen& out) {
  if (pod.ended && (!ended || *pod.ended >= *ended)) {
    ended = pod.ended;
    out.report = pod.report;
  }
  if (!pod.waiting.reason.empty()) out.trouble = pod.why_waiting();
  if (!pod.not_scheduled.empty()) out.trouble = pod.not_scheduled;
}

}  // namespace

UpkeepTask upkeep_task(const RepositorySeen& seen) {
  const Repository::Spec& spec = seen.repository.spec;
  UpkeepTask task;
  task.kind = seen.repository.status.running->kind;
  task.access = access_to(*seen.location, spec.ns.empty() ? seen.ns : spec.ns,
                          {.id = seen.repository.status.repository_id, .is_kept = true});
  if (task.kind == "Check") task.read_data_subset = spec.maintenance.check.read_data_subset;
  return task;
}

control::Write start_upkeep(const RepositorySeen& seen, const MoverSettings& settings) {
  const Repository::Run& run = *seen.repository.status.running;
  const Object labels{{kUpkeepLabel, run.kind}, {"app.kubernetes.io/managed-by", "holdfast"}};
  const Value owner = control::controller_reference(kube::resource_of<Repository>(), seen.object);
  return control::create(
      kube::kJobs,
      Object{{"apiVersion", "batch/v1"},
             {"kind", "Job"},
             {"metadata", Object{{"name", run.job},
                                 {"namespace", seen.ns},
                                 {"labels", labels},
                                 {"ownerReferences", Array{owner}}}},
             {"spec", Object{{"backoffLimit", 3},
                             {"activeDeadlineSeconds", kLongestRun},
                             {"podFailurePolicy", failure_policy()},
                             {"template", Object{{"metadata", Object{{"labels", labels}}},
                                                 {"spec", pod_spec(seen, settings)}}}}}});
}

Value pod_of(const JobSeen& job) {
  const auto shared = job.object.shared_value();
  Object metadata{
      {"generateName", job.name + "-"},
      {"namespace", string_at(*shared, {"metadata", "namespace"})},
      {"labels", model::object_at(*shared, {"spec", "template", "metadata", "labels"})}};
  return Object{{"apiVersion", "v1"},
                {"kind", "Pod"},
                {"metadata", std::move(metadata)},
                {"spec", model::object_at(*shared, {"spec", "template", "spec"})}};
}

JobSeen job_seen(const kube::Cached& job, const std::vector<kube::Cached>& pods) {
  const auto shared = job.shared_value();
  const Value& object = *shared;
  JobSeen out;
  out.object = job;
  out.name = job.name();
  out.kind = string_at(object, {"metadata", "labels", kUpkeepLabel});
  out.deleting = job.being_deleted();
  out.has_pods = !pods.empty();
  out.created = model::parse_rfc3339(string_at(object, {"metadata", "creationTimestamp"}));
  std::optional<WallTime> ended;
  for (const kube::Cached& pod : pods) look_at_pod(pod_seen(pod), ended, out);
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
