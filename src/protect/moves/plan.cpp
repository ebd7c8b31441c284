// Plan of a DataMove: the next step, decided from what was seen.
#include "moves/plan.h"

#include <holdfast/protect/use_move.h>

#include "locations/folders.h"
#include "moves/mover_pod.h"
#include "moves/objection.h"
#include "moves/rounds.h"
#include "moves/steps.h"

#include <fmt/format.h>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;
using control::Outcome;
using Phase = DataMove::Phase;

/// So long a new move waits for a default location.
constexpr auto kDefaultLimit = 30s;

/// So long the pod of a failed move that had a volume staged for it stays.
constexpr auto kLogKept = 1h;

WallTime kept_until(const MoverSeen& mover) {
  return mover.ended.value_or(mover.created.value_or(WallTime())) + kLogKept;
}

const MoverSeen* mover_of(const MoveSeen& seen, int64_t attempt) {
  for (const MoverSeen& each : seen.movers)
    if (each.attempt == attempt) return &each;
  return nullptr;
}

/// Takes the right to execute commands away.
Outcome forbid(const MoveSeen& seen) {
  const MoveSeen::Objects& objects = seen.objects;
  return Outcome::act(objects.exec_binding
                          ? control::remove(kube::kRoleBindings, objects.exec_binding)
                          : control::remove(kube::kRoles, objects.exec_role));
}

Outcome start_mover(const MoveSeen& seen, int64_t attempt, const MoverSettings& settings) {
  return Outcome::act(
      control::with_note(control::create(kube::kPods, mover_pod(seen, attempt, settings)),
                         {false, "MoverStarted", fmt::format("attempt {}", attempt), "Move"}));
}

/// Of a move that failed, the last pod stays for its log until the move goes. Where a volume was
/// staged for it, that cannot go before the pod: both stay for an hour.
bool is_kept(const MoveSeen& seen, const MoverSeen& mover) {
  const DataMove::Status& status = seen.move.status;
  return !seen.deleting && status.phase == Phase::Failed && mover.phase == "Failed" &&
         mover.attempt == status.attempts && (!is_staged(seen) || seen.now < kept_until(mover));
}

/// What is left behind by a move that is over goes, or the move itself.
Outcome tidy(const MoveSeen& seen) {
  for (const MoverSeen& each : seen.movers)
    if (!each.deleting && !is_kept(seen, each)) return stop(each);
  for (const MoverSeen& each : seen.movers)
    if (each.deleting) return Outcome::wait(1s, "MoverGoing");
  if (seen.exec_allowed) return forbid(seen);
  if (is_staged(seen) && !seen.movers.empty())
    return Outcome::wait(
        std::chrono::ceil<std::chrono::milliseconds>(kept_until(seen.movers.front()) - seen.now),
        "KeptForItsLog");
  if (std::optional<Outcome> clearing = clear_away(seen)) return *std::move(clearing);
  return seen.staging.has_finalizer && seen.movers.empty() ? Outcome::act(let_go(seen))
                                                           : Outcome::done();
}

Outcome cancel(const MoveSeen& seen) {
  for (const MoverSeen& each : seen.movers)
    if (!each.deleting) {
      if (seen.move.status.phase != Phase::Canceling)
        return Report(seen).phase(Phase::Canceling).outcome();
      return stop(each);
    }
  if (!seen.movers.empty()) return Outcome::wait(1s, "MoverGoing");
  return Report(seen)
      .end(Phase::Canceled)
      .condition("Completed", false, "Canceled", "canceled by spec.cancel")
      .outcome();
}

/// Documents that are restored go into the status, and of what is forgotten nothing is left: no
/// snapshot is made or named.
bool has_snapshot(const DataMove::Spec& spec) {
  return spec.direction == DataMove::Direction::Backup ||
         (spec.direction == DataMove::Direction::Restore && !spec.document);
}

/// What a mover has to show for having succeeded.
bool is_proven(const DataMove::Spec& spec, const MoveReport& said) {
  return has_snapshot(spec) ? !said.snapshot_id.empty() : !said.verified.empty();
}

