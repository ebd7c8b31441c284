// The order of a window: guards start, sessions connect, then everything is locked in all pods at
// once; on the way out sessions are released, the commands after are run, and the guards, which
// would have done both, are ended.
#include <holdfast/base/text.h>
#include <holdfast/control/sabotage.h>
#include <holdfast/model/time.h>
#include <holdfast/protect/cut/quiesce.h>

#include "quiesce/command.h"
#include "quiesce/scripts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;
using Way = QuiesceCommand::Way;

/// For what should be there at once: a shell that answers, a lock that is let go.
constexpr auto kPrompt = 5s;
constexpr auto kPresync = 30s;
constexpr std::string_view kArmed = "HOLDFAST ARMED", kConnected = "HOLDFAST CONNECTED",
                           kFailed = "HOLDFAST FAILED ", kReady = "READY", kOurs = "HOLDFAST ";

std::chrono::seconds whole_seconds(std::chrono::milliseconds time) {
  return std::max(std::chrono::ceil<std::chrono::seconds>(time), std::chrono::seconds(1));
}

/// Profiles are scripts for a shell themselves, and say so where they find none.
bool has_commands(const QuiesceTarget& target) {
  return !target.after.empty() ||
         std::any_of(target.before.begin(), target.before.end(),
                     [](const QuiesceCommand& each) { return each.way != Way::Profile; });
}

}  // namespace

std::string run_in_pod(const QuiesceCommand& command, const ExecTarget& where, PodExec& exec,
                       const Clock& clock) {
  for (const bool bare : {false, true}) {
    const auto limit = command.timeout + 1s;
    auto opened =
        bare ? exec.open_bare(where, command.args, limit) : exec.open(where, command.args, limit);
    if (!opened) return opened.error().error.what();
    RunningCommand running(opened.take(), bare);
    running.end_input();
    if (!running.ended(clock.mono() + command.timeout))
      return fmt::format("not done within {} ms", command.timeout.count());
    if (!running.found_no_shell()) return running.ended_well() ? "" : running.how_it_ended();
  }
  return "the container has no /bin/sh";
}

struct Quiesce::Body {
  /// A command of a target, from its first try on.
  struct Held {
    size_t target = 0;
    const QuiesceCommand* command = nullptr;
    std::unique_ptr<RunningCommand> running{};
    size_t step = 0;       ///< in `steps`
    bool may_run = false;  ///< it was asked for, and no answer came
    bool end_is_known() const { return running ? running->end_is_known() : !may_run; }
  };
  struct Guard {
    size_t target = 0;
    std::unique_ptr<RunningCommand> running{};
  };

  Body(QuiesceTask wanted, PodExec& by, const Clock& time)
      : task(std::move(wanted)), exec(by), clock(time) {}

  const QuiesceTask task;
  PodExec& exec;
  const Clock& clock;
  std::vector<Held> connected{}, held{};
  std::vector<Guard> guards{};
  std::vector<QuiesceStep> steps{};
  std::vector<Owed> owed{};
  std::vector<QuiesceNote> notes{};
  std::vector<std::string> unseen{};
  std::string reason{};
  std::set<size_t> shell_less{};  ///< targets without /bin/sh
  bool unguarded = false, thawed = false, lingering = false;
  std::optional<MonoTime> began{}, first_lock{}, all_locked{}, released{};
  WallTime frozen_at{}, thawed_at{};

  std::string now_text() const { return model::to_rfc3339_micro(clock.now()); }
  /// Ours comes a little before the one in the container: who lets go should be us.
  std::chrono::milliseconds own_deadline() const { return task.deadline * 9 / 10; }
  MonoTime until(std::chrono::milliseconds limit) const {
    const MonoTime end = clock.mono() + limit;
    return began ? std::min<MonoTime>(end, *began + own_deadline()) : end;
  }

