#include <holdfast/model/time.h>
#include <holdfast/protect/cut/profiles.h>
#include <holdfast/protect/cut/window.h>

#include <fmt/format.h>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;
using model::string_at;
using model::Value;

/// Between two looks at a cut, for which the application waits: a small part of how long it has
/// waited already, so that what looking late adds is small too.
constexpr std::chrono::microseconds kShortestLook = 2ms, kLongestLook = 200ms;
constexpr int kPartOfWait = 16;
/// After a cut was refused for the moment; the application waits for it too, whatever the server
/// would like.
constexpr std::chrono::milliseconds kAskAgain = 200ms, kLongestAsk = 1s;

/// A client that asks once, and for no longer than that: a cut that is made later than the window
/// may last might be made beside the next leader.
kube::Client asking_once(const kube::Client& client, std::chrono::microseconds longest) {
  kube::ClientSettings settings = client.settings();
  settings.tries = 1;
  settings.timeout = std::clamp(std::chrono::ceil<std::chrono::milliseconds>(longest),
                                std::chrono::milliseconds(1), settings.timeout);
  return client.with(client.transport(), std::move(settings));
}

class Window {
 public:
  Window(const WindowTask& task, const Outside& outside)
      : task_(task),
        outside_(outside),
        began_(outside.clock.mono()),
        quiesce_(task.quiesce, outside.exec, outside.clock) {}

