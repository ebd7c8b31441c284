#include "moves/steps.h"

#include "moves/rounds.h"

namespace holdfast::protect {

using namespace std::chrono_literals;
using Kind = MoveStep::Kind;

MoveStep fail(const MoveSeen& seen, const std::string& reason, const std::string& message) {
  return Report(seen)
      .end(DataMove::Phase::Failed)
      .condition("Completed", false, reason, message)
      .step();
}

MoveStep wait(std::chrono::milliseconds again) {
  return {.kind = Kind::Wait, .status = {}, .mover = {}, .again = again};
}

MoveStep stop(const MoverSeen& mover) {
  return {.kind = Kind::StopMover, .status = {}, .mover = mover.name};
}

std::optional<MoveStep> staging_step(const MoveSeen& seen, const StageStep& stage) {
  switch (stage.kind) {
    case StageStep::Kind::Ready:
      return std::nullopt;
    case StageStep::Kind::Wait:
      return wait(500ms);
    case StageStep::Kind::Fail:
      // The next round may have better luck with its cut.
      if (!seen.move.spec.follow || stage.reason != "SnapshotFailed")
        return fail(seen, stage.reason, stage.message);
      return without_snapshot(seen, stage.reason, stage.message);
    default:
      return MoveStep{.kind = Kind::Stage, .status = {}, .mover = {}, .stage = stage.kind};
  }
}

}  // namespace holdfast::protect
