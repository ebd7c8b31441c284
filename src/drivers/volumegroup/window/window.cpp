#include "window/window.h"

#include <holdfast/model/time.h>

#include "profiles/profiles.h"

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

using namespace std::chrono_literals;
using model::string_at;
using model::Value;

/// Between two looks at a cut, for which the application waits: a small part of how long it has
/// waited already, so that what looking late adds is small too.
constexpr std::chrono::microseconds kShortestLook = 2ms, kLongestLook = 200ms;
constexpr int kPartOfWait = 16;

class Window {
 public:
  Window(const WindowTask& task, const Surroundings& around)
      : task_(task), around_(around), quiesce_(task.quiesce, around.exec, around.clock) {}

  WindowResult run() {
    const MonoTime began = around_.clock.mono();
    if (Result<void> cut = cut_inside(began); !cut) {
      out_.reason = quiesce_.reason().empty() ? "CutFailed" : quiesce_.reason();
      if (!reason_.empty()) out_.reason = reason_;
      out_.message = cut.error().what();
    }
    // Whatever happened, they go on.
    quiesce_.thaw();
    if (out_.quiesced) out_.thawed_at = model::to_rfc3339_micro(quiesce_.thawed_at());
    out_.steps = quiesce_.steps();
    out_.owed = quiesce_.owed();
    out_.notes = quiesce_.notes();
    out_.guarded = quiesce_.guarded();
    out_.lingering = quiesce_.lingering();
    out_.acquire_micros = quiesce_.acquire_time().count();
    out_.window_micros = quiesce_.window().count();
    return std::move(out_);
  }

 private:
  Result<void> cut_inside(MonoTime began) {
    if (!task_.quiesce.targets.empty()) {
      quiesce_.presync();
      HF_TRY(quiesce_.freeze());
      out_.quiesced = true;
      out_.frozen_at = model::to_rfc3339_micro(quiesce_.frozen_at());
      for (const protect::QuiesceTarget& target : task_.quiesce.targets)
        for (const protect::QuiesceCommand& command : target.before)
          if (command.way != protect::QuiesceCommand::Way::Execute && !command.may_fail)
            out_.observed = true;
      HF_TRY(quiesce_.still_frozen());
    }
    if (around_.clock.mono() - began > task_.limit) {
      reason_ = "TookTooLong";
      return Error(Fault::Unavailable,
                   fmt::format("the application was not still within {} ms, the longest that this "
                               "operator may count on being the only one",
                               task_.limit.count()));
    }
    return cut();
  }

  Result<void> cut() {
    const MonoTime asked = around_.clock.mono();
    out_.cut_asked_at = model::to_rfc3339_micro(around_.clock.now());
    std::vector<std::pair<const CutObject*, std::string>> waiting;
    for (const CutObject& each : task_.cuts) {
      const std::string_view ns = string_at(each.object, {"metadata", "namespace"});
      auto made = around_.client.create(each.resource, ns, each.object);
      if (!made)
        return made.error().error.copy().with_context(
            fmt::format("create {} {}/{}", each.resource.text(), ns,
                        string_at(each.object, {"metadata", "name"})));
      waiting.emplace_back(&each, std::string(string_at(*made, {"metadata", "uid"})));
    }
    const MonoTime last = asked + task_.quiesce.deadline;
    while (!waiting.empty()) {
      HF_TRY(look(waiting));
      if (out_.quiesced) HF_TRY(quiesce_.still_frozen());
      if (waiting.empty()) break;
      if (!out_.quiesced && around_.clock.mono() > last) {
        reason_ = "CutNotSeen";
        return Error(Fault::Unavailable, fmt::format("the cut was not seen within {} ms",
                                                     task_.quiesce.deadline.count()));
      }
      const auto pause = std::clamp<std::chrono::microseconds>(
          (around_.clock.mono() - asked) / kPartOfWait, kShortestLook, kLongestLook);
      around_.sleep(std::chrono::ceil<std::chrono::milliseconds>(pause), {});
    }
    out_.cut_seen_at = model::to_rfc3339_micro(around_.clock.now());
    out_.cut_micros = (around_.clock.mono() - asked).count();
    out_.held = out_.quiesced;
    out_.skew_micros = (last_seen_ - first_seen_.value_or(last_seen_)).count();
    return {};
  }

