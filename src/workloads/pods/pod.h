/// A pod as the controllers see it, read once per pass.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/kube/cached.h>
#include <holdfast/model/object.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::workloads {

struct Pod {
  kube::Cached object{};  ///< what a write about it acts on
  model::Meta meta{};
  std::string controller{};  ///< uid of the controlling owner; "" = an orphan
  std::string node{};        ///< "" = not yet bound
  std::string phase{};
  bool ready = false;
  std::optional<WallTime> ready_since{};  ///< of a ready pod
  std::optional<WallTime> created{};
  int64_t restarts = 0;          ///< the most of any container
  int64_t sidecar_restarts = 0;  ///< the most of any init container that keeps running
  int64_t deletion_cost = 0;     ///< controller.kubernetes.io/pod-deletion-cost
};

Pod read_pod(const model::Value& pod);
Pod read_pod(const kube::Cached& object);
std::vector<Pod> read_pods(const std::vector<kube::Cached>& objects);

/// Failed or Succeeded.
bool terminal(const Pod& pod);
/// Counts as a replica: neither ended nor being deleted.
bool active(const Pod& pod);
bool terminating(const Pod& pod);
/// Ready for at least that long.
bool available(const Pod& pod, int64_t min_ready_seconds, WallTime now);
/// How long until the first of the ready pods that are not yet available becomes so.
std::optional<std::chrono::microseconds> next_available(const std::vector<Pod>& pods,
                                                        int64_t min_ready_seconds, WallTime now);

/// Uid of the controlling owner, or "".
std::string controller_of(const model::Meta& meta);
/// Every label of `wanted` is there with its value.
bool has_labels(const model::Labels& labels, const model::Labels& wanted);

}  // namespace holdfast::workloads
