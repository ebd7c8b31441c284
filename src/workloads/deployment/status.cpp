/// Status of a Deployment: counts, and the progress of its rollout.
#include <holdfast/base/text.h>
#include <holdfast/model/time.h>

#include "deployment/act.h"
#include "deployment/rollout.h"

#include <fmt/format.h>

namespace holdfast::workloads::deployment {

using control::Outcome;

namespace {

constexpr std::string_view kAvailable = "Available";
constexpr std::string_view kProgressing = "Progressing";
constexpr std::string_view kReplicaFailure = "ReplicaFailure";
constexpr std::string_view kTimedOut = "ProgressDeadlineExceeded";
constexpr std::string_view kNewSetAvailable = "NewReplicaSetAvailable";
constexpr std::string_view kPaused = "DeploymentPaused";

/// `ReplicaSet "web-7d4" is progressing.`; of the Deployment while it has no ReplicaSet.
std::string sentence(const Seen& seen, const Sets& sets, std::string_view predicate) {
  return sets.current != nullptr
             ? fmt::format("ReplicaSet {} {}.", quoted(sets.current->meta.name), predicate)
             : fmt::format("Deployment {} {}.", quoted(seen.wanted.meta.name), predicate);
}

/// More new pods, fewer old ones, more ready or available ones than last told.
bool progressed(const Status& before, const Status& now) {
  return now.updated > before.updated ||
         now.replicas - now.updated < before.replicas - before.updated ||
         now.ready > before.ready || now.available > before.available;
}

/// When the deadline passes, as far as the last sign of progress is known.
std::optional<WallTime> deadline(const Seen& seen, const Condition& progressing) {
  const std::optional<WallTime> since = model::parse_rfc3339(progressing.updated);
  if (!since || !seen.wanted.deadline_seconds) return std::nullopt;
  return *since + std::chrono::seconds(*seen.wanted.deadline_seconds);
}

bool timed_out(const Seen& seen, const Status& status) {
  const Condition* progressing = status.find(kProgressing);
  // The last rollout's success says nothing about this one, which has not told anything yet.
  if (progressing == nullptr || progressing->reason == kNewSetAvailable) return false;
  if (progressing->reason == kTimedOut) return true;
  const std::optional<WallTime> end = deadline(seen, *progressing);
  return end && *end < seen.now;
}

void judge_progress(const Seen& seen, const Sets& sets, Status& status) {
  const Status& before = seen.wanted.status;
  const auto progressing = [&](std::string_view word, std::string_view reason,
                               std::string_view predicate) {
    return condition(kProgressing, word, reason, sentence(seen, sets, predicate), seen.now);
  };
  if (complete(seen.wanted, status)) {
    status.set(progressing("True", kNewSetAvailable, "has successfully progressed"));
  } else if (progressed(before, status)) {
    // Set anew even if it says the same: the deadline counts from its lastUpdateTime.
    Condition next = progressing("True", "ReplicaSetUpdated", "is progressing");
    if (const Condition* last = before.find(kProgressing)) {
      if (last->status == "True") next.changed = last->changed;
      status.drop(kProgressing);
    }
    status.set(std::move(next));
  } else if (timed_out(seen, status)) {
    status.set(progressing("False", kTimedOut, "has timed out progressing"));
  }
}

/// The current ReplicaSet's failure before any other's.
const model::Value* replica_failure(const Sets& sets) {
  if (sets.current != nullptr)
    if (const model::Value* found =
            find_condition(sets.current->status.conditions, kReplicaFailure))
      return found;
  for (const ReplicaSet* set : sets.old)
    if (const model::Value* found = find_condition(set->status.conditions, kReplicaFailure))
      return found;
  return nullptr;
}

}  // namespace

Condition condition(std::string_view type, std::string_view status, std::string_view reason,
                    std::string message, WallTime now) {
  Condition out;
  out.type = type;
  out.status = status;
  out.reason = reason;
  out.message = std::move(message);
  out.updated = out.changed = model::to_rfc3339(now);
  return out;
}

bool complete(const Deployment& wanted, const Status& status) {
  return status.updated == wanted.replicas && status.replicas == wanted.replicas &&
         status.available == wanted.replicas &&
         status.observed_generation >= wanted.meta.generation;
}

Status count_status(const Seen& seen, const Sets& sets) {
  Status status = seen.wanted.status;
  status.observed_generation = seen.wanted.meta.generation;
  status.replicas = status.ready = status.available = 0;
  for (const ReplicaSet* set : sets.all()) {
    status.replicas += set->status.replicas;
    status.ready += set->status.ready;
    status.available += set->status.available;
  }
  status.updated = sets.current != nullptr ? sets.current->status.replicas : 0;
  status.unavailable = std::max<int64_t>(0, sum_replicas(sets.all()) - status.available);
  if (status.available >= seen.wanted.replicas - seen.wanted.unavailable)
    status.set(condition(kAvailable, "True", "MinimumReplicasAvailable",
                         "Deployment has minimum availability.", seen.now));
  else
    status.set(condition(kAvailable, "False", "MinimumReplicasUnavailable",
                         "Deployment does not have minimum availability.", seen.now));
  return status;
}

Status rollout_status(const Seen& seen, const Sets& sets) {
  Status status = count_status(seen, sets);
  if (!seen.wanted.deadline_seconds) status.drop(kProgressing);
  const Condition* last = seen.wanted.status.find(kProgressing);
  const bool finished =
      status.replicas == status.updated && last != nullptr && last->reason == kNewSetAvailable;
  if (seen.wanted.deadline_seconds && !finished) judge_progress(seen, sets, status);

  if (const model::Value* failure = replica_failure(sets)) {
    Condition copied;
    copied.type = kReplicaFailure;
    copied.status = model::string_at(*failure, {"status"});
    copied.reason = model::string_at(*failure, {"reason"});
    copied.message = model::string_at(*failure, {"message"});
    copied.updated = copied.changed = model::string_at(*failure, {"lastTransitionTime"});
    status.set(std::move(copied));
  } else {
    status.drop(kReplicaFailure);
  }
  return status;
}

MaybeOutcome report(const Deployment& wanted, const Status& status) {
  if (status == wanted.status) return std::nullopt;
  return Outcome::act(write_status(wanted, wanted.annotations, status));
}

MaybeOutcome report_pause(const Seen& seen) {
  if (!seen.wanted.deadline_seconds) return std::nullopt;
  const Condition* last = seen.wanted.status.find(kProgressing);
  if (last != nullptr && last->reason == kTimedOut) return std::nullopt;
  const bool told = last != nullptr && last->reason == kPaused;
  if (seen.wanted.paused == told) return std::nullopt;
  Status status = seen.wanted.status;
  status.set(seen.wanted.paused
                 ? condition(kProgressing, "Unknown", kPaused, "Deployment is paused", seen.now)
                 : condition(kProgressing, "Unknown", "DeploymentResumed", "Deployment is resumed",
                             seen.now));
  return report(seen.wanted, status);
}

std::optional<std::chrono::microseconds> until_deadline(const Seen& seen, const Status& status) {
  const Condition* last = seen.wanted.status.find(kProgressing);
  if (!seen.wanted.deadline_seconds || last == nullptr || last->reason == kTimedOut ||
      complete(seen.wanted, status))
    return std::nullopt;
  const std::optional<WallTime> end = deadline(seen, *last);
  if (!end) return std::nullopt;
  // A moment past it: the deadline itself is still in time.
  return std::max(*end - seen.now, std::chrono::microseconds(0)) + std::chrono::milliseconds(1);
}

}  // namespace holdfast::workloads::deployment
