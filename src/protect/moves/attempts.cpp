#include "moves/attempts.h"

#include "moves/mover_pod.h"
#include "moves/rounds.h"
#include "moves/steps.h"

#include <fmt/format.h>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;
using control::Outcome;
using Direction = DataMove::Direction;
using Phase = DataMove::Phase;

constexpr const char* kIdle = "MoverIdle";

/// What the Mover holds of that pod; null if that has told nothing there.
const Mover::Status* report_of(const MoveSeen& seen, const MoverSeen& mover) {
  if (!seen.mover_object || seen.mover_object->mover.status.pod != mover.name) return nullptr;
  return &seen.mover_object->mover.status;
}

/// Documents that are restored go into the status, and of what is forgotten nothing is left: no
/// snapshot is made or named.
bool has_snapshot(const DataMove::Spec& spec) {
  return spec.direction == Direction::Backup ||
         (spec.direction == Direction::Restore && !spec.document);
}

/// What a mover has to show for having succeeded.
bool is_proven(const MoveSeen& seen, const MoverSeen& mover, const MoveReport& said) {
  if (has_snapshot(seen.move.spec)) return !said.snapshot_id.empty();
  return !said.verified.empty() && report_of(seen, mover) != nullptr;
}

std::string moved_text(const DataMove::Spec& spec, const MoveReport& said) {
  if (spec.direction == Direction::Forget)
    return fmt::format("{} snapshots forgotten, verified by {}", said.count.value_or(0),
                       said.verified);
  return fmt::format("{}{} bytes, verified by {}",
                     said.count ? fmt::format("{} documents, ", *said.count) : "", said.bytes_done,
                     said.verified);
}

void take_report(const MoveSeen& seen, const MoverSeen& mover, const MoveReport& said,
                 DataMove::Status& status) {
  status.snapshot_id = said.snapshot_id;
  status.files = said.files;
  if (!said.repository_id.empty()) status.repository_id = said.repository_id;
  status.lock_id = "";
  status.verified = DataMove::Verified{said.verified, model::to_rfc3339(seen.now)};
  DataMove::Progress progress = status.progress.value_or(DataMove::Progress());
  progress.bytes_done = said.bytes_done;
  progress.total_bytes = said.bytes_done;
  progress.bytes_uploaded = said.bytes_uploaded;
  progress.eta = "";
  status.progress = progress;
  if (const Mover::Status* told = report_of(seen, mover)) {
    status.documents = told->documents;
    status.documents_truncated = told->documents_truncated;
    status.forgotten = told->forgotten;
  }
}

Outcome complete(const MoveSeen& seen, const MoverSeen& mover, const MoveReport& said) {
  Report report(seen);
  take_report(seen, mover, said, report.status());
  if (seen.move.spec.follow) {
    end_round(seen, report.status());
    return report
        .condition("SnapshotTaken", true, "Moved",
                   fmt::format("{}, {} bytes, verified by {}", said.snapshot_id, said.bytes_done,
                               said.verified))
        .outcome();
  }
  return report.end(Phase::Completed)
      .condition("Completed", true, "Moved", moved_text(seen.move.spec, said))
      .outcome();
}

/// The volume is full and proven: written down before the mover goes, which would be made again.
Outcome tell_filled(const MoveSeen& seen, const MoverSeen& mover, const MoveReport& said) {
  Report report(seen);
  take_report(seen, mover, said, report.status());
  report.drop_condition("MoverRunning");
  return report.condition("VolumeFilled", true, "Verified", moved_text(seen.move.spec, said))
      .outcome();
}

/// Why an attempt brought nothing.
struct Failure {
  std::string reason{}, message{};
  bool hopeless = false;  ///< no attempt will
  bool told = false;      ///< the mover could still say so, and has let go of its lock
  std::optional<WallTime> ended{};
  std::string repository_id{};
};