  /// What one after undoes: the one before that it names, or all of its container; if that has
  /// none, all of its pod.
  bool undoes(size_t target, const QuiesceCommand& after, const Held& each) const {
    if (task.targets[each.target].where.pod != task.targets[target].where.pod) return false;
    if (!after.undo.empty()) return each.command->name == after.undo;
    return each.target == target || task.targets[target].before.empty();
  }
  bool tried(size_t target, const QuiesceCommand& after) const {
    return std::any_of(held.begin(), held.end(),
                       [&](const Held& each) { return undoes(target, after, each); });
  }
  bool is_guarded(size_t target) const {
    return std::any_of(guards.begin(), guards.end(), [&](const Guard& each) {
      return task.targets[each.target].where.pod == task.targets[target].where.pod;
    });
  }
  /// A command before whose end we did not see may take its lock after those after it were run.
  bool still_runs(size_t target) const {
    const std::vector<QuiesceCommand>& after = task.targets[target].after;
    return std::any_of(held.begin(), held.end(), [&](const Held& each) {
      return each.command->way == Way::Execute && !each.end_is_known() &&
             std::any_of(after.begin(), after.end(),
                         [&](const auto& one) { return undoes(target, one, each); });
    });
  }
  bool is_owed(size_t target) const {
    return std::any_of(owed.begin(), owed.end(), [&](const Owed& each) {
      return is_owed_in(each, task.targets[target].where);
    });
  }
  bool quiesces(const std::string& pod) const {
    return std::any_of(task.targets.begin(), task.targets.end(), [&](const QuiesceTarget& each) {
      return each.where.pod == pod && !each.before.empty();
    });
  }

  Error fail(std::string_view why, const std::string& what) {
    if (reason.empty()) reason = why;
    return {Fault::Unavailable, what};
  }

  size_t begin_step(const QuiesceCommand& command, size_t target) {
    steps.push_back({command.name, task.targets[target].where.pod, "Started", "", now_text(), ""});
    return steps.size() - 1;
  }
  void end_step(size_t step, const std::string& error) {
    steps[step].state = error.empty() ? "Completed" : "Error";
    steps[step].error = error;
    steps[step].finished_at = now_text();
  }

  kube::Reply<std::unique_ptr<RunningCommand>> open(size_t target,
                                                    const std::vector<std::string>& args,
                                                    std::chrono::milliseconds limit,
                                                    bool bare = false) {
    const ExecTarget& where = task.targets[target].where;
    auto opened = bare ? exec.open_bare(where, args, limit) : exec.open(where, args, limit);
    if (opened) return std::make_unique<RunningCommand>(opened.take(), bare);
    kube::Failure failure = opened.take_error();
    failure.error =
        std::move(failure.error)
            .with_context(fmt::format("run a command in pod {}/{}", where.ns, where.pod));
    return failure;
  }
  void note_unseen(size_t target, const QuiesceCommand& command) {
    const ExecTarget& where = task.targets[target].where;
    unseen.push_back(
        fmt::format("{} in container {} of pod {}", command.name, where.container, where.pod));
  }

  Result<void> stand_guard(size_t target);
  Result<void> connect(size_t target, const QuiesceCommand& command);
  Result<void> may_launch(size_t target, const QuiesceCommand& command);
  kube::Reply<std::unique_ptr<RunningCommand>> launch(size_t target, const QuiesceCommand& command);
  Result<void> start(size_t target, const QuiesceCommand& command);
  Result<void> wait_for(Held& each);
  std::string await_ready(Held& each);
  void release_sessions();
  void end_unfinished();
  void run_after(size_t target);
  void dismiss(Guard& guard, bool done);
};

Quiesce::Quiesce(QuiesceTask task, PodExec& exec, const Clock& clock)
    : body_(std::make_unique<Body>(std::move(task), exec, clock)) {}
Quiesce::~Quiesce() { thaw(); }

const std::string& Quiesce::reason() const { return body_->reason; }
const std::vector<QuiesceStep>& Quiesce::steps() const { return body_->steps; }
const std::vector<Owed>& Quiesce::owed() const { return body_->owed; }
const std::vector<QuiesceNote>& Quiesce::notes() const { return body_->notes; }
bool Quiesce::guarded() const { return !body_->unguarded; }
const std::vector<std::string>& Quiesce::unseen() const { return body_->unseen; }
bool Quiesce::lingering() const { return body_->lingering; }
WallTime Quiesce::frozen_at() const { return body_->frozen_at; }
WallTime Quiesce::thawed_at() const { return body_->thawed_at; }

std::chrono::microseconds Quiesce::acquire_time() const {
  if (!body_->began || !body_->all_locked) return {};
  return *body_->all_locked - *body_->began;
}

std::chrono::microseconds Quiesce::window() const {
  if (!body_->first_lock || !body_->released) return {};
  return *body_->released - *body_->first_lock;
}

void Quiesce::presync() {
  std::vector<std::pair<size_t, std::unique_ptr<RunningCommand>>> all;
  for (size_t i = 0; i < body_->task.targets.size(); ++i) {
    if (body_->task.targets[i].presync.empty() && !has_commands(body_->task.targets[i])) continue;
    auto opened = body_->open(i, presync_command(body_->task.targets[i].presync), kPresync);
    if (!opened) continue;
    (*opened)->end_input();
    all.emplace_back(i, opened.take());
  }
  const MonoTime until = body_->clock.mono() + kPresync;
  for (const auto& [target, each] : all)
    if (each->ended(until) && each->found_no_shell()) body_->shell_less.insert(target);
}

