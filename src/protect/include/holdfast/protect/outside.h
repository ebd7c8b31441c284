/// Outside: the access of a controller beyond its own writes, such as commands in pods, live reads,
/// buckets, the time, and what all drivers of one operator share.
#pragma once

#include <holdfast/base/random.h>
#include <holdfast/control/runtime.h>
#include <holdfast/kube/group_kinds.h>
#include <holdfast/protect/ask_bucket.h>
#include <holdfast/protect/cut/held_pods.h>
#include <holdfast/protect/cut/quiesce.h>

#include <functional>
#include <memory>

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
  Random& random;
};

/// Surroundings of one operator: what it makes once, and all its controllers share.
class Surroundings {
 public:
  /// As they are in production.
  Surroundings(control::Runtime& runtime, const Clock& clock);
  Surroundings(control::Runtime& runtime, const Clock& clock, std::unique_ptr<PodExec> exec,
               AskBucket ask_bucket, kube::Sleep sleep, std::unique_ptr<Random> random);
  /// For who makes controllers; good as long as this is.
  std::function<Outside()> outside();

 private:
  control::Runtime& runtime_;
  const Clock& clock_;
  const std::unique_ptr<PodExec> exec_;
  const AskBucket ask_bucket_;
  const kube::Sleep sleep_;
  const std::unique_ptr<Random> random_;
  HeldPods held_{};
  kube::ServedGroupKinds group_kinds_;
};

}  // namespace holdfast::protect
