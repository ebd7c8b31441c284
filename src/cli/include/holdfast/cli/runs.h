/// Objects that a controller works off step by step, as people follow them: where one stands, how
/// much its data moves have moved, and how it ended, with what to do about that.
#pragma once

#include <holdfast/cli/asking.h>
#include <holdfast/cli/ending.h>
#include <holdfast/cli/follow.h>
#include <holdfast/cli/sheet.h>
#include <holdfast/model/fields.h>

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

/// How an object of one kind is followed.
struct Run {
  const kube::Resource& resource;
  std::string name{};
  std::function<Look(const model::Value& object)> look{};
  std::function<Result<Ending>(const model::Value& object)> ending{};
  /// How much its data moves have moved (moves_text); "" before there is any. May be empty.
  std::function<std::string(const model::Value& object)> moved{};
  std::string describe{};  ///< the command that tells all of one: "holdfast memo describe"
  std::string goes_on{};   ///< what Ctrl-C does not end: "the action"
};

/// The object as it was when it was over; NotFound if it was deleted meanwhile. Nothing: told to
/// stop.
Result<std::optional<model::Value>> follow_run(Server& server, const Run& run,
                                               const std::stop_token& stop);
/// Follows, says how it ended, and gives the exit code; the object itself with `json`.
Result<int> see_to_the_end(Server& server, const Run& run, bool json);
/// A trial: makes an object that asks for a dry run, under a name with that prefix, follows it to
/// its end and removes it. The object as it ended; nothing: told to stop.
Result<std::optional<model::Value>> try_out(Server& server, Run run, const model::Value& object,
                                            const std::string& prefix);
/// Says on standard error why the real run, `what` ("a backup"), would fail, if a trial has found
/// that. The exit code.
int tell_trial(std::string_view what, const Ending& ending);

/// What people do about a reason; `said` may have {name} and {ns}.
struct Advice {
  std::string_view reason, said;
};

/// Whose ending that is.
struct EndingOf {
  const kube::Resource& resource;
  std::string_view name, ns;
  std::string_view describe;  ///< as of a Run
};
/// By the condition that tells it: True is good. The advice by its reason, or where to read more.
Ending ending_by(const model::Condition* condition, const EndingOf& whose,
                 const std::vector<Advice>& advice);

/// A step of it, in words.
struct StepText {
  std::string name{}, state{}, started{}, finished{}, pod{}, error{};
};
/// Of a driver's own steps, as protect's steps.h has them.
template <class Step>
std::vector<StepText> step_texts(const std::vector<Step>& steps) {
  std::vector<StepText> out;
  for (const Step& each : steps)
    out.push_back({each.name, std::string(model::word(each.state)), each.started_at,
                   each.finished_at, each.pod, each.error});
  return out;
}

/// "Started  snapshot, 2 of 4": the state and the step under way, if there is one.
std::string stage_text(std::string_view state, const std::vector<StepText>& steps);
/// A table of them, with how long each took.
void tell_steps(Sheet& sheet, std::string_view title, const std::vector<StepText>& steps);

}  // namespace holdfast::cli
