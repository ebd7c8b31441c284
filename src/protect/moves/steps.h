/// Parts of plans for moves: a status to be written, and the steps that more than one plan makes.
#pragma once

#include <holdfast/control/report.h>

#include "moves/plan.h"

namespace holdfast::protect {

/// A status with another phase and the condition that says why.
class Report : public control::Report<DataMove> {
 public:
  explicit Report(const MoveSeen& seen)
      : control::Report<DataMove>(seen.move, seen.generation, seen.now, "Move") {}
  Report& phase(DataMove::Phase phase) {
    status().phase = phase;
    return *this;
  }
  /// The last phase: what was true of the way there is so no longer.
  Report& end(DataMove::Phase phase) {
    drop_condition("MoverRunning").drop_condition("Retrying");
    return this->phase(phase);
  }
  Report& condition(std::string_view type, bool value, std::string reason, std::string message) {
    control::Report<DataMove>::condition(type, value, std::move(reason), std::move(message));
    return *this;
  }
  MoveStep step() const {
    return {.kind = MoveStep::Kind::Report, .status = status(), .mover = {}};
  }
};

MoveStep fail(const MoveSeen& seen, const std::string& reason, const std::string& message);
MoveStep wait(std::chrono::milliseconds again);
MoveStep stop(const MoverSeen& mover);
/// What the staging asks for, as a step of the move; nothing if it is ready.
std::optional<MoveStep> staging_step(const MoveSeen& seen, const StageStep& stage);

}  // namespace holdfast::protect
