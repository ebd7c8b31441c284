// Plan of a DataMove: the next step, decided from what was seen.
#include "moves/plan.h"

#include <holdfast/base/walls.h>
#include <holdfast/control/asked.h>
#include <holdfast/protect/use_move.h>

#include "locations/folders.h"
#include "locations/resolve.h"
#include "moves/asked.h"
#include "moves/attempts.h"
#include "moves/mover_pod.h"
#include "moves/objection.h"
#include "moves/rounds.h"
#include "moves/steps.h"

#include <fmt/format.h>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;
using control::Outcome;
using control::Refusal;
using Direction = DataMove::Direction;
using Phase = DataMove::Phase;

/// So long a new move waits for a default location.
constexpr auto kDefaultLimit = 30s;
/// So often a move that waits looks for a place by itself; mostly it is woken.
constexpr auto kLookForPlace = 30s;
constexpr const char* kQueued = "Queued";

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
  if (is_staged(seen) && !seen.movers.empty()) {
    if (std::optional<Outcome> step = give_place_up(seen)) return *std::move(step);
    return Outcome::wait(
        std::chrono::ceil<std::chrono::milliseconds>(kept_until(seen.movers.front()) - seen.now),
        "KeptForItsLog");
  }
  if (std::optional<Outcome> clearing = clear_away(seen)) return *std::move(clearing);
  if (std::optional<Outcome> step = give_place_up(seen)) return *std::move(step);
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

/// What is of other namespaces is for administrators.
std::optional<Refusal> foreign(const MoveSeen& seen) {
  if (seen.is_admin) return std::nullopt;
  const auto only_admins = [&](const std::string& what) {
    return Refusal{"NamespaceNotAllowed",
                   fmt::format("{}: a move of namespace {} may not; moves of administrators' "
                               "namespaces may",
                               what, seen.ns)};
  };
  if (seen.volume_ns != seen.ns)
    return only_admins(fmt::format("spec.volume.namespace is {}", seen.volume_ns));
  if (seen.repository != seen.ns && wall_stands("repositories of others are for administrators"))
    return only_admins(fmt::format("spec.repository is {}", seen.repository));
  return std::nullopt;
}

/// What the location does not allow.
std::optional<Refusal> closed(const MoveSeen& seen) {
  const LocationSeen& location = *seen.location;
  const BackupLocation::Spec& spec = location.location.spec;
  const Direction direction = seen.move.spec.direction;
  if (spec.file && !seen.file_allowed)
    return folder_refusal(location.name, spec.file->path, location.ns);
  if (spec.read_only && direction == Direction::Forget)
    return Refusal{
        "ReadOnlyLocation",
        fmt::format("location {} is for restores only: nothing is removed from it", location.name)};
  if (spec.read_only && direction == Direction::Backup)
    return Refusal{
        "ReadOnlyLocation",
        fmt::format("location {} is for restores only: name another one", location.name)};
  if (direction != Direction::Forget) return std::nullopt;
  if (!may_forget(location, seen.ns)) return forget_refusal(location, seen.ns);
  if (minimum_retention(spec)) return std::nullopt;
  return Refusal{"InvalidLocation",
                 fmt::format("location {}: spec.minimumRetention {} does not parse", location.name,
                             spec.minimum_retention)};
}

/// What keeps the move from ever being done, if anything does.
std::optional<Outcome> refuse(const MoveSeen& seen) {
  const auto found = [](const auto& edited) {
    return std::find(edited.begin(), edited.end(), "spec.document") != edited.end();
  };
  if (!seen.mover_object && found(seen.edited))
    return fail(seen, "SpecChanged",
                "spec.document was changed after the move was accepted, and what it said is lost: "
                "create a new DataMove");
  if (const std::string wrong = objection(seen.move.spec); !wrong.empty() && !found(seen.edited))
    return fail(seen, "InvalidSpec", wrong);
  if (const std::optional<Refusal> no = foreign(seen)) return fail(seen, no->reason, no->message);
  if (!seen.location) {
    // The cache may not know yet that a location was made the default one.
    const bool named = seen.move.spec.location || seen.move.status.location;
    if (!named && seen.created && seen.now - *seen.created < kDefaultLimit)
      return Outcome::wait(1s, "NoDefaultLocation");
    return fail(seen, seen.no_location.reason, seen.no_location.message);
  }
  if (const std::optional<Refusal> no = closed(seen)) return fail(seen, no->reason, no->message);
  return std::nullopt;
}

