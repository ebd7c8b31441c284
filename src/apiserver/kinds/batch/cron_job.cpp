/// CronJob: jobs by the clock. Schedule and time zone are read on the write, not when a job is due.
#include <holdfast/base/text.h>

#include "kinds/batch/batch.h"
#include "kinds/batch/schedule.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::apiserver::batch {

using model::Value;

namespace {

void set_defaults(Value& cron_job) {
  Value& spec = object_member(cron_job, "spec");
  default_member(spec, "concurrencyPolicy", "Allow");
  default_member(spec, "suspend", false);
  default_member(spec, "successfulJobsHistoryLimit", 3);
  default_member(spec, "failedJobsHistoryLimit", 1);
  default_job_template(object_member(object_member(spec, "jobTemplate"), "spec"));
}

void prepare_create(Value& cron_job) {
  cron_job.get_object()["status"] = model::Object();
  if (Value* spec = model::find(cron_job, {"spec", "jobTemplate", "spec"}))
    pod::drop_gated_template_fields(*spec, nullptr);
}

void prepare_update(Value& cron_job, const Value& old) {
  if (Value* spec = model::find(cron_job, {"spec", "jobTemplate", "spec"}))
    pod::drop_gated_template_fields(*spec, model::find(old, {"spec", "jobTemplate", "spec"}));
}

constexpr size_t kMaxNameBytes = 52;  // the names of its jobs add 11

void check_schedule(const Place& schedule, const Place& zone, const Value* old) {
  if (!schedule.need()) return;
  const std::string fault = schedule_fault(schedule.text());
  if (!fault.empty()) schedule.invalid(fault);
  if (schedule.text().find("TZ") == std::string_view::npos) return;
  const bool had_zone = old != nullptr && model::string_at(*old, {"spec", "schedule"}).find("TZ") !=
                                              std::string_view::npos;
  if (!had_zone)
    schedule.invalid("cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  else if (zone.present())
    schedule.invalid("cannot use both timeZone field and TZ or CRON_TZ in schedule");
}

bool is_zone_part(std::string_view part) {
  if (part.empty() || part.size() > 14 || part == "." || part == ".." || part.starts_with('-'))
    return false;
  return std::all_of(part.begin(), part.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_' || c == '+';
  });
}

void check_time_zone(const Place& zone) {
  if (!zone.present()) return;
  const std::string_view name = zone.text();
  if (name.empty()) return zone.invalid("timeZone must be nil or non-empty string");
  const auto parts = split(name, '/');
  if (!std::all_of(parts.begin(), parts.end(), is_zone_part))
    return zone.invalid(fmt::format("unknown time zone {}", name));
  if (to_lower(name) == "local")
    zone.invalid(
        "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
  if (name != "Local" && !is_time_zone(name))
    zone.invalid(fmt::format("unknown time zone {}", name));
}

void check_spec(const Place& spec, const Value* old) {
  const Place zone = spec["timeZone"];
  check_schedule(spec["schedule"], zone, old);
  spec["startingDeadlineSeconds"].non_negative();
  const Value* old_zone = old == nullptr ? nullptr : model::find(*old, {"spec", "timeZone"});
  if (old_zone == nullptr || !model::equal(*old_zone, zone.value())) check_time_zone(zone);
  spec["concurrencyPolicy"].need_one_of({"Allow", "Forbid", "Replace"});
  const Place job_spec = spec["jobTemplate"]["spec"];
  check_job_spec(job_spec);
  if (job_spec["selector"].present())
    job_spec["selector"].invalid("`selector` will be auto-generated");
  if (job_spec["manualSelector"].flag()) job_spec["manualSelector"].unsupported({"nil", "false"});
  spec["successfulJobsHistoryLimit"].non_negative();
  spec["failedJobsHistoryLimit"].non_negative();
}

void validate(const Value& cron_job, model::FieldErrors& errors) {
  const Place root(cron_job, errors);
  check_spec(root["spec"], nullptr);
  const Place name = root["metadata"]["name"];
  if (name.text().size() > kMaxNameBytes) name.invalid("must be no more than 52 characters");
}

void validate_update(const Value& cron_job, const Value& old, model::FieldErrors& errors) {
  check_spec(Place(cron_job, errors)["spec"], &old);
}

void warn(const Value& cron_job, std::vector<std::string>& warnings) {
  pod::warn_about_name(cron_job, "Pod names and hostnames", warnings);
  if (const Value* spec = model::find(cron_job, {"spec", "jobTemplate", "spec"}))
    warn_about_job_spec(*spec, "spec.jobTemplate.spec", warnings);
}

}  // namespace

constinit const KindRules kCronJob = {
    .group = "batch",
    .kind = "CronJob",
    .set_defaults = set_defaults,
    .prepare_create = prepare_create,
    .prepare_update = prepare_update,
    .validate = validate,
    .validate_update = validate_update,
    .warn = warn,
};

}  // namespace holdfast::apiserver::batch