std::string moved_text(const DataMove::Spec& spec, const MoveReport& said) {
  if (spec.direction == DataMove::Direction::Forget)
    return fmt::format("{} snapshots forgotten, verified by {}", said.count.value_or(0),
                       said.verified);
  return fmt::format("{}{} bytes, verified by {}",
                     said.count ? fmt::format("{} documents, ", *said.count) : "", said.bytes_done,
                     said.verified);
}

/// What the mover brought, into the status.
void take(const MoveSeen& seen, const MoveReport& said, DataMove::Status& status) {
  status.snapshot_id = said.snapshot_id;
  status.lock_id = "";
  status.verified = DataMove::Verified{said.verified, model::to_rfc3339(seen.now)};
  DataMove::Progress progress = status.progress.value_or(DataMove::Progress());
  progress.bytes_done = said.bytes_done;
  progress.total_bytes = said.bytes_done;
  progress.bytes_uploaded = said.bytes_uploaded;
  progress.eta = "";
  status.progress = progress;
}

Outcome complete(const MoveSeen& seen, const MoveReport& said) {
  Report report(seen);
  take(seen, said, report.status());
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
Outcome tell_filled(const MoveSeen& seen, const MoveReport& said) {
  Report report(seen);
  take(seen, said, report.status());
  report.drop_condition("MoverRunning");
  return report.condition("VolumeFilled", true, "Verified", moved_text(seen.move.spec, said))
      .outcome();
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

Outcome after_failure(const MoveSeen& seen, const MoverSeen& mover) {
  const Result<MoveReport> said = parse_move_report(mover.message);
  const std::string reason = said && !said->reason.empty() ? said->reason : "MoverDied";
  const std::string message = said && !said->message.empty()
                                  ? said->message
                                  : fmt::format("mover pod {} ended without a report", mover.name);
  const bool hopeless = said && !said->reason.empty() && !said->again;
  const int64_t next = mover.attempt + 1;
  const int64_t of_round = mover.attempt - attempts_before(seen.move.status);
  const bool given_up = of_round > seen.move.spec.backoff_limit;
  if (given_up && !hopeless && seen.move.spec.follow)
    return without_snapshot(seen, reason,
                            fmt::format("{} attempts failed, the last: {}", of_round, message));
  if (hopeless || given_up) {
    Report report(seen);
    // Who could still report has let go of its lock.
    if (said) report.status().lock_id.clear();
    return report.end(Phase::Failed)
        .condition(
            "Completed", false, reason,
            hopeless ? message : fmt::format("{} attempts failed, the last: {}", of_round, message))
        .outcome();
  }
  const WallTime due = mover.ended.value_or(seen.now) + pause_before(of_round + 1);
  if (due > seen.now) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - seen.now);
    Report report(seen);
    report.condition("Retrying", true, reason,
                     fmt::format("attempt {} failed: {}", mover.attempt, message));
    if (report.status().conditions.size() != seen.move.status.conditions.size())
      return report.outcome();
    return Outcome::wait(left, "PauseBeforeRetry");
  }
  Report report(seen);
  report.status().attempts = next;
  return report
      .condition("Retrying", true, reason,
                 fmt::format("attempt {} failed: {}", mover.attempt, message))
      .outcome();
}

Outcome follow(const MoveSeen& seen, const MoverSeen& mover) {
  if (mover.phase == "Succeeded") {
    const Result<MoveReport> said = parse_move_report(mover.message);
    if (!said || !is_proven(seen.move.spec, *said)) return after_failure(seen, mover);
    const bool restores = seen.move.spec.direction == DataMove::Direction::Restore;
    return is_staged(seen) && restores ? tell_filled(seen, *said) : complete(seen, *said);
  }
  if (mover.phase == "Failed") return after_failure(seen, mover);
  if (mover.phase != "Running" && mover.created && seen.now - *mover.created > kStartLimit)
    return fail(seen, "MoverNotStarted",
                fmt::format("mover pod {} does not start: {}; its events say more", mover.name,
                            mover.waiting.empty() ? "it waits" : mover.waiting));
  const Phase phase = mover.phase == "Running" ? Phase::InProgress : Phase::Prepared;
  if (seen.move.status.phase != phase) {
    Report report(seen);
    if (phase == Phase::InProgress)
      report.condition("MoverRunning", true, "Started", "mover pod " + mover.name);
    return report.phase(phase).outcome();
  }
  return Outcome::wait(10s, phase == Phase::InProgress ? "MoverRuns" : "MoverStarts");
}

