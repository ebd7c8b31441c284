/// Job: pods that run to an end. The server makes the selector, and most of the spec never changes.
#include "kinds/batch/batch.h"
#include "kinds/selectors.h"

#include <fmt/format.h>

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
  // A new job takes its labels in prepare_create, when the template has those that the server
  // makes.
  if (labels.contains("controller-uid") && model::object_at(job, {"metadata", "labels"}).empty())
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
  Value& pod_metadata = object_member(object_member(spec, "template"), "metadata");
  model::Object& labels = object_member(pod_metadata, "labels").get_object();
  for (std::string_view label : {"job-name", "batch.kubernetes.io/job-name"})
    labels.emplace(label, name);
  for (std::string_view label : {"controller-uid", "batch.kubernetes.io/controller-uid"})
    labels.emplace(label, uid);
  Value& selected = object_member(object_member(spec, "selector"), "matchLabels");
  selected.get_object().emplace("batch.kubernetes.io/controller-uid", uid);
  sort_members(selected);
  sort_members(*model::find(pod_metadata, {"labels"}));
}

void prepare_create(Value& job) {
  generate_selector(job);
  const model::Object labels = model::object_at(job, {"spec", "template", "metadata", "labels"});
  if (!labels.empty() && model::object_at(job, {"metadata", "labels"}).empty())
    object_member(job, "metadata").get_object()["labels"] = labels;
  job.get_object()["status"] = model::Object();
  pod::drop_gated_template_fields(object_member(job, "spec"), nullptr);
}

void prepare_update(Value& job, const Value& old) {
  pod::drop_gated_template_fields(object_member(job, "spec"), model::find(old, {"spec"}));
}

void check_has_label(const Place& metadata, std::string_view name, std::string_view expected) {
  const Place label = metadata["labels"].entry(name);
  if (!label.present())
    label.required(fmt::format("must be '{}'", expected));
  else if (label.text() != expected)
    label.invalid(metadata["labels"].value(), fmt::format("must be '{}'", expected));
}

/// A selector that the server makes must be the one that it would have made.
void check_generated_selector(const Place& job, bool prefixed_labels) {
  const Place spec = job["spec"];
  const std::string_view uid = job["metadata"]["uid"].text();
  const std::string_view name = job["metadata"]["name"].text();
  if (spec["manualSelector"].flag() || !spec["selector"].present()) return;
  if (uid.empty()) job["metadata"]["uid"].required();
  model::Object expected{{"controller-uid", Value(uid)}, {"job-name", Value(name)}};
  if (prefixed_labels) {
    expected["batch.kubernetes.io/controller-uid"] = Value(uid);
    expected["batch.kubernetes.io/job-name"] = Value(name);
  }
  for (const auto& label : expected)
    check_has_label(spec["template"]["metadata"], label.key(), model::string_at(label.value(), {}));
  if (match_labels(spec["selector"].value(), Value(expected)) == Match::No)
    spec["selector"].invalid("`selector` not auto-generated");
}

void check_job(const Place& job, bool prefixed_labels) {
  const Place spec = job["spec"];
  check_generated_selector(job, prefixed_labels);
  check_job_spec(spec);
  check_job_selector(spec);
  const int64_t completions = spec["completions"].number();
  if (spec["completionMode"].text() != "Indexed" || completions <= 0) return;
  const Place name = job["metadata"]["name"];
  const std::string last_host = fmt::format("{}-{}", name.text(), completions - 1);
  if (!model::check_dns1123_label(last_host).empty())
    name.invalid(fmt::format("will not able to create pod with invalid DNS label: {}", last_host));
}

void validate(const Value& job, model::FieldErrors& errors) { check_job(Place(job, errors), true); }

const Value& member(const Value& object, std::string_view name) {
  static const Value none;
  const Value* found = model::find(object, {name});
  return found == nullptr ? none : *found;
}

/// While a job is suspended and never ran, its author may still say where its pods go.
Value with_new_scheduling(const Value& old_template, const Place& now) {
  Value out = old_template;
  if (!out.is_object()) return out;
  const auto take = [](Value& into, const Place& from, std::string_view name) {
    if (from[name].present())
      into.get_object()[name] = from[name].value();
    else
      model::erase(into, {name});
  };
  Value& spec = object_member(out, "spec");
  Value affinity = member(spec, "affinity");
  if (!affinity.is_object()) affinity = model::Object();
  take(affinity, now["spec"]["affinity"], "nodeAffinity");
  if (affinity.get_object().empty() && !now["spec"]["affinity"].present())
    model::erase(spec, {"affinity"});
  else
    spec.get_object()["affinity"] = affinity;
  for (std::string_view name : {"nodeSelector", "tolerations", "schedulingGates"})
    take(spec, now["spec"], name);
  Value& metadata = object_member(out, "metadata");
  for (std::string_view name : {"annotations", "labels"}) take(metadata, now["metadata"], name);
  return out;
}

void check_completions(const Place& spec, const Value& old) {
  const Place completions = spec["completions"];
  if (spec["completionMode"].text() != "Indexed")
    return immutable(completions, member(old, "completions"));
  if (!completions.present() || model::equal(completions.value(), member(old, "completions")))
    return;
  if (completions.number() != spec["parallelism"].number())
    completions.invalid("can only be modified in tandem with spec.parallelism");
}

void validate_update(const Value& object, const Value& old, model::FieldErrors& errors) {
  const Place job(object, errors);
  const Place spec = job["spec"];
  const Value& old_spec = member(old, "spec");
  const auto& old_labels = model::object_at(old_spec, {"template", "metadata", "labels"});
  check_job(job, old_labels.contains("batch.kubernetes.io/job-name") &&
                     old_labels.contains("batch.kubernetes.io/controller-uid"));
  check_job_spec(
      spec);  // once more, as the real server does: each of these errors is among the causes twice
  check_job_selector(spec);
  check_completions(spec, old_spec);
  immutable(spec["selector"], member(old_spec, "selector"));
  const bool waiting = model::bool_at(old_spec, {"suspend"}, false) &&
                       model::find(old, {"status", "startTime"}) == nullptr;
  const Value& old_template = member(old_spec, "template");
  immutable(spec["template"],
            waiting ? with_new_scheduling(old_template, spec["template"]) : old_template);
  for (std::string_view name :
       {"completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"})
    immutable(spec[name], member(old_spec, name));
}

void warn(const Value& job, std::vector<std::string>& warnings) {
  pod::warn_about_name(job, "Pod names and hostnames", warnings);
  warn_about_job_spec(member(job, "spec"), "spec", warnings);
}

}  // namespace

void warn_about_job_spec(const Value& spec, std::string_view path,
                         std::vector<std::string>& warnings) {
  if (model::string_at(spec, {"completionMode"}) == "Indexed" &&
      model::int_at(spec, {"completions"}, 0) > 100'000 &&
      model::int_at(spec, {"parallelism"}, 0) > 10'000)
    warnings.push_back(
        fmt::format("{}: In Indexed Jobs with a number of completions higher than 10^5 and a "
                    "parallelism higher than 10^4, Kubernetes "
                    "might not be able to track completedIndexes when a big number of indexes fail",
                    path));
  pod::warn_about(member(spec, "template"), model::child(path, "template"), warnings);
}

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
    .validate = validate,
    .validate_update = validate_update,
    .validate_status = check_job_status,
    .warn = warn,
};

}  // namespace holdfast::apiserver::batch
