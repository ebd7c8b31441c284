/// The single writes that a Job's plan can ask for, each safe to do twice.
#pragma once

#include "job/status.h"

namespace holdfast::workloads::job {

/// A pod of the Job; of that completion index if it is an Indexed one (otherwise -1).
/// `predecessor` is the failed pod whose count of failures it takes over, if any.
control::Write create_pod(const Observed& seen, int64_t index, const JobPod* predecessor);
control::Write delete_pod(const JobPod& pod);
/// Takes the tracking finalizer off.
control::Write let_go(const kube::Cached& pod);
control::Write report(const Observed& seen, NextStatus next);
/// With the finalizer, so that the pod is counted from now on.
control::Write adopt_pod(const Job& job, const kube::Cached& pod);
control::Write release_pod(const Job& job, const kube::Cached& pod);

}  // namespace holdfast::workloads::job
