#include "kinds/batch/batch.h"

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

}  // namespace

constinit const KindRules kCronJob = {
    .group = "batch",
    .kind = "CronJob",
    .set_defaults = set_defaults,
    .prepare_create = prepare_create,
    .prepare_update = prepare_update,
};

}  // namespace holdfast::apiserver::batch