/// What keeps the move from ever being done, if anything does.
std::optional<Outcome> refuse(const MoveSeen& seen) {
  if (const std::string wrong = objection(seen.move.spec); !wrong.empty())
    return fail(seen, "InvalidSpec", wrong);
  if (!seen.location) {
    // The cache may not know yet that a location was made the default one.
    const bool named = seen.move.spec.location || seen.move.status.location;
    if (!named && seen.created && seen.now - *seen.created < kDefaultLimit)
      return Outcome::wait(1s, "NoDefaultLocation");
    return fail(seen, seen.no_location.reason, seen.no_location.message);
  }
  const BackupLocation::Spec& location = seen.location->location.spec;
  if (location.file && !seen.file_allowed) {
    const control::Refusal no =
        folder_refusal(seen.location->name, location.file->path, seen.location->ns);
    return fail(seen, no.reason, no.message);
  }
  if (location.read_only && seen.move.spec.direction == DataMove::Direction::Forget)
    return fail(seen, "ReadOnlyLocation",
                fmt::format("location {} is for restores only: nothing is removed from it",
                            seen.location->name));
  if (location.read_only && seen.move.spec.direction == DataMove::Direction::Backup)
    return fail(
        seen, "ReadOnlyLocation",
        fmt::format("location {} is for restores only: name another one", seen.location->name));
  return std::nullopt;
}

}  // namespace

std::chrono::seconds pause_before(int64_t attempt) {
  std::chrono::seconds pause = 1s;
  for (int64_t i = 2; i < attempt && pause < 5min; ++i) pause *= 2;
  return attempt < 2 ? 0s : pause;
}

Outcome plan_move(const MoveSeen& seen, const MoverSettings& settings) {
  const DataMove::Status& status = seen.move.status;
  if (is_over(status) || seen.deleting) return tidy(seen);
  // No longer given up, whatever becomes of the wish or of the location.
  if (is_filled(seen)) return finish_restore(seen);
  const MoverSeen* mover = mover_of(seen, status.attempts.value_or(0));
  if (seen.move.spec.cancel && !(mover != nullptr && mover->phase == "Succeeded"))
    return cancel(seen);
  if (std::optional<Outcome> refusal = refuse(seen)) return *std::move(refusal);
  if (!status.phase || status.phase == Phase::New) {
    Report report(seen);
    report.status().location = Reference{seen.location->name, seen.location->ns};
    return report.phase(Phase::Accepted)
        .condition("Accepted", true, "Accepted",
                   fmt::format("location {}/{}", seen.location->ns, seen.location->name))
        .outcome();
  }
  if (seen.missing) return Outcome::act(control::create(seen.missing->first, seen.missing->second));
  if (rests(status)) return rest(seen);
  const int64_t attempt = status.attempts.value_or(0);
  if (attempt == attempts_before(status)) {
    if (is_held(seen))
      if (std::optional<Outcome> staging = prepare(seen)) return *std::move(staging);
    Report report(seen);
    report.status().attempts = attempt + 1;
    if (seen.move.spec.follow && !status.rounds) report.status().rounds = DataMove::Rounds();
    return report.outcome();
  }
  if (mover == nullptr) return start_mover(seen, attempt, settings);
  if (mover->deleting) return Outcome::wait(1s, "MoverGoing");
  return follow(seen, *mover);
}

}  // namespace holdfast::protect
