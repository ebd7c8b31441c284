#include "kinds/batch/batch.h"

#include <limits>

namespace holdfast::apiserver::batch {

using model::Value;

namespace {

void default_condition_status(Value& job_spec) {
  if (Value* policy = model::find(job_spec, {"podFailurePolicy"}))
    each_element(*policy, "rules", [](Value& rule) {
      each_element(rule, "onPodConditions",
                   [](Value& pattern) { default_member(pattern, "status", "True"); });
    });
}

void set_defaults(Value& job) {
  Value& spec = object_member(job, "spec");
  if (model::find(spec, {"completions"}) == nullptr &&
      model::find(spec, {"parallelism"}) == nullptr)
    default_member(spec, "completions", 1);
  default_member(spec, "parallelism", 1);
  const bool per_index = model::find(spec, {"backoffLimitPerIndex"}) != nullptr;
  default_member(spec, "backoffLimit", per_index ? std::numeric_limits<int32_t>::max() : 6);
  const model::Object labels = model::object_at(spec, {"template", "metadata", "labels"});
  if (!labels.empty() && model::object_at(job, {"metadata", "labels"}).empty())
    object_member(job, "metadata").get_object()["labels"] = labels;
  default_member(spec, "completionMode", "NonIndexed");
  default_member(spec, "suspend", false);
  const bool failure_policy = model::find(spec, {"podFailurePolicy"}) != nullptr;
  default_member(spec, "podReplacementPolicy", failure_policy ? "Failed" : "TerminatingOrFailed");
  default_member(spec, "manualSelector", false);
  default_job_template(spec);
}

/// The pods of a job are told apart by the job's uid, unless its author chose the selector.
void generate_selector(Value& job) {
  Value& spec = object_member(job, "spec");
  if (model::bool_at(spec, {"manualSelector"}, false)) return;
  const Value name(model::string_at(job, {"metadata", "name"}));
  const Value uid(model::string_at(job, {"metadata", "uid"}));
  auto& labels = model::ensure_object(spec, {"template", "metadata", "labels"});
  for (std::string_view label : {"job-name", "batch.kubernetes.io/job-name"})
    labels.emplace(label, name);
  for (std::string_view label : {"controller-uid", "batch.kubernetes.io/controller-uid"})
    labels.emplace(label, uid);
  model::ensure_object(spec, {"selector", "matchLabels"})
      .emplace("batch.kubernetes.io/controller-uid", uid);
}

void prepare_create(Value& job) {
  generate_selector(job);
  job.get_object()["status"] = model::Object();
  pod::drop_gated_template_fields(object_member(job, "spec"), nullptr);
}

void prepare_update(Value& job, const Value& old) {
  pod::drop_gated_template_fields(object_member(job, "spec"), model::find(old, {"spec"}));
}

}  // namespace

void default_job_template(Value& job_spec) {
  default_condition_status(job_spec);
  pod::default_template(job_spec);
}

constinit const KindRules kJob = {
    .group = "batch",
    .kind = "Job",
    .set_defaults = set_defaults,
    .prepare_create = prepare_create,
    .prepare_update = prepare_update,
};

}  // namespace holdfast::apiserver::batch
