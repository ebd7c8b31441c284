#include <holdfast/base/text.h>
#include <holdfast/cli/interrupts.h>
#include <holdfast/cli/refused.h>
#include <holdfast/cli/runs.h>
#include <holdfast/model/time.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::cli {
namespace {

using model::Value;

/// "0.048 s" between two times; "" while it is not over.
std::string took(const StepText& step) {
  const auto began = model::parse_rfc3339(step.started);
  const auto ended = model::parse_rfc3339(step.finished);
  if (!began || !ended) return "";
  return fmt::format("{:.3f} s", std::chrono::duration<double>(*ended - *began).count());
}

}  // namespace

Result<std::optional<Value>> follow_run(Server& server, const Run& run,
                                        const std::stop_token& stop) {
  const std::string subject = fmt::format("{} {}", run.resource.kind, run.name);
  auto followed = follow(
      server, {.resource = run.resource, .name = run.name, .look = run.look, .detail = run.moved},
      stop);
  if (!followed && followed.error().not_found())
    return Error(Fault::NotFound, fmt::format("{} was deleted while it ran", subject));
  if (!followed) return error_of(followed.error(), "read " + subject);
  if (followed->why == Followed::Why::Stopped) return std::optional<Value>();
  return std::optional(std::move(followed->object));
}

Result<int> see_to_the_end(Server& server, const Run& run, bool json) {
  const Interrupts interrupts(
      fmt::format("{} goes on; {} {} shows it", run.goes_on, run.describe, run.name));
  const std::optional<Value> object = HF_TRY(follow_run(server, run, interrupts.token()));
  if (!object) return codes::kInterrupted;
  return tell(HF_TRY(run.ending(*object)), json ? &*object : nullptr);
}

Result<std::optional<Value>> try_out(Server& server, Run run, const Value& object,
                                     const std::string& prefix) {
  const auto made = make_object(server, run.resource, object, {.prefix = prefix});
  if (!made)
    return refused(server, run.resource, made.error(), fmt::format("make a {}", run.resource.kind));
  run.name = *made;
  const Interrupts interrupts;
  Result<std::optional<Value>> ended = follow_run(server, run, interrupts.token());
  const std::string_view uid =
      ended && *ended ? model::string_at(**ended, {"metadata", "uid"}) : std::string_view();
  HF_TRY(remove_object(server, {run.resource, run.name, std::string(uid)}, run.describe));
  return ended;
}

int tell_trial(std::string_view what, const Ending& ending) {
  if (ending.code == codes::kDone) return codes::kDone;
  fmt::print(stderr, "error: {} would fail: {}\n", what, harmless(ending.said));
  return ending.code == codes::kPartly ? codes::kDone : ending.code;
}

Ending ending_by(const model::Condition* condition, const EndingOf& whose,
                 const std::vector<Advice>& advice) {
  if (condition != nullptr && condition->status == "True")
    return {.said = fmt::format("{}: {}: {}", name_text(whose.resource, whose.name),
                                condition->reason, condition->message)};
  const std::string reason = condition == nullptr ? "Unknown" : condition->reason;
  Ending end{.code = codes::kFailed};
  end.said = fmt::format("{}: {}: {}", whose.name, reason,
                         condition == nullptr ? "it ended without a message" : condition->message);
  const auto known = std::find_if(advice.begin(), advice.end(),
                                  [&reason](const Advice& each) { return each.reason == reason; });
  end.next = known == advice.end()
                 ? fmt::format("more: {} {} -n {}", whose.describe, whose.name, whose.ns)
                 : fmt::format(fmt::runtime(known->said), fmt::arg("name", whose.name),
                               fmt::arg("ns", whose.ns));
  return end;
}

std::string stage_text(std::string_view state, const std::vector<StepText>& steps) {
  const auto under_way = std::find_if(steps.begin(), steps.end(), [](const StepText& each) {
    return each.state == "Started" || each.state == "Pending";
  });
  if (under_way == steps.end()) return std::string(state);
  return fmt::format("{}  {}, {} of {}", state, under_way->name, under_way - steps.begin() + 1,
                     steps.size());
}

void tell_steps(Sheet& sheet, std::string_view title, const std::vector<StepText>& steps) {
  std::vector<std::vector<std::string>> rows;
  for (const StepText& each : steps)
    rows.push_back({each.name, each.state, each.started, took(each), each.pod, each.error});
  sheet.table(title, {"Step", "State", "Started", "Took", "Pod", "Error"}, rows);
}

}  // namespace holdfast::cli
