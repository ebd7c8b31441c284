#include <holdfast/model/time.h>
#include <holdfast/protect/cut/owed.h>
#include <holdfast/protect/steps.h>

#include <fmt/format.h>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;
using control::OperationRecord;
using model::string_at;
using std::chrono::milliseconds;

/// So long after its deadline something may still act in a container.
constexpr milliseconds kAfterDeadline = 3s;

/// The pause before the next try of what is owed.
std::chrono::seconds pause_after(int64_t attempt) {
  return std::chrono::seconds(std::min<int64_t>(int64_t(1) << std::min<int64_t>(attempt, 5), 30));
}

/// What a try left owed, if one has ended.
std::optional<std::vector<Owed>> left_by(const OperationRecord& record) {
  if (record.finished_at.empty() || !record.result) return std::nullopt;
  std::vector<Owed> out;
  if (!model::field_type<std::vector<Owed>>().decode(&out, *record.result, "")) return std::nullopt;
  return out;
}

bool same(const std::vector<Owed>& a, const std::vector<Owed>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Owed& x, const Owed& y) {
    return x.pod == y.pod && x.container == y.container && x.commands == y.commands &&
           x.error == y.error;
  });
}

milliseconds until(const std::string& ended, std::chrono::seconds pause, WallTime now) {
  const WallTime due = model::parse_rfc3339(ended).value_or(now) + pause;
  return std::chrono::ceil<milliseconds>(due - now);
}

}  // namespace

WindowResult interrupted_window() {
  WindowResult out;
  out.reason = kInterrupted;
  out.message = "the operator ended inside the window; its locks were released";
  return out;
}

std::vector<Owed> all_owed(const CutInputs& inputs) {
  std::vector<Owed> out;
  for (const QuiesceTarget& target : quiesce_task(inputs).targets) {
    Owed each = owed_in(target.where);
    for (const QuiesceCommand& command : target.after) each.commands.push_back(command.name);
    if (!each.commands.empty()) out.push_back(std::move(each));
  }
  return out;
}

std::vector<QuiesceTarget> owed_targets(const CutInputs& inputs, const std::vector<Owed>& owed) {
  std::vector<QuiesceTarget> out;
  const std::vector<QuiesceTarget> all = quiesce_task(inputs).targets;
  for (const Owed& debt : owed)
    for (const QuiesceTarget& target : all) {
      if (!is_owed_in(debt, target.where)) continue;
      QuiesceTarget left{.where = target.where};
      for (const std::string& name : debt.commands)
        for (const QuiesceCommand& each : target.after)
          if (each.name == name) left.after.push_back(each);
      if (!left.after.empty()) out.push_back(std::move(left));
    }
  return out;
}

std::string leak_text(const std::vector<Owed>& owed) {
  if (owed.empty()) return "";
  return fmt::format("pod {} may still be quiesced; post actions not confirmed: {}",
                     owed.front().pod, owed.front().error);
}

NextRelease next_release(const std::optional<OperationRecord>& last, const std::vector<Owed>& owed,
                         WallTime now) {
  using Kind = NextRelease::Kind;
  if (!last) return {};
  if (last->begun_and_unknown()) return {.attempt = last->attempt};
  if (std::optional<std::vector<Owed>> left = left_by(*last); left && !same(*left, owed))
    return {.kind = Kind::Tell, .left = std::move(*left)};
  const milliseconds again = until(last->finished_at, pause_after(last->attempt), now);
  if (again > 0ms) return {.kind = Kind::Wait, .again = again};
  return {.attempt = last->attempt + 1};
}

WindowSeen window_seen(const model::Value& object) {
  WindowSeen out{.window = control::find_operation(object, "window"),
                 .release = control::find_operation(object, "release")};
  WindowResult result;
  if (out.window && out.window->result &&
      model::field_type<WindowResult>().decode(&result, *out.window->result, ""))
    out.window_result = std::move(result);
  return out;
}

std::optional<milliseconds> guards_act_for(const CutInputs& inputs, const WindowSeen& seen,
                                           WallTime now) {
  const bool sent_home = seen.window_result && !seen.release && !seen.window_result->lingering;
  if (!seen.window || sent_home || inputs.quiescing.empty()) return std::nullopt;
  const milliseconds left =
      until(seen.release ? seen.release->finished_at : seen.window->finished_at,
            std::chrono::seconds(inputs.quiescing.freeze_deadline_seconds), now);
  // Times of records are whole seconds, and what hears no TERM is killed two seconds later.
  if (left + kAfterDeadline < 0ms) return std::nullopt;
  return left + kAfterDeadline + 1ms;
}

std::vector<PodRecord> pods_kept(const model::Value& object, WallTime now) {
  const auto at = [&](std::string_view field) { return model::find(object, {"status", field}); };
  const WindowSeen seen = window_seen(object);
  CutInputs inputs;
  if (string_at(object, {"status", "state"}) != model::word(RunState::Started) || !seen.window ||
      at("inputs") == nullptr ||
      !model::field_type<CutInputs>().decode(&inputs, *at("inputs"), "status.inputs"))
    return {};
  const bool told = !string_at(object, {"status", "consistency"}).empty();
  const bool owes = !model::array_at(object, {"status", "owed"}).empty();
  if (!told || owes || guards_act_for(inputs, seen, now)) return std::move(inputs.pods);
  return {};
}

}  // namespace holdfast::protect
