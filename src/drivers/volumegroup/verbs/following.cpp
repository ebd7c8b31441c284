#include "following.h"

#include <holdfast/cli/follow.h>
#include <holdfast/cli/interrupts.h>
#include <holdfast/cli/moves.h>
#include <holdfast/kube/typed.h>

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

cli::Look look_at(const model::Value& object, const ActionGoal& goal) {
  const Result<FoundAction> found = to_action(object);
  if (!found) return {.over = true};  // who reads it says what is wrong
  const VolumeGroupAction& action = found->action;
  const std::string stage = stage_text(action);
  return {.over = is_over(action, goal),
          .noticed = action.status.state.has_value(),
          .stage = stage,
          .text = stage};
}

/// How much the data moves of the action have moved; empty before there is any.
std::string moved(Server& server, const model::Value& object) {
  const Result<FoundAction> found = to_action(object);
  if (!found || !found->action.status.inputs) return "";
  return cli::moves_text(server, found->action.status.inputs->ns,
                         fmt::format("{}={}", kActionLabel, found->uid));
}

}  // namespace

Result<std::optional<FoundAction>> follow_action(Server& server, const std::string& name,
                                                 const ActionGoal& goal,
                                                 const std::stop_token& stop) {
  auto followed = cli::follow(
      server,
      {.resource = kube::resource_of<VolumeGroupAction>(),
       .name = name,
       .look = [&goal](const model::Value& object) { return look_at(object, goal); },
       .detail = [&server](const model::Value& object) { return moved(server, object); }},
      stop);
  if (!followed && followed.error().not_found())
    return Error(Fault::NotFound,
                 fmt::format("VolumeGroupAction {} was deleted while it ran", name));
  if (!followed) return error_of(followed.error(), fmt::format("read VolumeGroupAction {}", name));
  if (followed->why == cli::Followed::Why::Stopped) return std::optional<FoundAction>();
  return std::optional(HF_TRY(to_action(std::move(followed->object))));
}

Result<int> see_to_the_end(Server& server, const std::string& name, const ActionGoal& goal,
                           bool json) {
  const cli::Interrupts interrupts(
      fmt::format("the action goes on; holdfast group describe {} shows it", name));
  const std::optional<FoundAction> found =
      HF_TRY(follow_action(server, name, goal, interrupts.token()));
  if (!found) return codes::kInterrupted;
  return cli::tell(end_of(*found, goal), json ? &found->object : nullptr);
}

}  // namespace holdfast::drivers::volumegroup