Outcome accept(const MoveSeen& seen) {
  Report report(seen);
  record_asked(seen.move, report.status());
  report.status().location = Reference{seen.location->name, seen.location->ns};
  report.status().repository = seen.repository;
  return report.phase(Phase::Accepted)
      .condition("Accepted", true, "Accepted",
                 fmt::format("location {}/{}", seen.location->ns, seen.location->name))
      .outcome();
}

/// One that was accepted before specs were frozen is asked for what it says now.
Outcome take_over(const MoveSeen& seen) {
  Report report(seen);
  record_asked(seen.move, report.status());
  report.status().repository = seen.repository;
  return report.outcome();
}

/// Its place among the movers of the location, and all that a mover needs beside its pod. Nothing
/// when that is there.
std::optional<Outcome> make_ready(const MoveSeen& seen) {
  // What is not the location's any more must not be written over, nor missed.
  if (const Refusal why = lost(*seen.location);
      !why.reason.empty() && seen.move.spec.direction != Direction::Restore)
    return fail(seen, why.reason, why.message);
  if (!seen.queued.reason.empty()) {
    Report report(seen);
    if (report.set(kQueued, "True", seen.queued.reason, seen.queued.message))
      return report.outcome();
    return Outcome::wait(kLookForPlace, "Queued");
  }
  if (is_held(seen) && !seen.staging.has_finalizer) return Outcome::act(hold(seen));
  if (seen.account_going) return Outcome::wait(500ms, "AccountGoing");
  if (seen.missing) return Outcome::act(control::create(seen.missing->first, seen.missing->second));
  return std::nullopt;
}

/// Before the first mover of a move, or of a round.
Outcome begin(const MoveSeen& seen, int64_t attempt) {
  if (is_held(seen))
    if (std::optional<Outcome> staging = prepare(seen)) return *std::move(staging);
  Report report(seen);
  report.status().attempts = attempt + 1;
  if (seen.move.spec.follow && !seen.move.status.rounds)
    report.status().rounds = DataMove::Rounds();
  report.drop_condition(kQueued);
  return report.outcome();
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
  const int64_t attempt = status.attempts.value_or(0);
  const MoverSeen* mover = mover_of(seen, attempt);
  if (seen.move.spec.cancel && !(mover != nullptr && mover->phase == "Succeeded"))
    return cancel(seen);
  if (Report report(seen); control::tell_edits(report, seen.edited, "the move was accepted"))
    return report.outcome();
  if (std::optional<Outcome> refusal = refuse(seen)) return *std::move(refusal);
  if (!status.phase || status.phase == Phase::New) return accept(seen);
  if (!status.asked) return take_over(seen);
  if (rests(status)) return rest(seen);
  if (mover != nullptr && mover->deleting) return Outcome::wait(1s, "MoverGoing");
  if (mover != nullptr) return follow(seen, *mover);
  if (seen.mover_gone) return after_loss(seen);
  // One that stood still, and is given up.
  for (const MoverSeen& each : seen.movers)
    if (each.phase != "Succeeded" && each.phase != "Failed")
      return each.deleting ? Outcome::wait(1s, "MoverGoing") : stop(each);
  if (std::optional<Outcome> step = make_ready(seen)) return *std::move(step);
  return attempt == attempts_before(status) ? begin(seen, attempt)
                                            : start_mover(seen, attempt, settings);
}

}  // namespace holdfast::protect
