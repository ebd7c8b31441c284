/// Outside: the access of a controller beyond its own writes, such as commands in pods, live reads,
/// buckets, the time, and what all drivers of one operator share.
#pragma once

#include <holdfast/control/metrics.h>
#include <holdfast/kube/group_kinds.h>
#include <holdfast/protect/ask_bucket.h>
#include <holdfast/protect/cut/held_pods.h>
#include <holdfast/protect/cut/quiesce.h>

namespace holdfast::protect {

/// What effects outside the API server go through; they must outlive the controllers.
struct Outside {
  kube::Client& client;
  PodExec& exec;
  AskBucket ask_bucket;
  const Clock& clock;
  kube::Sleep sleep;
  control::Metrics& metrics;
  HeldPods& held;
  kube::ServedGroupKinds& group_kinds;
};

}  // namespace holdfast::protect
