/// Scaling: the number of replicas that each ReplicaSet of a Deployment has next.
#include "deployment/act.h"
#include "deployment/rollout.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace holdfast::workloads::deployment {
namespace {

using Pointers = std::vector<const ReplicaSet*>;

std::optional<int64_t> number_in(const ReplicaSet& set, std::string_view annotation) {
  const auto found = set.annotations.find(std::string(annotation));
  if (found == set.annotations.end()) return std::nullopt;
  const std::string& text = found->second;
  int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

/// The only active ReplicaSet, or, if none is, the current or the newest one.
const ReplicaSet* only_active(const Sets& sets) {
  const Pointers running = active(sets.all());
  if (running.size() > 1) return nullptr;
  if (running.size() == 1) return running.front();
  if (sets.current != nullptr) return sets.current;
  return sets.old.empty() ? nullptr : sets.old.back();
}

bool saturated(const Deployment& wanted, const ReplicaSet* set) {
  return set != nullptr && set->replicas == wanted.replicas &&
         number_in(*set, kDesired) == wanted.replicas && set->status.available == wanted.replicas;
}

/// What the ReplicaSet gains or loses if all keep their share of the Deployment.
int64_t fraction(const Deployment& wanted, const ReplicaSet& set) {
  if (wanted.replicas == 0) return -set.replicas;
  int64_t before = number_in(set, kMost).value_or(0);
  if (before == 0) before = wanted.status.replicas;
  if (before == 0) return 0;
  const auto scaled = static_cast<double>(set.replicas * (wanted.replicas + wanted.surge)) /
                      static_cast<double>(before);
  return static_cast<int64_t>(std::floor(scaled + 0.5)) - set.replicas;
}

/// Largest first; of equals the newer one first when growing, the older one when shrinking.
Pointers by_size(Pointers sets, bool newer_first) {
  std::sort(sets.begin(), sets.end(), [newer_first](const ReplicaSet* a, const ReplicaSet* b) {
    if (a->replicas != b->replicas) return a->replicas > b->replicas;
    const auto age = std::tie(a->created, a->meta.name);
    const auto other = std::tie(b->created, b->meta.name);
    return newer_first ? other < age : age < other;
  });
  return sets;
}

MaybeOutcome scale_in_proportion(const Deployment& wanted, const Sets& sets) {
  Pointers running = active(sets.all());
  const int64_t allowed = wanted.replicas > 0 ? wanted.replicas + wanted.surge : 0;
  const int64_t to_add = allowed - sum_replicas(running);
  if (to_add != 0) running = by_size(std::move(running), to_add > 0);
  std::vector<int64_t> sizes;
  int64_t added = 0;
  for (const ReplicaSet* set : running) {
    int64_t share = 0;
    if (to_add != added) {
      const int64_t part = fraction(wanted, *set);
      share = to_add > 0 ? std::min(part, to_add - added) : std::max(part, to_add - added);
    }
    if (to_add == 0) share = 0;
    sizes.push_back(set->replicas + share);
    added += share;
  }
  if (!sizes.empty() && to_add != 0)
    sizes.front() = std::max<int64_t>(0, sizes.front() + to_add - added);
  for (size_t i = 0; i < running.size(); ++i)
    if (MaybeOutcome next = resize(wanted, *running[i], sizes[i])) return next;
  return std::nullopt;
}

/// More available pods than asked for: its controller has not yet seen the last change of size, and
/// what its status says of available pods is about pods that will go.
bool behind(const ReplicaSet* set) { return set->status.available > set->replicas; }

/// Old pods that are not available cost nothing to lose, so they go first.
MaybeOutcome drop_unhealthy(const Deployment& wanted, const Pointers& old, int64_t most) {
  for (const ReplicaSet* set : old) {
    const int64_t unhealthy = set->replicas - set->status.available;
    if (set->replicas == 0 || unhealthy == 0) continue;
    if (MaybeOutcome next = resize(wanted, *set, set->replicas - std::min(most, unhealthy)))
      return next;
  }
  return std::nullopt;
}

/// Old pods may go as far as enough others are available.
MaybeOutcome shrink_old(const Deployment& wanted, const ReplicaSet& current, const Pointers& old) {
  const int64_t needed = wanted.replicas - wanted.unavailable;
  int64_t spare = current.status.available - needed;
  for (const ReplicaSet* set : old) spare += set->status.available;
  if (spare <= 0) return std::nullopt;
  for (const ReplicaSet* set : old)
    if (set->replicas > 0)
      return resize(wanted, *set, set->replicas - std::min(set->replicas, spare));
  return std::nullopt;
}

}  // namespace

Pointers active(const Pointers& sets) {
  Pointers out;
  for (const ReplicaSet* set : sets)
    if (set->replicas > 0) out.push_back(set);
  return out;
}

int64_t sum_replicas(const Pointers& sets) {
  int64_t sum = 0;
  for (const ReplicaSet* set : sets) sum += set->replicas;
  return sum;
}

int64_t next_size(const Deployment& wanted, const Sets& sets) {
  if (!wanted.rolling) return wanted.replicas;
  const int64_t size = sets.current != nullptr ? sets.current->replicas : 0;
  const int64_t room = wanted.replicas + wanted.surge - sum_replicas(sets.all());
  return room <= 0 ? size : size + std::min(room, wanted.replicas - size);
}

bool being_scaled(const Deployment& wanted, const Sets& sets) {
  for (const ReplicaSet* set : active(sets.all())) {
    const std::optional<int64_t> desired = number_in(*set, kDesired);
    if (desired && *desired != wanted.replicas) return true;
  }
  return false;
}

MaybeOutcome resize(const Deployment& wanted, const ReplicaSet& set, int64_t replicas) {
  Annotations annotations = set.annotations;
  annotations[std::string(kDesired)] = std::to_string(wanted.replicas);
  annotations[std::string(kMost)] = std::to_string(wanted.replicas + wanted.surge);
  if (replicas == set.replicas && annotations == set.annotations) return std::nullopt;
  control::Write write = update_set(set, replicas, annotations);
  if (replicas != set.replicas)
    write.note = control::Note{
        false, "ScalingReplicaSet",
        fmt::format("Scaled {} replica set {} from {} to {}",
                    replicas > set.replicas ? "up" : "down", set.meta.name, set.replicas, replicas),
        "Scale"};
  return control::Outcome::act(std::move(write));
}

MaybeOutcome scale(const Deployment& wanted, const Sets& sets) {
  if (const ReplicaSet* only = only_active(sets))
    return only->replicas == wanted.replicas ? std::nullopt
                                             : resize(wanted, *only, wanted.replicas);
  if (saturated(wanted, sets.current)) {
    for (const ReplicaSet* set : active(sets.old)) return resize(wanted, *set, 0);
    return std::nullopt;
  }
  return wanted.rolling ? scale_in_proportion(wanted, sets) : std::nullopt;
}

MaybeOutcome roll(const Deployment& wanted, const Sets& sets) {
  const ReplicaSet& current = *sets.current;
  const int64_t size =
      current.replicas > wanted.replicas ? wanted.replicas : next_size(wanted, sets);
  if (size != current.replicas) return resize(wanted, current, size);

  const Pointers old = active(sets.old);
  const int64_t not_available = current.replicas - current.status.available;
  const int64_t most =
      sum_replicas(sets.all()) - (wanted.replicas - wanted.unavailable) - not_available;
  if (old.empty() || most <= 0 || std::any_of(old.begin(), old.end(), behind)) return std::nullopt;
  if (MaybeOutcome next = drop_unhealthy(wanted, old, most)) return next;
  return shrink_old(wanted, current, old);
}

MaybeOutcome recreate(const Seen& seen, const Sets& sets, bool& waiting) {
  for (const ReplicaSet* set : active(sets.old)) return resize(seen.wanted, *set, 0);
  for (const ReplicaSet* set : sets.old)
    waiting = waiting || set->status.replicas > 0 || seen.running.contains(set->meta.uid);
  if (waiting) return std::nullopt;
  if (sets.current == nullptr) return create_current(seen, sets);
  if (sets.current->replicas == seen.wanted.replicas) return std::nullopt;
  return resize(seen.wanted, *sets.current, seen.wanted.replicas);
}

}  // namespace holdfast::workloads::deployment