Outcome after_failure(const MoveSeen& seen, const Failure& why) {
  const int64_t attempt = seen.move.status.attempts.value_or(0);
  const int64_t of_round = attempt - attempts_before(seen.move.status);
  const bool given_up = of_round > seen.move.spec.backoff_limit;
  const std::string in_all = fmt::format("{} attempts failed, the last: {}", of_round, why.message);
  if (given_up && !why.hopeless && seen.move.spec.follow)
    return without_snapshot(seen, why.reason, in_all);
  Report report(seen);
  if (!why.repository_id.empty()) report.status().repository_id = why.repository_id;
  if (why.hopeless || given_up) {
    if (why.told) report.status().lock_id.clear();
    return report.end(Phase::Failed)
        .condition("Completed", false, why.reason, why.hopeless ? why.message : in_all)
        .outcome();
  }
  const WallTime due = why.ended ? *why.ended + pause_before(of_round + 1) : seen.now;
  const std::string message = fmt::format("attempt {} failed: {}", attempt, why.message);
  if (due > seen.now) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - seen.now);
    report.condition("Retrying", true, why.reason, message);
    if (report.status().conditions.size() != seen.move.status.conditions.size())
      return report.outcome();
    return Outcome::wait(left, "PauseBeforeRetry");
  }
  report.status().attempts = attempt + 1;
  report.drop_condition(kIdle);
  return report.condition("Retrying", true, why.reason, message).outcome();
}

Outcome after_end(const MoveSeen& seen, const MoverSeen& mover) {
  const Result<MoveReport> said = parse_move_report(mover.message);
  Failure why{.reason = "MoverDied",
              .message = fmt::format("mover pod {} ended without a report", mover.name),
              .told = bool(said),
              .ended = mover.ended.value_or(seen.now)};
  if (said) {
    if (!said->message.empty()) why.message = said->message;
    why.hopeless = !said->reason.empty() && !said->again;
    if (!said->reason.empty()) why.reason = said->reason;
    why.repository_id = said->repository_id;
  }
  return after_failure(seen, why);
}

/// What the mover has told since the last time, seldom enough that many movers are no burden.
std::optional<Outcome> copy_report(const MoveSeen& seen, const MoverSeen& mover) {
  const Mover::Status* told = report_of(seen, mover);
  if (told == nullptr) return std::nullopt;
  const DataMove::Status& status = seen.move.status;
  const DataMove::Progress before = status.progress.value_or(DataMove::Progress());
  DataMove::Progress now = told->progress.value_or(DataMove::Progress());
  const bool works = now.activity != before.activity;
  now.last_activity = works ? model::to_rfc3339(seen.now) : before.last_activity;
  now.last_reported = before.last_reported;
  if (now == before && told->lock_id == status.lock_id) return std::nullopt;
  const WallTime due = model::parse_rfc3339(before.last_reported).value_or(WallTime()) + kCopyEvery;
  if (due > seen.now)
    return Outcome::wait(std::chrono::ceil<std::chrono::milliseconds>(due - seen.now), "MoverRuns");
  now.last_reported = model::to_rfc3339(seen.now);
  Report report(seen);
  report.status().progress = now;
  report.status().lock_id = told->lock_id;
  if (!told->repository_id.empty()) report.status().repository_id = told->repository_id;
  if (works) report.drop_condition(kIdle);
  return report.outcome();
}