/// Its deadline begins a moment before the first lock, so it never outlasts what was promised.
Result<void> Quiesce::Body::stand_guard(size_t target) {
  if (control::sabotage().no_guard) return {};
  const QuiesceTarget& whose = task.targets[target];
  std::vector<std::vector<std::string>> posts;
  for (const QuiesceCommand& each : whose.after) posts.push_back(each.args);
  auto opened = open(target, guard_command(posts, whole_seconds(task.deadline)), 0ms);
  std::string why;
  if (opened) {
    const MonoTime until = clock.mono() + kPrompt;
    std::optional<std::string> line = (*opened)->line(until);
    if (line == kArmed) {
      guards.push_back({target, opened.take()});
      return {};
    }
    (*opened)->ended(clock.mono() + 100ms);
    why = line ? *line : (*opened)->how_it_ended();
  } else {
    why = opened.error().error.what();
  }
  unguarded = true;
  if (task.allow_unguarded) return {};
  return fail(
      "GuardNotPossible",
      fmt::format("no guard can run in container {} of pod {}, so the post actions would not run "
                  "if the operator died: {}; allowUnguarded goes on without a guard",
                  whose.where.container, whose.where.pod, why));
}

Result<void> Quiesce::Body::connect(size_t target, const QuiesceCommand& command) {
  Held each{.target = target, .command = &command};
  auto opened = open(target, command.args, 0ms);
  if (!opened) return fail("ExecFailed", opened.error().error.what());
  each.running = opened.take();
  const MonoTime until = clock.mono() + command.timeout;
  while (std::optional<std::string> line = each.running->line(until)) {
    if (*line == kConnected) {
      connected.push_back(std::move(each));
      return {};
    }
    if (!line->starts_with(kFailed)) continue;
    const std::string said = line->substr(kFailed.size());
    const size_t word = std::min(said.find(' '), said.size());
    return fail(said.substr(0, word),
                fmt::format("{} in pod {}: {}", command.name, task.targets[target].where.pod,
                            trim(std::string_view(said).substr(word))));
  }
  each.running->ended(clock.mono() + 100ms);
  return fail("NotConnected",
              fmt::format("{} in pod {} did not reach its server: {}", command.name,
                          task.targets[target].where.pod, each.running->how_it_ended()));
}

/// Without a shell nothing in the container would end a session, or tell how a command ended.
Result<void> Quiesce::Body::may_launch(size_t target, const QuiesceCommand& command) {
  if (!shell_less.contains(target) || task.allow_unguarded) return {};
  return fail("GuardNotPossible",
              fmt::format("container {} of pod {} has no /bin/sh, so nothing there would {}; "
                          "allowUnguarded goes on without a guard",
                          task.targets[target].where.container, task.targets[target].where.pod,
                          command.way == Way::Execute
                              ? fmt::format("show that {} has ended", command.name)
                              : fmt::format("end {} if its node were lost", command.name)));
}

kube::Reply<std::unique_ptr<RunningCommand>> Quiesce::Body::launch(size_t target,
                                                                   const QuiesceCommand& command) {
  const bool bare = shell_less.contains(target);
  if (command.way == Way::Session) {
    unguarded = unguarded || bare;
    const auto limit = whole_seconds(task.deadline);
    return open(target, bare ? command.args : watched_session(command.args, limit), 0ms, bare);
  }
  if (bare) note_unseen(target, command);
  // What may still take its lock when we are gone must have ended when the guard looks again.
  const auto limit = std::max<std::chrono::milliseconds>(task.deadline - 2s, 1s);
  const bool watched = is_guarded(target) && !bare;
  auto opened =
      open(target, watched ? watched_session(command.args, whole_seconds(limit)) : command.args,
           command.timeout + 1s, bare);
  if (opened) (*opened)->end_input();
  return opened;
}

