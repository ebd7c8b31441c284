#include "plan.h"

#include <holdfast/control/report.h>
#include <holdfast/protect/use_move.h>

namespace holdfast::drivers::memo {
namespace {

using namespace std::chrono_literals;
using control::Outcome;
using protect::DataMove;

Outcome keep(const Seen& seen) {
  const kube::Cached& memo = seen.object;
  DataMove move;
  move.spec.document = DataMove::Document{
      .name = kDocument, .content = std::string(model::string_at(*seen.command->result, {}))};
  move.spec.tags = {"memo=" + std::string(memo.uid())};
  model::Object metadata =
      control::made_metadata({kMemoLabel, ""}, {memo.ns(), memo.name(), memo.uid()}, memo.ns(),
                             control::made_name("memo", memo.uid(), "", "keep"));
  metadata["ownerReferences"] =
      model::Array{control::controller_reference(kube::resource_of<Memo>(), memo)};
  return Outcome::act(protect::make_move(move, std::move(metadata)));
}

Outcome end(const Seen& seen, bool well, const std::string& reason, const std::string& message) {
  control::Report<Memo> report(seen.memo, seen.generation, seen.now, "Keep");
  report.status().phase = well ? "Completed" : "Failed";
  if (seen.move) report.status().snapshot_id = seen.move->status.snapshot_id;
  report.condition("Completed", well, reason, message).note(!well, reason, message);
  return report.outcome(seen.object);
}

}  // namespace

Outcome plan(const Seen& seen) {
  const auto& command = seen.command;
  if (seen.deleting || !seen.memo.status.phase.empty()) return Outcome::done("Over");
  if (!command) return Outcome::ask("command");
  if (command->begun_and_unknown()) return Outcome::ask("command", command->attempt);
  if (!command->succeeded() && command->attempt < 3)
    return Outcome::ask("command", command->attempt + 1);
  if (!command->succeeded()) return end(seen, false, "CommandFailed", command->message);
  if (!seen.move) return keep(seen);
  if (!protect::is_over(seen.move->status)) return Outcome::wait(30s, "MoveRuns");
  if (seen.move->status.phase != DataMove::Phase::Completed)
    return end(seen, false, "NotKept", "its DataMove has failed");
  return end(seen, true, "Kept", "snapshot " + seen.move->status.snapshot_id);
}

}  // namespace holdfast::drivers::memo