/// A mover that stands still is told of, and ended if it stands still for some minutes more: after
/// a server that was away for an hour it has its turn to report first.
std::optional<Outcome> watch_activity(const MoveSeen& seen, const MoverSeen& mover) {
  const DataMove::Status& status = seen.move.status;
  WallTime since = mover.created.value_or(seen.now);
  if (status.progress)
    since = std::max(since, model::parse_rfc3339(status.progress->last_activity).value_or(since));
  // Of a limit that is very low a piece may take long.
  if (seen.move.spec.limits && seen.move.spec.limits->bytes_per_second)
    since += std::chrono::seconds((1 << 20) /
                                  std::max<int64_t>(1, *seen.move.spec.limits->bytes_per_second));
  const auto idle = seen.now - since;
  if (idle < kIdleWarning) return std::nullopt;
  const model::Condition* told = control::find_condition(status.conditions, kIdle);
  const std::string message = fmt::format(
      "mover pod {} has read and sent nothing since {}: it is ended after an hour, and "
      "tried again within spec.backoffLimit",
      mover.name, model::to_rfc3339(since));
  if (told == nullptr) {
    Report report(seen);
    report.condition(kIdle, true, "NoProgress", message);
    report.note(true, "NoProgress", message);
    return report.outcome();
  }
  const WallTime told_at = model::parse_rfc3339(told->last_transition_time).value_or(seen.now);
  const WallTime end = std::max(since + kIdleLimit, told_at + (kIdleLimit - kIdleWarning));
  if (end > seen.now)
    return Outcome::wait(std::chrono::ceil<std::chrono::milliseconds>(end - seen.now), "MoverIdle");
  return after_failure(seen, {.reason = "NoProgress", .message = message});
}

/// Limits may be changed while the mover runs.
std::optional<Outcome> pass_limits_on(const MoveSeen& seen) {
  if (!seen.mover_object) return std::nullopt;
  const auto rate = [](const std::optional<DataMove::Limits>& limits) {
    return limits ? limits->bytes_per_second : std::nullopt;
  };
  if (rate(seen.mover_object->mover.spec.limits) == rate(seen.move.spec.limits))
    return std::nullopt;
  return Outcome::act(set_limits(seen));
}

std::optional<Outcome> tell_phase(const MoveSeen& seen, const MoverSeen& mover) {
  const bool runs = mover.phase == "Running";
  const Phase phase = runs ? Phase::InProgress : Phase::Prepared;
  if (seen.move.status.phase == phase && seen.move.status.mover == mover.name) return std::nullopt;
  Report report(seen);
  report.status().mover = mover.name;
  if (runs) report.condition("MoverRunning", true, "Started", "mover pod " + mover.name);
  return report.phase(phase).outcome();
}

}  // namespace

Outcome follow(const MoveSeen& seen, const MoverSeen& mover) {
  if (mover.phase == "Succeeded") {
    const Result<MoveReport> said = parse_move_report(mover.message);
    if (!said || !is_proven(seen, mover, *said)) return after_end(seen, mover);
    const bool restores = seen.move.spec.direction == Direction::Restore;
    return is_staged(seen) && restores ? tell_filled(seen, mover, *said)
                                       : complete(seen, mover, *said);
  }
  if (mover.phase == "Failed") return after_end(seen, mover);
  if (mover.phase != "Running" && mover.created && seen.now - *mover.created > kStartLimit)
    return fail(seen, "MoverNotStarted",
                fmt::format("mover pod {} does not start: {}; its events say more", mover.name,
                            mover.waiting.empty() ? "it waits" : mover.waiting));
  if (std::optional<Outcome> step = tell_phase(seen, mover)) return *std::move(step);
  if (mover.phase != "Running") return Outcome::wait(10s, "MoverStarts");
  if (std::optional<Outcome> step = pass_limits_on(seen)) return *std::move(step);
  if (std::optional<Outcome> step = copy_report(seen, mover)) return *std::move(step);
  if (std::optional<Outcome> step = watch_activity(seen, mover)) return *std::move(step);
  return Outcome::wait(10s, "MoverRuns");
}

Outcome finish_restore(const MoveSeen& seen) {
  if (std::optional<Outcome> handing = hand_over(seen)) return *std::move(handing);
  const DataMove::Status& status = seen.move.status;
  const int64_t bytes = status.progress ? status.progress->bytes_done.value_or(0) : 0;
  return Report(seen)
      .end(Phase::Completed)
      .condition("Completed", true, "Moved",
                 fmt::format("{} bytes, verified by {}", bytes, status.verified->method))
      .outcome();
}

Outcome after_loss(const MoveSeen& seen) {
  return after_failure(seen, {.reason = "MoverDied",
                              .message = fmt::format("mover pod {} is gone, and has left no report",
                                                     seen.move.status.mover)});
}

}  // namespace holdfast::protect