Result<void> Quiesce::Body::start(size_t target, const QuiesceCommand& command) {
  if (!began) began = clock.mono();
  Held each{.target = target, .command = &command};
  each.step = begin_step(command, target);
  if (command.way == Way::Profile) {
    for (Held& one : connected)
      if (one.target == target && one.command == &command) each.running = std::move(one.running);
    each.running->tell("lock");
  } else if (Result<void> may = may_launch(target, command); !may) {
    end_step(each.step, may.error().what());
    held.push_back(std::move(each));
    if (command.may_fail) return {};
    return may;
  } else {
    auto opened = launch(target, command);
    if (!opened) {
      const std::string what = opened.error().error.what();
      each.may_run = opened.error().ambiguous;
      end_step(each.step, what);
      held.push_back(std::move(each));
      if (command.may_fail) return {};
      return fail("ExecFailed", what);
    }
    each.running = opened.take();
  }
  held.push_back(std::move(each));
  return {};
}

/// Why it is not ready; empty if it is.
std::string Quiesce::Body::await_ready(Held& each) {
  const bool profile = each.command->way == Way::Profile;
  const MonoTime limit = until(profile ? task.budget + 500ms : each.command->timeout);
  while (std::optional<std::string> line = each.running->line(limit)) {
    if (trim(*line) == kReady) return "";
    if (line->starts_with(kFailed)) return line->substr(kFailed.size());
  }
  if (each.running->is_over()) return each.running->how_it_ended();
  return fmt::format("not READY within {} ms",
                     profile ? task.budget.count() : each.command->timeout.count());
}

Result<void> Quiesce::Body::wait_for(Held& each) {
  if (!each.running) return {};
  const std::string& pod = task.targets[each.target].where.pod;
  std::string_view why = "LockNotAcquired";
  std::string error;
  if (each.command->way == Way::Execute) {
    const MonoTime limit = until(each.command->timeout);
    each.running->ended(limit);
    if (each.running->end_is_known()) {
      why = "CommandFailed";
      if (!each.running->ended_well()) error = each.running->how_it_ended();
    } else if (each.running->found_no_shell()) {
      why = "GuardNotPossible";
      error = each.running->how_it_ended();
    } else if (clock.mono() < limit && each.running->is_over()) {
      why = "SessionLost";
      error = each.running->how_it_ended();
    } else {
      why = "CommandTimedOut";
      error = fmt::format("not done within {} ms; it may still run",
                          std::min(each.command->timeout, own_deadline()).count());
    }
  } else {
    error = await_ready(each);
  }
  end_step(each.step, error);
  if (error.empty()) {
    if (!first_lock) first_lock = clock.mono();
    return {};
  }
  each.running->close();
  if (each.command->may_fail) return {};
  return fail(why, fmt::format("{} in pod {}: {}", each.command->name, pod, error));
}

Result<void> Quiesce::freeze() {
  Body& body = *body_;
  const std::vector<QuiesceTarget>& targets = body.task.targets;
  for (size_t i = 0; i < targets.size(); ++i)
    for (const QuiesceCommand& command : targets[i].before)
      if (command.way == Way::Profile) HF_TRY(body.connect(i, command));
  for (size_t i = 0; i < targets.size(); ++i)
    if (!targets[i].after.empty() && body.quiesces(targets[i].where.pod))
      HF_TRY(body.stand_guard(i));
  size_t most = 0;
  for (const QuiesceTarget& each : targets) most = std::max(most, each.before.size());
  for (size_t round = 0; round < most; ++round) {
    const size_t first = body.held.size();
    for (size_t i = 0; i < targets.size(); ++i)
      if (round < targets[i].before.size()) HF_TRY(body.start(i, targets[i].before[round]));
    for (size_t i = first; i < body.held.size(); ++i) HF_TRY(body.wait_for(body.held[i]));
  }
  body.all_locked = body.clock.mono();
  body.frozen_at = body.clock.now();
  return {};
}

Result<void> Quiesce::still_frozen() {
  Body& body = *body_;
  if (body.began && body.clock.mono() >= *body.began + body.own_deadline())
    return body.fail("FreezeDeadlineExceeded",
                     fmt::format("the cut was not seen within {} ms", body.own_deadline().count()));
  for (Body::Held& each : body.held) {
    if (each.command->way == Way::Execute || !each.running) continue;
    if (each.command->may_fail && body.steps[each.step].state == "Error") continue;
    if (!each.running->alive())
      return body.fail(
          "SessionLost",
          fmt::format("{} in pod {} ended inside the window: {}", each.command->name,
                      body.task.targets[each.target].where.pod, each.running->how_it_ended()));
  }
  for (Body::Guard& guard : body.guards)
    if (!guard.running->alive())
      return body.fail("GuardLost", fmt::format("the guard in pod {} ended inside the window: {}",
                                                body.task.targets[guard.target].where.pod,
                                                guard.running->how_it_ended()));
  return {};
}

