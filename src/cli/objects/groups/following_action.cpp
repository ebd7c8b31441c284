#include "objects/groups/following_action.h"

#include <holdfast/base/sleep.h>
#include <holdfast/kube/typed.h>
#include <holdfast/protect/data_move.h>

#include "objects/moves/move_view.h"
#include "objects/object_text.h"
#include "repo/interrupts.h"
#include "repo/print/status_line.h"
#include "repo/print/words.h"

#include <fmt/format.h>

#include <cstdio>

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;
using drivers::volumegroup::State;

constexpr auto kLook = 250ms;
constexpr MonoTime kPlainEvery = 10s;
/// A server that is being restarted is waited for so long.
constexpr MonoTime kPatience = 5min;
/// What nobody has looked at by then waits for an operator that is not there.
constexpr MonoTime kUnnoticed = 15s;

class ActionFollower {
 public:
  ActionFollower(Server& server, const std::string& name, const ActionGoal& goal)
      : server_(server), name_(name), goal_(goal), began_(server.clock().mono()) {}

  Result<std::optional<FoundAction>> run(const std::stop_token& stop) {
    const Sleep pause = holdfast::sleep_until_stopped();
    MonoTime answered = server_.clock().mono();
    while (!stop.stop_requested()) {
      auto found =
          server_.client().get(kube::resource_of<VolumeGroupAction>(), server_.ns(), name_);
      const MonoTime now = server_.clock().mono();
      if (found) {
        answered = now;
        FoundAction action = HF_TRY(to_action(found.take()));
        if (is_over(action.action, goal_)) return std::optional(std::move(action));
        show(action);
      } else if (found.error().not_found()) {
        return Error(Fault::NotFound,
                     fmt::format("VolumeGroupAction {} was deleted while it ran", name_));
      } else if (!found.error().error.transient() || now - answered > kPatience) {
        return error_of(found.error(), fmt::format("read VolumeGroupAction {}", name_));
      }
      pause(kLook, stop);
    }
    return std::optional<FoundAction>();
  }

 private:
  /// How much the data moves of the action have moved; empty before there is any.
  std::string moved(const FoundAction& found) {
    const auto& frozen = found.action.status.frozen;
    if (!frozen) return "";
    Pace pace;
    bool any = false;
    (void)server_.client().list(
        kube::resource_of<protect::DataMove>(), frozen->ns,
        {.label_selector = fmt::format("{}={}", drivers::volumegroup::kActionLabel, found.uid)},
        [&](const model::Value& each) {
          const MoveView view = view_of(each, server_.clock().now());
          pace.done += view.done;
          pace.all += view.total;
          if (!view.ended()) pace.per_second += double(view.per_second);
          any = any || view.total > 0;
          return true;
        });
    return any ? pace_text(pace, "") : "";
  }

  void show(const FoundAction& found) {
    const MonoTime now = server_.clock().mono();
    std::string text = stage_text(found.action);
    const bool unnoticed = !found.action.status.state && now - began_ > kUnnoticed;
    if (unnoticed) text += ": nobody has taken it up; does the operator run?";
    const bool news = text != stage_;
    if (!news && !line_.terminal() && now - last_ < kPlainEvery) return;
    stage_ = text;
    last_ = now;
    if (const std::string bytes = moved(found); !bytes.empty()) text += "  " + bytes;
    const auto time = std::chrono::duration_cast<std::chrono::seconds>(now - began_);
    line_.show(fmt::format("[{}] {}", clock_text(time), text));
  }

  Server& server_;
  const std::string& name_;
  const ActionGoal goal_;
  const MonoTime began_;
  StatusLine line_{};
  MonoTime last_{};
  std::string stage_;
};

}  // namespace

Result<std::optional<FoundAction>> follow_action(Server& server, const std::string& name,
                                                 const ActionGoal& goal,
                                                 const std::stop_token& stop) {
  return ActionFollower(server, name, goal).run(stop);
}

Result<bool> wants_json(const std::string& output) {
  if (output.empty() || output == "json") return output == "json";
  return Error(Fault::Invalid, fmt::format("-o {}: only json", output));
}

Result<int> see_to_the_end(Server& server, const std::string& name, const ActionGoal& goal,
                           bool json) {
  const Interrupts interrupts(
      fmt::format("the action goes on; holdfast group describe {} shows it", name));
  const std::optional<FoundAction> found =
      HF_TRY(follow_action(server, name, goal, interrupts.token()));
  if (!found) return kInterruptedCode;
  const ActionEnd end = end_of(*found, goal);
  if (json) fmt::print("{}", object_text(shown_object(found->object), OutputForm::Json));
  if (end.code != 1 && !json) fmt::print("{}\n", end.said);
  if (end.code == 1) fmt::print(stderr, "error: {}\n", end.said);
  if (!end.next.empty()) fmt::print(stderr, "  {}\n", end.next);
  return end.code;
}

}  // namespace holdfast::cli
