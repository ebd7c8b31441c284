#include "moves/rounds.h"

#include "moves/steps.h"

namespace holdfast::protect {

using namespace std::chrono_literals;
using control::Outcome;

std::optional<std::chrono::seconds> follow_interval(const DataMove::Spec& spec) {
  const auto parsed = model::parse_duration(spec.follow->interval);
  if (!parsed || *parsed < 1s) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::seconds>(*parsed);
}

int64_t attempts_before(const DataMove::Status& status) {
  return status.rounds ? status.rounds->attempts_before : 0;
}

void end_round(const MoveSeen& seen, DataMove::Status& status) {
  DataMove::Rounds rounds = status.rounds.value_or(DataMove::Rounds());
  rounds.done = rounds.current;
  rounds.attempts_before = status.attempts.value_or(0);
  rounds.last_time = model::to_rfc3339(seen.now);
  status.rounds = rounds;
}

Outcome without_snapshot(const MoveSeen& seen, const std::string& reason,
                         const std::string& message) {
  Report report(seen);
  end_round(seen, report.status());
  return report.condition("SnapshotTaken", false, reason, message).outcome();
}

bool rests(const DataMove::Status& status) {
  return status.rounds && status.rounds->done == status.rounds->current;
}

Outcome rest(const MoveSeen& seen) {
  for (const MoverSeen& each : seen.movers)
    if (!each.deleting) return stop(each);
  if (!seen.movers.empty()) return Outcome::wait(1s, "MoverGoing");
  if (std::optional<Outcome> step = clear_away(seen)) return *std::move(step);
  if (std::optional<Outcome> step = give_place_up(seen)) return *std::move(step);
  const DataMove::Rounds& rounds = *seen.move.status.rounds;
  const WallTime due = model::parse_rfc3339(rounds.last_time).value_or(seen.now) +
                       follow_interval(seen.move.spec).value_or(1s);
  if (due > seen.now)
    return Outcome::wait(std::chrono::ceil<std::chrono::milliseconds>(due - seen.now), "NextRound");
  Report report(seen);
  report.status().rounds->current = rounds.current + 1;
  return report.phase(DataMove::Phase::Accepted).outcome();
}

}  // namespace holdfast::protect
