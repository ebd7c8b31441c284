/// Tally of a Job's pods, counted from its status and from the pods that are not in it yet.
#pragma once

#include "job/observed.h"

#include <map>
#include <optional>

namespace holdfast::workloads::job {

struct Tally {
  std::vector<const JobPod*> active{};
  int64_t ready = 0, terminating = 0;
  /// With those that the status does not have yet.
  int64_t succeeded = 0, failed = 0;
  Indexes recorded_indexes{};   ///< succeeded, as the status has them
  Indexes succeeded_indexes{};  ///< with the new ones
  std::optional<Indexes> failed_indexes{};
  /// Last failed pod of an index that has no pod: kept until its successor has taken over the
  /// count of failures from it.
  std::map<int64_t, const JobPod*> held_back{};
  /// How long the next pod must wait because of failures since the last success. Counted from the
  /// pods that are there: what is gone has been forgotten, also by a restart of the real manager.
  std::chrono::microseconds backoff{0};
};
Tally tally(const Observed& seen);

/// 10 s after the first failure, doubling up to 10 min, less what has passed since.
std::chrono::microseconds backoff_left(int64_t failures, WallTime last, WallTime now);

/// Why the Job ends.
struct Verdict {
  bool success = false;
  std::string reason{}, message{};
  bool recorded = false;  ///< FailureTarget or SuccessCriteriaMet stands in the status
};
std::optional<Verdict> verdict(const Observed& seen, const Tally& counts);

/// The finalizer may go, once the status has the pod.
bool may_let_go(const Observed& seen, const Tally& counts, bool ends, const JobPod& pod);

}  // namespace holdfast::workloads::job
