/// Steps that several plans of moves share, and the status that they write.
#pragma once

#include <holdfast/control/report.h>

#include "moves/plan.h"

namespace holdfast::protect {

/// A status with another phase and the condition that says why.
class Report : public control::Report<DataMove> {
 public:
  explicit Report(const MoveSeen& seen)
      : control::Report<DataMove>(seen.move, seen.generation, seen.now, "Move"),
        object_(seen.object) {}
  Report& phase(DataMove::Phase phase) {
    status().phase = phase;
    return *this;
  }
  /// The last phase: what was true of the way there is so no longer.
  Report& end(DataMove::Phase phase) {
    drop_condition("MoverRunning").drop_condition("Retrying").drop_condition("VolumeFilled");
    return this->phase(phase);
  }
  Report& condition(std::string_view type, bool value, std::string reason, std::string message) {
    control::Report<DataMove>::condition(type, value, std::move(reason), std::move(message));
    return *this;
  }
  control::Outcome outcome() const { return control::Report<DataMove>::outcome(object_); }

 private:
  const kube::Cached& object_;
};

control::Outcome fail(const MoveSeen& seen, const std::string& reason, const std::string& message);

control::Outcome stop(const MoverSeen& mover);

/// The limits of the move as they are at this moment, where its mover hears of them.
control::Write set_limits(const MoveSeen& seen);

/// The Mover goes, and its account with it: another move may begin. Nothing when it has gone.
std::optional<control::Outcome> give_place_up(const MoveSeen& seen);

}  // namespace holdfast::protect
