#include <holdfast/base/text.h>
#include <holdfast/control/report.h>
#include <holdfast/kube/typed.h>
#include <holdfast/model/json.h>
#include <holdfast/protect/locations.h>
#include <holdfast/protect/use_move.h>

#include "moves/asked.h"

#include <fmt/format.h>

namespace holdfast::protect {
namespace {

using model::Object;
using model::Value;

Value without_progress(const kube::Cached& move) {
  Value out = move.value();
  if (Value* metadata = out.as_object().if_contains("metadata");
      metadata && metadata->is_object()) {
    metadata->as_object().erase("resourceVersion");
    metadata->as_object().erase("managedFields");
  }
  if (Value* status = out.as_object().if_contains("status"); status && status->is_object())
    status->as_object().erase("progress");
  return out;
}

}  // namespace

bool beyond_progress(const kube::Change& change) {
  if (change.kind != kube::Change::Kind::Updated) return true;
  return !model::equal(without_progress(change.before), without_progress(change.after));
}

void watch_moves(control::ControllerSpec& spec, control::Mapper owner) {
  control::Watch& moves = spec.watch(kube::resource_of<DataMove>());
  moves.map = std::move(owner);
  moves.when = beyond_progress;
}

bool is_over(const DataMove::Status& status) {
  using Phase = DataMove::Phase;
  return status.phase == Phase::Completed || status.phase == Phase::Failed ||
         status.phase == Phase::Canceled;
}

std::string repository_of(const DataMove& move, const std::string& ns) {
  if (!move.status.repository.empty()) return move.status.repository;
  // One that was begun before that was written down has put everything into its own.
  if (move.status.phase && move.status.phase != DataMove::Phase::New) return ns;
  if (!move.spec.repository.empty()) return move.spec.repository;
  return repository_name(ns, move.spec.volume ? move.spec.volume->ns : "");
}

std::vector<std::string> UsedMove::unlike(const DataMove& wished) const {
  return differing(move, wished);
}

control::Refusal UsedMove::trouble() const {
  if (const model::Condition* end = control::find_condition(move.status.conditions, "Completed"))
    return {end->reason, end->message};
  return {"MoveFailed", "the data move did not complete"};
}

control::Refusal UsedMove::trouble(const DataMove& wished) const {
  if (!completed()) return trouble();
  const std::vector<std::string> others = unlike(wished);
  if (others.empty()) return {};
  return {"MoveChanged", fmt::format("DataMove {} was asked for something else, by spec.{}",
                                     object.name(), join(others, ", spec."))};
}

std::optional<UsedMove> see_move(control::Pass& pass, const control::Mark& mark,
                                 std::string_view owner_uid, std::string_view ns,
                                 std::string_view name) {
  UsedMove out;
  out.object = pass.get(kube::resource_of<DataMove>(), ns, name);
  if (!control::is_made_for(out.object, mark, owner_uid)) return std::nullopt;
  Result<DataMove> decoded = model::decode_object<DataMove>(*out.object.shared_value());
  if (decoded) out.move = decoded.take();
  return out;
}

control::Write make_move(const DataMove& move, model::Object metadata) {
  Value object = model::encode_object(move);
  object.as_object()["metadata"] = std::move(metadata);
  return control::create(kube::resource_of<DataMove>(), std::move(object));
}

control::Write remove_move(const UsedMove& move) {
  return control::remove(kube::resource_of<DataMove>(), move.object);
}

}  // namespace holdfast::protect
