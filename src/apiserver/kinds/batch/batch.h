/// The rules of Job and CronJob, and what their files share.
#pragma once

#include "kinds/pod/pod.h"
#include "kinds/rules.h"

namespace holdfast::apiserver::batch {

extern const KindRules kJob;
extern const KindRules kCronJob;

/// Defaults inside a JobSpec that a CronJob's template gets too.
void default_job_template(model::Value& job_spec);

/// A JobSpec but for its selector, which a CronJob's template has not.
void check_job_spec(const Place& spec);
void check_job_selector(const Place& spec);
void check_failure_policy(const Place& spec);
void check_success_policy(const Place& spec);
void check_job_status(const model::Value& job, const model::Value& old, model::FieldErrors& errors);
/// What is wrong with `1,3-5`; "" if nothing.
std::string index_list_fault(std::string_view text, int64_t completions);
void warn_about_job_spec(const model::Value& spec, std::string_view path,
                         std::vector<std::string>& warnings);

}  // namespace holdfast::apiserver::batch