  WindowResult run() {
    if (Result<void> cut = cut_inside(); !cut) {
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
    out_.unseen = quiesce_.unseen();
    out_.guarded = quiesce_.guarded();
    out_.lingering = quiesce_.lingering();
    out_.acquire_micros = quiesce_.acquire_time().count();
    out_.window_micros = quiesce_.window().count();
    return std::move(out_);
  }

 private:
  Result<void> cut_inside() {
    if (!task_.quiesce.targets.empty()) {
      quiesce_.presync();
      HF_TRY(quiesce_.freeze());
      out_.quiesced = true;
      out_.frozen_at = model::to_rfc3339_micro(quiesce_.frozen_at());
      for (const QuiesceTarget& target : task_.quiesce.targets)
        for (const QuiesceCommand& command : target.before)
          if (command.way != QuiesceCommand::Way::Execute && !command.may_fail)
            out_.observed = true;
    }
    return cut();
  }

  /// Whether one more cut may be asked for: while the application is held, and by this operator
  /// alone.
  Result<void> may_cut() {
    if (out_.quiesced) HF_TRY(quiesce_.still_frozen());
    if (outside_.clock.mono() - began_ <= task_.limit) return {};
    reason_ = "TookTooLong";
    return Error(Fault::Unavailable,
                 fmt::format("not every cut was asked for within {} ms of the window, the longest "
                             "time for which this operator is sure to be the only leader",
                             task_.limit.count()));
  }

  Result<Value> ask(const CutObject& cut) {
    const std::string_view ns = string_at(cut.object, {"metadata", "namespace"});
    const std::string what = fmt::format("create {} {}/{}", cut.resource.text(), ns,
                                         string_at(cut.object, {"metadata", "name"}));
    std::optional<Error> refused;
    for (;;) {
      if (Result<void> may = may_cut(); !may) {
        if (!refused) return may.take_error();
        return std::move(*refused).with_context(may.error().what());
      }
      if (out_.cut_asked_at.empty())
        out_.cut_asked_at = model::to_rfc3339_micro(outside_.clock.now());
      kube::Client once =
          asking_once(outside_.client, task_.limit - (outside_.clock.mono() - began_));
      auto made = once.create(cut.resource, ns, cut.object);
      if (made) return made.take();
      refused = made.error().error.copy().with_context(what);
      const std::chrono::milliseconds pause = made.error().retry_after;
      if (made.error().ambiguous || refused->fault() != Fault::Unavailable)
        return std::move(*refused);
      outside_.sleep(std::clamp(pause, kAskAgain, kLongestAsk), {});
    }
  }

  Result<void> cut() {
    const MonoTime asked = outside_.clock.mono();
    std::vector<std::pair<const CutObject*, std::string>> waiting;
    for (const CutObject& each : task_.cuts) {
      const Value made = HF_TRY(ask(each));
      waiting.emplace_back(&each, std::string(string_at(made, {"metadata", "uid"})));
      out_.cut_uids.push_back(waiting.back().second);
    }
    const MonoTime last = asked + task_.quiesce.deadline;
    while (!waiting.empty()) {
      HF_TRY(look(waiting));
      if (out_.quiesced) HF_TRY(quiesce_.still_frozen());
      if (waiting.empty()) break;
      if (!out_.quiesced && outside_.clock.mono() > last) {
        reason_ = "CutNotSeen";
        return Error(Fault::Unavailable, fmt::format("the cut was not seen within {} ms",
                                                     task_.quiesce.deadline.count()));
      }
      const auto pause = std::clamp<std::chrono::microseconds>(
          (outside_.clock.mono() - asked) / kPartOfWait, kShortestLook, kLongestLook);
      outside_.sleep(std::chrono::ceil<std::chrono::milliseconds>(pause), {});
    }
    out_.cut_seen_at = model::to_rfc3339_micro(outside_.clock.now());
    out_.cut_micros = (outside_.clock.mono() - asked).count();
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
      auto seen = outside_.client.get(resource, ns, name);
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
        last_seen_ = outside_.clock.mono();
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
  const Outside& outside_;
  const MonoTime began_;
  Quiesce quiesce_;
  WindowResult out_{};
  std::string reason_{};
  std::optional<MonoTime> first_seen_{};
  MonoTime last_seen_{};
};

QuiesceCommand command_of(const QuiesceAction& action) {
  using Way = QuiesceCommand::Way;
  QuiesceCommand out;
  out.name = action.name;
  out.way = action.action == QuiesceAction::Way::Session ? Way::Session : Way::Execute;
  out.args = action.args;
  out.undo = action.undo;
  out.may_fail = action.on_error == QuiesceAction::OnError::Continue;
  if (const auto given = model::parse_duration(action.timeout))
    out.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(*given);
  return out;
}

/// Those of a list that run in this container of this pod.
std::vector<QuiesceCommand> commands_in(const std::vector<QuiesceAction>& actions,
                                        const PodRecord& pod, const std::string& container,
                                        bool first) {
  std::vector<QuiesceCommand> out;
  for (const QuiesceAction& each : actions) {
    const std::string& where = each.container.empty() ? pod.container : each.container;
    if (where == container && (first || each.pods == QuiesceAction::Pods::All))
      out.push_back(command_of(each));
  }
  return out;
}

QuiesceCommand profile_command(const CutInputs& inputs, const PodRecord& pod) {
  const Quiescing& how = inputs.quiescing;
  const Profile* profile = find_profile(how.profile);
  QuiesceCommand out;
  out.name = how.profile;
  out.way = QuiesceCommand::Way::Profile;
  if (profile != nullptr)
    out.args =
        session_command(*profile, {.budget = std::chrono::seconds(how.lock_budget_seconds),
                                   .deadline = std::chrono::seconds(how.freeze_deadline_seconds),
                                   .mount_paths = pod.mount_paths,
                                   .atomic_cut = inputs.atomic});
  return out;
}

}  // namespace

WindowResult run_window(const WindowTask& task, const Outside& outside) {
  return Window(task, outside).run();
}

QuiesceTask quiesce_task(const CutInputs& inputs) {
  const Quiescing& how = inputs.quiescing;
  QuiesceTask out;
  out.deadline = std::chrono::seconds(how.freeze_deadline_seconds);
  out.budget = std::chrono::seconds(how.lock_budget_seconds);
  out.allow_unguarded = inputs.allow_unguarded;
  if (how.empty()) return out;
  for (size_t i = 0; i < inputs.pods.size(); ++i) {
    const PodRecord& pod = inputs.pods[i];
    std::vector<std::string> containers{pod.container};
    const auto add = [&](const std::string& name) {
      if (!name.empty() &&
          std::find(containers.begin(), containers.end(), name) == containers.end())
        containers.push_back(name);
    };
    add(how.container);
    for (const QuiesceAction& each : how.pre_actions) add(each.container);
    for (const QuiesceAction& each : how.post_actions) add(each.container);
    for (const std::string& container : containers) {
      QuiesceTarget target{.where = {inputs.ns, pod.name, container, inputs.account}};
      const bool profiled = container == (how.container.empty() ? pod.container : how.container);
      if (!how.profile.empty() && profiled) target.before.push_back(profile_command(inputs, pod));
      for (auto& each : commands_in(how.pre_actions, pod, container, i == 0))
        target.before.push_back(std::move(each));
      target.after = commands_in(how.post_actions, pod, container, i == 0);
      if (container == pod.container) target.presync = pod.mount_paths;
      if (!target.before.empty() || !target.after.empty()) out.targets.push_back(std::move(target));
    }
  }
  return out;
}

}  // namespace holdfast::protect
