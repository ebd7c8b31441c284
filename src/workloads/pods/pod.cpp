#include "pods/pod.h"

#include <holdfast/model/time.h>

#include <charconv>
#include <set>

namespace holdfast::workloads {
namespace {

using model::array_at;
using model::int_at;
using model::string_at;
using model::Value;

/// The annotation as the real manager reads it: a plain int32; what does not parse counts as 0.
int64_t deletion_cost(const Value& pod) {
  const std::string_view text =
      string_at(pod, {"metadata", "annotations", "controller.kubernetes.io/pod-deletion-cost"});
  const bool odd_start =
      text.starts_with('+') || (text.size() > 1 && text.starts_with('0')) || text.starts_with("-0");
  int32_t cost = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cost);
  return odd_start || error != std::errc() || end != text.data() + text.size() ? 0 : cost;
}

void read_readiness(const Value& pod, Pod& out) {
  for (const Value& condition : array_at(pod, {"status", "conditions"})) {
    if (string_at(condition, {"type"}) != "Ready") continue;
    out.ready = string_at(condition, {"status"}) == "True";
    if (out.ready)
      out.ready_since = model::parse_rfc3339(string_at(condition, {"lastTransitionTime"}));
    return;
  }
}

void read_restarts(const Value& pod, Pod& out) {
  for (const Value& status : array_at(pod, {"status", "containerStatuses"}))
    out.restarts = std::max(out.restarts, int_at(status, {"restartCount"}, 0));
  std::set<std::string_view> sidecars;
  for (const Value& container : array_at(pod, {"spec", "initContainers"}))
    if (string_at(container, {"restartPolicy"}) == "Always")
      sidecars.insert(string_at(container, {"name"}));
  for (const Value& status : array_at(pod, {"status", "initContainerStatuses"}))
    if (sidecars.contains(string_at(status, {"name"})))
      out.sidecar_restarts = std::max(out.sidecar_restarts, int_at(status, {"restartCount"}, 0));
}

}  // namespace

std::string controller_of(const model::Meta& meta) {
  for (const model::OwnerReference& owner : meta.owners)
    if (owner.controller) return owner.uid;
  return "";
}

Pod read_pod(const Value& pod) {
  Pod out;
  out.meta = model::meta_of(pod);
  out.controller = controller_of(out.meta);
  out.node = string_at(pod, {"spec", "nodeName"});
  out.phase = string_at(pod, {"status", "phase"});
  out.created = model::parse_rfc3339(string_at(pod, {"metadata", "creationTimestamp"}));
  out.deletion_cost = deletion_cost(pod);
  read_readiness(pod, out);
  read_restarts(pod, out);
  return out;
}

Pod read_pod(const kube::Cached& object) {
  Pod out = read_pod(*object.shared_value());
  out.object = object;
  return out;
}

std::vector<Pod> read_pods(const std::vector<kube::Cached>& objects) {
  std::vector<Pod> out;
  out.reserve(objects.size());
  for (const kube::Cached& object : objects) out.push_back(read_pod(object));
  return out;
}

bool terminal(const Pod& pod) { return pod.phase == "Failed" || pod.phase == "Succeeded"; }

bool active(const Pod& pod) { return !terminal(pod) && pod.meta.deletion_timestamp.empty(); }

bool terminating(const Pod& pod) { return !terminal(pod) && !pod.meta.deletion_timestamp.empty(); }

bool available(const Pod& pod, int64_t min_ready_seconds, WallTime now) {
  if (!pod.ready) return false;
  if (min_ready_seconds == 0) return true;
  return pod.ready_since && *pod.ready_since + std::chrono::seconds(min_ready_seconds) <= now;
}

std::optional<std::chrono::microseconds> next_available(const std::vector<Pod>& pods,
                                                        int64_t min_ready_seconds, WallTime now) {
  std::optional<std::chrono::microseconds> first;
  for (const Pod& pod : pods) {
    if (!pod.ready || min_ready_seconds <= 0 || !pod.ready_since) continue;
    const auto left = *pod.ready_since + std::chrono::seconds(min_ready_seconds) - now;
    if (left.count() > 0 && (!first || left < *first)) first = left;
  }
  return first;
}

bool has_labels(const model::Labels& labels, const model::Labels& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& want) {
    return std::binary_search(labels.begin(), labels.end(), want);
  });
}

}  // namespace holdfast::workloads
