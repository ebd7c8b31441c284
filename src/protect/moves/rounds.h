/// Rounds of a move with spec.follow: when a round is over its mover and its staging go, and after
/// the interval the next one begins. Pure.
#pragma once

#include "moves/plan.h"

namespace holdfast::protect {

/// Nothing unless it says a second or more.
std::optional<std::chrono::seconds> follow_interval(const DataMove::Spec& spec);
/// Attempts of rounds that are over; 0 for a move that does not go on.
int64_t attempts_before(const DataMove::Status& status);
/// Puts into the status that the round has ended, with a snapshot or without.
void end_round(const MoveSeen& seen, DataMove::Status& status);
/// The round is over, and this is why it made none.
control::Outcome without_snapshot(const MoveSeen& seen, const std::string& reason,
                                  const std::string& message);
/// Between two rounds.
bool rests(const DataMove::Status& status);
control::Outcome rest(const MoveSeen& seen);

}  // namespace holdfast::protect
