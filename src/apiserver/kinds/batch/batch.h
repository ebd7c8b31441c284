/// The rules of Job and CronJob, and what their files share.
#pragma once

#include "kinds/pod/pod.h"
#include "kinds/rules.h"

namespace holdfast::apiserver::batch {

extern const KindRules kJob;
extern const KindRules kCronJob;

/// Defaults inside a JobSpec that a CronJob's template gets too.
void default_job_template(model::Value& job_spec);

}  // namespace holdfast::apiserver::batch
