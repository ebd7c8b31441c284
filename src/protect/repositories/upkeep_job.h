/// The Job that does one run of upkeep, beside the location.
#pragma once

#include "repositories/plan.h"

namespace holdfast::protect {

inline constexpr std::string_view kUpkeepLabel = "holdfast.dev/upkeep";
inline constexpr std::string_view kRunAnnotation = "holdfast.dev/run";

/// What its pod is told, without a secret.
UpkeepTask upkeep_task(const RepositorySeen& seen);
/// Of status.running. Its pod needs nothing of the API server, so it gets no account's token.
control::Write start_upkeep(const RepositorySeen& seen, const MoverSettings& settings);
/// The pod that a Job of ours would make.
model::Value pod_of(const JobSeen& job);
/// `pods` are those of the Job.
JobSeen job_seen(const kube::Cached& job, const std::vector<kube::Cached>& pods);

}  // namespace holdfast::protect
