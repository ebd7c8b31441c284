#include "queue/queue.h"

#include <holdfast/base/walls.h>
#include <holdfast/model/time.h>
#include <holdfast/protect/mover_object.h>
#include <holdfast/protect/use_move.h>

#include "moves/staging_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace holdfast::protect {
namespace {

using model::string_at;

/// Places that are taken.
class Taken {
 public:
  explicit Taken(const Queue& queue) : limits_(queue.limits) {
    for (const InQueue& each : queue.working) take(each);
  }
  void take(const InQueue& each) {
    ++all_[each.own];
    ++of_[each.repository];
  }
  bool is_full(const InQueue& each) const { return count(all_, each.own) >= limits_.moves; }
  bool is_full_of(const InQueue& each) const {
    return count(of_, each.repository) >= limits_.per_namespace;
  }

 private:
  template <class Map>
  static int64_t count(const Map& map, const typename Map::key_type& key) {
    const auto found = map.find(key);
    return found == map.end() ? 0 : found->second;
  }
  const BackupLocation::Limits& limits_;
  std::map<bool, int64_t> all_{};
  std::map<std::string, int64_t> of_{};
};

/// Between two rounds.
bool is_resting(const model::Value& move) {
  const int64_t current = model::int_at(move, {"status", "rounds", "current"}, 0);
  return current > 0 && current == model::int_at(move, {"status", "rounds", "done"}, 0);
}

std::string label_of(const kube::Cached& object, std::string_view wanted) {
  for (const auto& [label, value] : object.labels())
    if (label == wanted) return value;
  return "";
}

}  // namespace

kube::IndexFunction by_location() {
  return [](const kube::Cached& object, std::vector<std::string>& values) {
    const auto value = object.shared_value();
    const std::string_view phase = string_at(*value, {"status", "phase"});
    if (phase.empty() || phase == "New" || phase == "Completed" || phase == "Failed" ||
        phase == "Canceled")
      return;
    const std::string_view ns = string_at(*value, {"status", "location", "namespace"});
    values.push_back(fmt::format("{}/{}", ns.empty() ? object.ns() : ns,
                                 string_at(*value, {"status", "location", "name"})));
  };
}

std::vector<kube::Key> may_begin(const Queue& queue) {
  std::vector<kube::Key> out;
  Taken taken(queue);
  for (const InQueue& each : queue.waiting) {
    if (taken.is_full(each) || taken.is_full_of(each)) continue;
    taken.take(each);
    out.push_back(each.key);
  }
  return out;
}

control::Refusal must_wait(const Queue& queue, const kube::Key& move) {
  Taken taken(queue);
  for (const InQueue& each : queue.waiting) {
    const bool whole = taken.is_full(each), its = taken.is_full_of(each);
    if (each.key == move && (whole || its) && wall_stands("movers at work are limited"))
      return its ? control::Refusal{"RepositoryBusy",
                                    fmt::format(
                                        "{} movers of repository {} are at work in location "
                                        "{}, and no more may be (spec.limits."
                                        "movesPerNamespace): the oldest move comes next",
                                        queue.limits.per_namespace, each.repository,
                                        queue.location)}
                 : control::Refusal{"LocationBusy",
                                    fmt::format("{} movers of {} are at work in location {}, and "
                                                "no more may be (spec.limits.moves): the oldest "
                                                "move comes next",
                                                queue.limits.moves,
                                                each.own ? "its own namespace and administrators"
                                                         : "other namespaces",
                                                queue.location)};
    if (each.key == move) return {};
    if (!whole && !its) taken.take(each);
  }
  return {};
}

Queue queue_of(const LocationSeen& location, const std::vector<kube::Cached>& movers,
               const std::vector<kube::Cached>& moves, const MoverSettings& settings) {
  Queue out;
  out.limits = location.location.spec.limits.value_or(BackupLocation::Limits());
  out.location = fmt::format("{}/{}", location.ns, location.name);
  for (const kube::Cached& each : movers) {
    const auto value = each.shared_value();
    if (string_at(*value, {"spec", "location"}) != location.name) continue;
    out.working.push_back({.uid = label_of(each, kMoveLabel),
                           .repository = std::string(string_at(*value, {"spec", "repository"})),
                           .own = model::bool_at(*value, {"spec", "own"}, false)});
  }
  for (const kube::Cached& each : moves) {
    const auto has_place = [&](const InQueue& other) { return other.uid == each.uid(); };
    if (std::any_of(out.working.begin(), out.working.end(), has_place)) continue;
    const auto value = each.shared_value();
    const std::string ns(each.ns());
    InQueue next{.key = kube::key_of(each), .uid = std::string(each.uid())};
    next.repository = string_at(*value, {"status", "repository"});
    if (next.repository.empty()) next.repository = ns;
    next.own = ns == location.ns || settings.is_admin(ns);
    next.since = model::parse_rfc3339(string_at(*value, {"metadata", "creationTimestamp"}))
                     .value_or(WallTime());
    if (string_at(*value, {"status", "phase"}) != "Accepted") {
      if (!is_resting(*value)) out.working.push_back(std::move(next));
    } else if (!each.being_deleted()) {
      out.waiting.push_back(std::move(next));
    }
  }
  std::sort(out.waiting.begin(), out.waiting.end(), [](const InQueue& a, const InQueue& b) {
    return std::tie(a.since, a.key) < std::tie(b.since, b.key);
  });
  return out;
}

}  // namespace holdfast::protect