void Quiesce::Body::release_sessions() {
  std::vector<Held*> sessions;
  for (Held& each : connected)
    if (each.running) each.running->release();
  for (Held& each : held) {
    if (each.command->way == Way::Execute) continue;
    if (each.running) sessions.push_back(&each);
    lingering = lingering || each.may_run;
  }
  // What was lost before may hold its lock where nobody tells it to let go.
  for (Held* each : sessions)
    if (!each->running->alive() && !each->running->ended_for_certain()) lingering = true;
  for (Held* each : sessions) each->running->release();
  const MonoTime limit = clock.mono() + kPrompt;
  for (Held* each : sessions) {
    while (std::optional<std::string> line = each->running->line(limit))
      if (each->command->way == Way::Profile && line->starts_with(kOurs))
        notes.push_back({task.targets[each->target].where.pod, line->substr(kOurs.size())});
    if (each->running->ended(limit) && each->running->end_is_known()) continue;
    lingering = true;
    each->running->close();
    if (steps[each->step].error.empty())
      steps[each->step].error = fmt::format(
          "it was not seen to end when its input ended; its locks end with the deadline of {} s",
          whole_seconds(task.deadline).count());
  }
}

/// Begun, and not waited for once another had failed: no step of it may look as if it never was.
void Quiesce::Body::end_unfinished() {
  for (Held& each : held) {
    if (steps[each.step].state != "Started") continue;
    const bool well =
        each.command->way == Way::Execute && !each.running->alive() && each.running->ended_well();
    end_step(each.step, well ? "" : "begun, and not waited for: the window had failed by then");
  }
}

void Quiesce::Body::run_after(size_t target) {
  Owed left = owed_in(task.targets[target].where);
  for (const QuiesceCommand& command : task.targets[target].after) {
    if (!tried(target, command)) continue;
    if (began && clock.mono() > *began + task.deadline) {
      // The guard has run it by now; should another leader be there, the pod may be another run's.
      left.commands.push_back(command.name);
      left.error = "not begun before the deadline";
      continue;
    }
    const size_t step = begin_step(command, target);
    if (shell_less.contains(target)) note_unseen(target, command);
    const std::string error = run_in_pod(command, task.targets[target].where, exec, clock);
    end_step(step, error);
    if (error.empty()) continue;
    left.commands.push_back(command.name);
    left.error = error;
  }
  if (!left.commands.empty()) owed.push_back(std::move(left));
}

/// Not done: its input ends, and it does what is owed. One that was not seen to go home may not
/// have heard of it.
void Quiesce::Body::dismiss(Guard& guard, bool done) {
  if (done) guard.running->tell("done");
  guard.running->release();
  guard.running->ended(clock.mono() + kPrompt);
  if (!done || !guard.running->ended_well()) lingering = true;
  if (done || !guard.running->ended_well()) return;
  const ExecTarget& where = task.targets[guard.target].where;
  std::erase_if(owed, [&](const Owed& each) { return is_owed_in(each, where); });
}

void Quiesce::thaw() {
  Body& body = *body_;
  if (std::exchange(body.thawed, true)) return;
  body.release_sessions();
  body.end_unfinished();
  for (size_t i = 0; i < body.task.targets.size(); ++i) body.run_after(i);
  body.released = body.clock.mono();
  body.thawed_at = body.clock.now();
  for (Body::Guard& guard : body.guards)
    body.dismiss(guard, !body.is_owed(guard.target) && !body.still_runs(guard.target));
  body.guards.clear();
}

std::vector<Owed> release_owed(const std::vector<QuiesceTarget>& targets, PodExec& exec,
                               const Clock& clock, std::chrono::milliseconds limit) {
  const MonoTime last = clock.mono() + limit;
  std::vector<Owed> left, tried;
  for (const QuiesceTarget& target : targets) {
    Owed owed = owed_in(target.where);
    std::vector<std::string> failed;
    for (const QuiesceCommand& command : target.after) {
      if (clock.mono() > last) {
        owed.commands.push_back(command.name);
        continue;
      }
      const std::string error = run_in_pod(command, target.where, exec, clock);
      if (error.empty()) continue;
      owed.error = error;
      failed.push_back(command.name);
    }
    const bool waits = !owed.commands.empty();
    if (waits && failed.empty()) owed.error = fmt::format("not begun within {} ms", limit.count());
    owed.commands.insert(owed.commands.end(), failed.begin(), failed.end());
    if (!owed.commands.empty()) (waits ? left : tried).push_back(std::move(owed));
  }
  left.insert(left.end(), tried.begin(), tried.end());
  return left;
}

}  // namespace holdfast::protect
