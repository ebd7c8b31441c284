#include "pods/ranking.h"

#include <cmath>
#include <map>

namespace holdfast::workloads {
namespace {

int phase_order(const Pod& pod) {
  if (pod.phase == "Running") return 2;
  return pod.phase == "Unknown" ? 1 : 0;
}

int64_t age_order(WallTime since, WallTime now) {
  const auto age = std::chrono::duration_cast<std::chrono::nanoseconds>(now - since).count();
  return age > 0 ? static_cast<int64_t>(std::log2(static_cast<double>(age))) : -1;
}

/// -1: a goes first, 1: b does, 0: undecided. A time that is not known is later than any other.
int by_age(const Pod& a, const Pod& b, std::optional<WallTime> of_a, std::optional<WallTime> of_b,
           WallTime now) {
  if (of_a == of_b) return 0;
  if (!of_a || !of_b) return of_a ? 1 : -1;
  const int64_t order_a = age_order(*of_a, now);
  const int64_t order_b = age_order(*of_b, now);
  if (order_a != order_b) return order_a < order_b ? -1 : 1;
  return a.meta.uid < b.meta.uid ? -1 : 1;
}

int by(int64_t a, int64_t b) { return a < b ? -1 : (a > b ? 1 : 0); }

struct Ranked {
  Pod pod;
  int64_t neighbours = 0;
};

bool goes_first(const Ranked& left, const Ranked& right, WallTime now) {
  const Pod& a = left.pod;
  const Pod& b = right.pod;
  if (a.node.empty() != b.node.empty()) return a.node.empty();
  if (const int order = by(phase_order(a), phase_order(b))) return order < 0;
  if (a.ready != b.ready) return b.ready;
  if (const int order = by(a.deletion_cost, b.deletion_cost)) return order < 0;
  if (const int order = by(right.neighbours, left.neighbours)) return order < 0;
  if (a.ready && b.ready)
    if (const int order = by_age(a, b, a.ready_since, b.ready_since, now)) return order < 0;
  if (const int order = by(b.restarts, a.restarts)) return order < 0;
  if (const int order = by(b.sidecar_restarts, a.sidecar_restarts)) return order < 0;
  return by_age(a, b, a.created, b.created, now) < 0;
}

}  // namespace

std::vector<Pod> first_to_go(std::vector<Pod> pods, const std::vector<Pod>& related, WallTime now) {
  std::map<std::string_view, int64_t> on_node;
  for (const Pod& pod : related)
    if (active(pod)) ++on_node[pod.node];
  std::vector<Ranked> ranked;
  for (Pod& pod : pods) {
    const auto found = on_node.find(pod.node);
    const int64_t neighbours = found == on_node.end() ? 0 : found->second;
    ranked.push_back({std::move(pod), neighbours});
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [now](const Ranked& a, const Ranked& b) { return goes_first(a, b, now); });
  std::vector<Pod> out;
  out.reserve(ranked.size());
  for (Ranked& each : ranked) out.push_back(std::move(each.pod));
  return out;
}

}  // namespace holdfast::workloads
