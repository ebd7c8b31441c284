/// Parts of plans for moves: a status to be written, and the steps that more than one plan makes.
#pragma once

#include <holdfast/model/time.h>

#include "moves/plan.h"

#include <algorithm>

namespace holdfast::protect {

/// A status with another phase and the condition that says why.
class Report {
 public:
  explicit Report(const MoveSeen& seen) : seen_(seen), status_(seen.move.status) {}
  Report& phase(DataMove::Phase phase) {
    status_.phase = phase;
    return *this;
  }
  /// The last phase: what was true of the way there is so no longer.
  Report& end(DataMove::Phase phase) {
    std::erase_if(status_.conditions, [](const model::Condition& each) {
      return each.type == "MoverRunning" || each.type == "Retrying";
    });
    return this->phase(phase);
  }
  Report& condition(std::string_view type, bool value, std::string reason, std::string message) {
    model::Condition wanted{
        std::string(type), value ? "True" : "False", std::move(reason), std::move(message), "",
        seen_.generation};
    model::set_condition(status_.conditions, std::move(wanted), model::to_rfc3339(seen_.now));
    return *this;
  }
  DataMove::Status& status() { return status_; }
  MoveStep step() const { return {.kind = MoveStep::Kind::Report, .status = status_, .mover = {}}; }

 private:
  const MoveSeen& seen_;
  DataMove::Status status_;
};

MoveStep fail(const MoveSeen& seen, const std::string& reason, const std::string& message);
MoveStep wait(std::chrono::milliseconds again);
MoveStep stop(const MoverSeen& mover);
/// What the staging asks for, as a step of the move; nothing if it is ready.
std::optional<MoveStep> staging_step(const MoveSeen& seen, const StageStep& stage);

}  // namespace holdfast::protect
