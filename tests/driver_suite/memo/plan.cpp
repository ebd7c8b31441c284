#include "plan.h"

#include <holdfast/control/made_for.h>
#include <holdfast/control/report.h>

namespace holdfast::drivers::memo {
namespace {

using namespace std::chrono_literals;
using control::Outcome;
using protect::DataMove;

constexpr int64_t kAttempts = 3;

Outcome run_command(const Seen& seen, int64_t attempt) {
  return Outcome::act(control::Operation{.name = "command",
                                         .resource = kube::resource_of<Memo>(),
                                         .owner = seen.object,
                                         .attempt = attempt,
                                         .limit = 5s});
}

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
  model::Value object = model::encode_object(move);
  object.as_object()["metadata"] = std::move(metadata);
  return Outcome::act(control::create(kube::resource_of<DataMove>(), std::move(object)));
}

Outcome end(const Seen& seen, bool well, const std::string& reason, const std::string& message) {
  control::Report<Memo> report(seen.memo, seen.object.meta().generation, seen.now, "Keep");
  report.status().phase = well ? "Completed" : "Failed";
  if (seen.move) report.status().snapshot_id = seen.move->status.snapshot_id;
  report.condition("Completed", well, reason, message).note(!well, reason, message);
  return report.outcome(seen.object);
}

}  // namespace

Outcome plan(const Seen& seen) {
  const auto& command = seen.command;
  if (seen.object.being_deleted() || !seen.memo.status.phase.empty()) return Outcome::done("Over");
  if (!command) return run_command(seen, 1);
  if (command->begun_and_unknown()) return run_command(seen, command->attempt);
  if (!command->succeeded() && command->attempt < kAttempts)
    return run_command(seen, command->attempt + 1);
  if (!command->succeeded()) return end(seen, false, "CommandFailed", command->message);
  if (!seen.move) return keep(seen);
  const DataMove::Phase phase = seen.move->status.phase.value_or(DataMove::Phase::New);
  if (phase == DataMove::Phase::Completed)
    return end(seen, true, "Kept", "snapshot " + seen.move->status.snapshot_id);
  if (phase == DataMove::Phase::Failed || phase == DataMove::Phase::Canceled)
    return end(seen, false, "NotKept", "its DataMove has failed");
  return Outcome::wait(30s, "MoveRuns");
}

}  // namespace holdfast::drivers::memo