  /// Takes off the list what has been cut.
  Result<void> look(std::vector<std::pair<const CutObject*, std::string>>& waiting) {
    for (auto each = waiting.begin(); each != waiting.end();) {
      const kube::Resource& resource = each->first->resource;
      const std::string_view ns = string_at(each->first->object, {"metadata", "namespace"});
      const std::string_view name = string_at(each->first->object, {"metadata", "name"});
      auto seen = around_.client.get(resource, ns, name);
      if (!seen && seen.error().error.transient()) {
        ++each;
        continue;
      }
      if (!seen) return seen.error().error.copy();
      if (string_at(*seen, {"metadata", "uid"}) != each->second)
        return Error(Fault::Conflict,
                     fmt::format("{} {}/{} was replaced", resource.text(), ns, name));
      const std::string_view error = string_at(*seen, {"status", "error", "message"});
      const std::string_view created = string_at(*seen, {"status", "creationTime"});
      if (!created.empty()) {
        out_.creation_times.emplace_back(created);
        last_seen_ = around_.clock.mono();
        if (!first_seen_) first_seen_ = last_seen_;
        each = waiting.erase(each);
      } else if (!error.empty()) {
        reason_ = "CutFailed";
        return Error(Fault::Invalid, fmt::format("{} {}/{}: {}", resource.text(), ns, name, error));
      } else {
        ++each;
      }
    }
    return {};
  }

  const WindowTask& task_;
  const Surroundings& around_;
  protect::Quiesce quiesce_;
  WindowResult out_{};
  std::string reason_{};
  std::optional<MonoTime> first_seen_{};
  MonoTime last_seen_{};
};

protect::QuiesceCommand command_of(const Action& action) {
  using Way = protect::QuiesceCommand::Way;
  protect::QuiesceCommand out;
  out.name = action.name;
  out.way = action.action == Action::Way::Session ? Way::Session : Way::Execute;
  out.args = action.args;
  out.undo = action.undo;
  out.may_fail = action.on_error == Action::OnError::Continue;
  if (const auto given = model::parse_duration(action.timeout))
    out.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(*given);
  return out;
}

/// Those of a list that run in this container of this pod.
std::vector<protect::QuiesceCommand> commands_in(const std::vector<Action>& actions,
                                                 const PodRecord& pod, const std::string& container,
                                                 bool first) {
  std::vector<protect::QuiesceCommand> out;
  for (const Action& each : actions) {
    const std::string& where = each.container.empty() ? pod.container : each.container;
    if (where == container && (first || each.pods == Action::Pods::All))
      out.push_back(command_of(each));
  }
  return out;
}

protect::QuiesceCommand profile_command(const Frozen& frozen, const PodRecord& pod) {
  const Quiescing& how = frozen.quiescing;
  const Profile* profile = find_profile(how.profile);
  protect::QuiesceCommand out;
  out.name = how.profile;
  out.way = protect::QuiesceCommand::Way::Profile;
  if (profile != nullptr)
    out.args =
        session_command(*profile, {.budget = std::chrono::seconds(how.lock_budget_seconds),
                                   .deadline = std::chrono::seconds(how.freeze_deadline_seconds),
                                   .mount_paths = pod.mount_paths,
                                   .atomic_cut = frozen.atomic});
  return out;
}

}  // namespace

WindowResult run_window(const WindowTask& task, const Surroundings& around) {
  return Window(task, around).run();
}

protect::QuiesceTask quiesce_task(const Frozen& frozen) {
  const Quiescing& how = frozen.quiescing;
  protect::QuiesceTask out;
  out.deadline = std::chrono::seconds(how.freeze_deadline_seconds);
  out.budget = std::chrono::seconds(how.lock_budget_seconds);
  out.allow_unguarded = frozen.allow_unguarded;
  if (how.empty()) return out;
  for (size_t i = 0; i < frozen.pods.size(); ++i) {
    const PodRecord& pod = frozen.pods[i];
    std::vector<std::string> containers{pod.container};
    const auto add = [&](const std::string& name) {
      if (!name.empty() &&
          std::find(containers.begin(), containers.end(), name) == containers.end())
        containers.push_back(name);
    };
    add(how.container);
    for (const Action& each : how.pre_actions) add(each.container);
    for (const Action& each : how.post_actions) add(each.container);
    for (const std::string& container : containers) {
      protect::QuiesceTarget target{.where = {frozen.ns, pod.name, container, frozen.account}};
      const bool profiled = container == (how.container.empty() ? pod.container : how.container);
      if (!how.profile.empty() && profiled) target.before.push_back(profile_command(frozen, pod));
      for (auto& each : commands_in(how.pre_actions, pod, container, i == 0))
        target.before.push_back(std::move(each));
      target.after = commands_in(how.post_actions, pod, container, i == 0);
      if (container == pod.container) target.presync = pod.mount_paths;
      if (!target.before.empty() || !target.after.empty()) out.targets.push_back(std::move(target));
    }
  }
  return out;
}

}  // namespace holdfast::drivers::volumegroup
