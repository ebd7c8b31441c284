#include "job/act.h"

#include "pods/claim.h"
#include "pods/template.h"

#include <fmt/format.h>

namespace holdfast::workloads::job {

using control::Note;
using control::Write;
using model::Array;
using model::Object;
using model::Value;

namespace {

/// What the server adds its own suffix to keeps this many characters.
constexpr size_t kLongestPrefix = 58;

/// "sum-3-", cut before the index if it is too long.
std::string indexed_prefix(std::string_view job, int64_t index) {
  const std::string tail = fmt::format("-{}-", index);
  if (job.size() + tail.size() > kLongestPrefix) job = job.substr(0, kLongestPrefix - tail.size());
  return std::string(job) + tail;
}

/// The name of the first attempt that no pod has. Attempts that the status has counted are passed
/// over: their pods may be gone, but nobody should meet two pods of one name.
std::string free_name(const Observed& seen, int64_t index) {
  const Job& job = seen.job;
  std::string base = job.name;
  int64_t attempt = 0;
  if (index >= 0) {
    base = indexed_prefix(job.name, index);
    base.pop_back();
  } else {
    attempt = job.status_count("succeeded") + job.status_count("failed");
  }
  for (;; ++attempt) {
    std::string name = control::child_name(base, job.uid, fmt::format("{}/{}", index, attempt));
    if (!seen.name_taken(name)) return name;
  }
}

void tell_index(Value& pod, int64_t index) {
  for (const std::string_view list : {"initContainers", "containers"}) {
    Value* containers = model::find(pod, {"spec", list});
    if (containers == nullptr || !containers->is_array()) continue;
    for (Value& container : containers->as_array()) {
      const Array& told = model::array_at(container, {"env"});
      const bool has = std::any_of(told.begin(), told.end(), [](const Value& variable) {
        return model::string_at(variable, {"name"}) == "JOB_COMPLETION_INDEX";
      });
      if (has) continue;
      Value& env = container.as_object()["env"];
      if (!env.is_array()) env = Array();
      Value variable = Object{{"name", "JOB_COMPLETION_INDEX"}};
      model::ensure_object(variable, {"valueFrom", "fieldRef"})["fieldPath"] =
          fmt::format("metadata.labels['{}']", kIndexKey);
      env.as_array().push_back(std::move(variable));
    }
  }
  const std::string number = std::to_string(index);
  model::ensure_object(pod, {"metadata", "annotations"})[kIndexKey] = number;
  model::ensure_object(pod, {"metadata", "labels"})[kIndexKey] = number;
}

void tell_failures(Value& pod, const JobPod* predecessor) {
  int64_t failures = 0, ignored = 0;
  if (predecessor != nullptr) {
    failures = predecessor->index_failures;
    ignored = predecessor->index_failures_ignored;
    ++(predecessor->ruling.counts() ? failures : ignored);
  }
  Object& annotations = model::ensure_object(pod, {"metadata", "annotations"});
  annotations[kFailureCount] = std::to_string(failures);
  if (ignored > 0) annotations[kIgnoredCount] = std::to_string(ignored);
}

void track(Value& pod) {
  Value& finalizers = model::ensure_object(pod, {"metadata"})["finalizers"];
  if (!finalizers.is_array()) finalizers = Array();
  Array& list = finalizers.as_array();
  if (std::find(list.begin(), list.end(), Value(kTracking)) == list.end())
    list.emplace_back(kTracking);
}

}  // namespace

Write create_pod(const Observed& seen, int64_t index, const JobPod* predecessor) {
  const Job& job = seen.job;
  const Value* pattern = model::find(job.value, {"spec", "template"});
  const std::string name = free_name(seen, index);
  Value pod = pod_from_template(pattern ? *pattern : Value(Object()), job.ns, name,
                                index >= 0 ? indexed_prefix(job.name, index) : pod_prefix(job.name),
                                control::controller_reference(kube::kJobs, job.object));
  track(pod);
  if (index >= 0) {
    tell_index(pod, index);
    model::ensure_object(pod, {"spec"})["hostname"] = fmt::format("{}-{}", job.name, index);
    if (job.limit_per_index) tell_failures(pod, predecessor);
  }
  Write write = control::create(kube::kPods, std::move(pod));
  write.note = Note{false, "SuccessfulCreate", "Created pod: " + name, "Create"};
  write.refused = Note{true, "FailedCreate", "Error creating", "Create"};
  return write;
}

Write delete_pod(const JobPod& pod) {
  Write write = control::remove(kube::kPods, pod.object);
  write.note = Note{false, "SuccessfulDelete", "Deleted pod: " + pod.meta.name, "Delete"};
  write.refused = Note{true, "FailedDelete", "Error deleting", "Delete"};
  return write;
}

Write let_go(const kube::Cached& pod) {
  Value patch(boost::json::object_kind);
  model::ensure_object(patch, {"metadata"})["$deleteFromPrimitiveList/finalizers"] =
      Array{Value(kTracking)};
  Write write = control::patch(kube::kPods, pod, std::move(patch), control::Decides::No);
  write.patch_type = kube::PatchType::Strategic;
  return write;
}

Write report(const Observed& seen, NextStatus next) {
  Value changed = seen.job.value;
  changed.as_object()["status"] = std::move(next.status);
  Write write = control::update_status(kube::kJobs, seen.job.object, std::move(changed));
  write.note = std::move(next.note);
  return write;
}

Write adopt_pod(const Job& job, const kube::Cached& pod) {
  Write write = adopt(kube::kJobs, job.object, kube::kPods, pod);
  model::ensure_object(write.body, {"metadata"})["finalizers"] = Array{Value(kTracking)};
  return write;
}

Write release_pod(const Job& job, const kube::Cached& pod) {
  Write write = release(job.uid, kube::kPods, pod);
  model::ensure_object(write.body, {"metadata"})["$deleteFromPrimitiveList/finalizers"] =
      Array{Value(kTracking)};
  return write;
}

}  // namespace holdfast::workloads::job
