/// Attempts of a move: what a mover tells while it works, and what its end means. Pure.
#pragma once

#include "moves/plan.h"

namespace holdfast::protect {

/// The mover of an attempt is there: its story from the start to its report.
control::Outcome follow(const MoveSeen& seen, const MoverSeen& mover);
/// A staged volume is full and proven: it is handed over, and the move ends.
control::Outcome finish_restore(const MoveSeen& seen);
/// It was there, and is there no more: nobody knows how it ended.
control::Outcome after_loss(const MoveSeen& seen);

}  // namespace holdfast::protect
