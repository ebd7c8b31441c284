#include "objects/moves/move_view.h"

#include <holdfast/cli/follow.h>
#include <holdfast/cli/words.h>
#include <holdfast/control/reconciler.h>
#include <holdfast/model/time.h>

#include "repo/print/json_object.h"
#include "repo/print/status_line.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::cli {
namespace {

using model::int_at;
using model::string_at;
using model::Value;

uint64_t amount_at(const Value& move, std::string_view member) {
  return uint64_t(std::max<int64_t>(0, int_at(move, {"status", "progress", member}, 0)));
}

/// The condition that says why: how it ended, what the server refuses, why it is tried again, or
/// what it waits for.
const Value* telling_condition(const Value& move) {
  const model::Array& conditions = model::array_at(move, {"status", "conditions"});
  for (const std::string_view type :
       {std::string_view("Completed"), control::kRefused, std::string_view("Retrying"),
        std::string_view("MoverIdle"), std::string_view("Queued")})
    for (const Value& each : conditions)
      if (string_at(each, {"type"}) == type) return &each;
  return nullptr;
}

}  // namespace

bool MoveView::ended() const {
  return phase == "Completed" || phase == "Failed" || phase == "Canceled";
}

MoveView view_of(const Value& move, WallTime now) {
  MoveView view;
  view.ns = string_at(move, {"metadata", "namespace"});
  view.name = string_at(move, {"metadata", "name"});
  view.direction = string_at(move, {"spec", "direction"});
  if (const std::string_view phase = string_at(move, {"status", "phase"}); !phase.empty())
    view.phase = phase;
  view.attempt = int_at(move, {"status", "attempts"}, 0);
  view.done = amount_at(move, "bytesDone");
  view.total = amount_at(move, "totalBytes");
  view.uploaded = amount_at(move, "bytesUploaded");
  view.per_second = amount_at(move, "bytesPerSecond");
  if (const auto eta = model::parse_rfc3339(string_at(move, {"status", "progress", "eta"})))
    view.left =
        std::max(std::chrono::ceil<std::chrono::seconds>(*eta - now), std::chrono::seconds(0));
  view.snapshot = string_at(move, {"status", "snapshotID"});
  view.verified = string_at(move, {"status", "verified", "method"});
  if (const Value* condition = telling_condition(move)) {
    view.reason = string_at(*condition, {"reason"});
    view.message = string_at(*condition, {"message"});
    view.refused = string_at(*condition, {"type"}) == control::kRefused;
  }
  return view;
}

std::string progress_text(const MoveView& view) {
  std::string text = view.phase;
  const bool moving = view.phase == "InProgress" || view.done > 0;
  if (moving)
    text += "  " + pace_text({view.done, view.total, double(view.per_second), view.left}, "");
  if (view.attempt > 1) text += fmt::format(", attempt {}", view.attempt);
  // Who follows an object says what is refused of it.
  if (!view.message.empty() && !view.refused) text += ": " + view.message;
  return text;
}

std::string moves_text(const std::vector<Value>& moves, protect::DataMove::Direction direction,
                       WallTime now) {
  Pace pace;
  bool any = false;
  std::string refused;
  for (const Value& each : moves) {
    const MoveView view = view_of(each, now);
    if (view.direction != model::word(direction)) continue;
    pace.done += view.done;
    pace.all += view.total;
    if (!view.ended()) pace.per_second += double(view.per_second);
    any = any || view.total > 0;
    if (view.refused && refused.empty())
      refused = fmt::format("data move {}/{}: {}", view.ns, view.name, refusal_text(each));
  }
  std::string text = any ? pace_text(pace, "") : "";
  if (!refused.empty()) text += (text.empty() ? "" : "  ") + refused;
  return text;
}

std::string end_text(const MoveView& view) {
  if (!view.completed()) return fmt::format("{}: {}: {}", view.phase, view.reason, view.message);
  if (view.snapshot.empty()) return fmt::format("{}: {}", view.phase, view.message);
  return fmt::format("Completed: snapshot {}, {}, {}", view.snapshot, size_text(view.done),
                     view.verified.empty() ? "not verified" : "verified by " + view.verified);
}

std::string json_line(const MoveView& view) {
  JsonObject line;
  line.text("message_type", view.ended() ? "summary" : "status");
  line.text("namespace", view.ns).text("name", view.name).text("direction", view.direction);
  line.text("phase", view.phase).number("attempt", uint64_t(std::max<int64_t>(0, view.attempt)));
  line.number("bytes_done", view.done);
  if (view.total > 0) {
    line.number("total_bytes", view.total);
    line.real("percent_done", std::min(1.0, double(view.done) / double(view.total)));
  }
  line.number("bytes_uploaded", view.uploaded).number("bytes_per_second", view.per_second);
  if (view.left) line.number("seconds_remaining", uint64_t(view.left->count()));
  if (!view.snapshot.empty()) line.text("snapshot_id", view.snapshot);
  if (!view.verified.empty()) line.text("verified", view.verified);
  if (!view.reason.empty()) line.text("reason", view.reason).text("message", view.message);
  return line.take();
}

}  // namespace holdfast::cli
