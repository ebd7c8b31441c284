#include "pods/machine.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>

namespace holdfast::node {
namespace {

using namespace std::chrono_literals;
using Hook = ContainerState::Hook;

// kubelet's figures.
constexpr auto kFirstPause = 10s, kLongestPause = 300s;
constexpr auto kForgetPause = 2 * kLongestPause;
constexpr auto kLeastTermGrace = 2s;
constexpr auto kConfigRetry = 5s, kPullLook = 2s;

int signal_number(const std::string& name) {
  static const std::map<std::string, int, std::less<>> kNumbers = {
      {"SIGHUP", SIGHUP},   {"SIGINT", SIGINT},   {"SIGQUIT", SIGQUIT}, {"SIGKILL", SIGKILL},
      {"SIGUSR1", SIGUSR1}, {"SIGUSR2", SIGUSR2}, {"SIGTERM", SIGTERM}, {"SIGWINCH", SIGWINCH},
      {"SIGCONT", SIGCONT}, {"SIGSTOP", SIGSTOP}, {"SIGPIPE", SIGPIPE}, {"SIGALRM", SIGALRM}};
  const auto found = kNumbers.find(name);
  return found != kNumbers.end() ? found->second : SIGTERM;
}

}  // namespace

PodMachine::PodMachine(Pod pod, MonoTime now) : pod_(std::move(pod)), began_(now) {
  for (const ContainerDef& each : pod_.containers) states_[each.name];
}

void PodMachine::update(Pod pod) {
  pod_ = std::move(pod);
  for (const ContainerDef& each : pod_.containers) states_[each.name];
}

void PodMachine::started_before(std::chrono::seconds ago, MonoTime now) { began_ = now - ago; }

void PodMachine::stop_pod(std::chrono::seconds grace, MonoTime now) {
  // A later request may shorten the time that is left, never give more.
  if (stopping_ && stop_began_ + stop_grace_ <= now + grace) return;
  stopping_ = true;
  stop_began_ = now;
  stop_grace_ = grace;
  for (auto& [name, state] : states_) {
    if (!state.stopping) continue;
    state.stop_grace = std::min<std::chrono::milliseconds>(
        state.stop_grace,
        std::chrono::duration_cast<std::chrono::milliseconds>(now - state.stop_began + grace));
  }
}

// kubelet never gives less than a second to a pod that is already gone from the server.
void PodMachine::removed(MonoTime now) { stop_pod(1s, now); }
void PodMachine::leave(std::chrono::seconds grace, MonoTime now) { stop_pod(grace, now); }

void PodMachine::ended(std::string reason, std::string message) {
  end_reason_ = std::move(reason);
  end_message_ = std::move(message);
}

const ContainerState& PodMachine::of(const std::string& container) const {
  return states_.at(container);
}
ContainerState& PodMachine::of(const std::string& container) { return states_[container]; }

std::optional<Action> PodMachine::next(MonoTime now) {
  if (finished_) return std::nullopt;
  if (pod_.deleted) stop_pod(pod_.deletion_grace, now);
  if (!stopping_ && pod_.active_deadline && now - began_ >= *pod_.active_deadline) {
    ended("DeadlineExceeded", "Pod was active on the node longer than the specified deadline");
    stop_pod(pod_.grace, now);
  }
  if (!stopping_ && (!end_reason_.empty() || mains_over())) stop_pod(pod_.grace, now);
  if (stopping_) return next_stop(now);
  if (!prepared_) {
    if (preparing_ || now < prepare_at_) return std::nullopt;
    preparing_ = true;
    return Action{.kind = Action::Kind::Prepare};
  }
  if (std::optional<Action> hook = hooks(now)) return hook;
  return next_start(now);
}

/// Hooks of what has just started, and the ends of containers that a probe or a hook gave up.
std::optional<Action> PodMachine::hooks(MonoTime now) {
  for (const ContainerDef& def : pod_.containers) {
    ContainerState& state = states_[def.name];
    if (state.stopping && state.running())
      if (std::optional<Action> action = stop(def, state, now)) return action;
    if (!state.running() || state.post_start != Hook::None) continue;
    if (def.post_start.kind == Errand::Kind::None) {
      state.post_start = Hook::Done;
      continue;
    }
    state.post_start = Hook::Running;
    return Action{.kind = Action::Kind::PostStart, .container = def.name};
  }
  return std::nullopt;
}

bool PodMachine::initialized() const {
  for (const ContainerDef& def : pod_.containers)
    if (!def.init && states_.at(def.name).record) return true;
  for (const ContainerDef& def : pod_.containers) {
    const ContainerState& state = states_.at(def.name);
    if (def.init && !def.sidecar && !state.succeeded()) return false;
    if (def.sidecar && !(state.running() && state.started)) return false;
  }
  return true;
}

std::optional<Action> PodMachine::next_start(MonoTime now) {
  const bool past_init = initialized();
  for (const ContainerDef& def : pod_.containers) {
    ContainerState& state = states_[def.name];
    if (def.init && !def.sidecar) {
      if (past_init || state.succeeded()) continue;
      if (state.running() || state.starting) return std::nullopt;
      return start(def, state, now);
    }
    if (def.sidecar) {
      if (!state.running() && !state.starting)
        if (std::optional<Action> action = start(def, state, now)) return action;
      if (!past_init && !(state.running() && state.started)) return std::nullopt;
      continue;
    }
    if (state.starting || (state.running() && state.post_start == Hook::Running))
      return std::nullopt;
    if (state.running() || (state.exited() && !restarts(def, state))) continue;
    if (std::optional<Action> action = start(def, state, now)) return action;
  }
  return std::nullopt;
}

bool PodMachine::restarts(const ContainerDef& def, const ContainerState& state) const {
  if (def.sidecar) return true;
  if (pod_.restart_policy == "Always") return !def.init || state.record->exit_code != 0;
  if (pod_.restart_policy == "OnFailure") return state.record->exit_code != 0;
  return false;
}

MonoTime PodMachine::pause_end(const ContainerState& state) const {
  return state.exited() ? state.exited_at + state.crash_pause : MonoTime(0);
}

bool PodMachine::crash_looping(const std::string& container, MonoTime now) const {
  const ContainerState& state = of(container);
  const ContainerDef* def = pod_.find(container);
  return def != nullptr && state.exited() && !state.starting && now < pause_end(state) &&
         restarts(*def, state) && !stopping_;
}

std::optional<Action> PodMachine::start(const ContainerDef& def, ContainerState& state,
                                        MonoTime now) {
  if (now < state.retry_at) return std::nullopt;
  if (state.exited() && now < pause_end(state)) return std::nullopt;
  const int64_t attempt = state.record ? state.record->attempt + 1 : 0;
  if (state.exited()) {
    const bool forgotten =
        state.crash_pause == 0s || state.exited_at - state.crash_updated > kForgetPause;
    state.crash_pause = forgotten
                            ? kFirstPause
                            : std::min<std::chrono::seconds>(2 * state.crash_pause, kLongestPause);
    state.crash_updated = now;
  }
  state.starting = true;
  return Action{.kind = Action::Kind::Start, .container = def.name, .attempt = attempt};
}

/// Nothing of the pod's own work is left to do: its containers ended and stay so, or an init
/// container failed for good.
bool PodMachine::mains_over() const {
  if (pod_.restart_policy == "Always") return false;
  bool over = true;
  for (const ContainerDef& def : pod_.containers) {
    const ContainerState& state = states_.at(def.name);
    if (state.starting) return false;
    if (def.init && !def.sidecar && state.exited() && state.record->exit_code != 0 &&
        !restarts(def, state))
      return true;
    if (!def.init) over = over && state.exited() && !restarts(def, state);
  }
  return over;
}

void PodMachine::begin_stop(ContainerState& state, std::string why, std::chrono::milliseconds grace,
                            MonoTime now) const {
  state.stopping = true;
  state.stop_why = std::move(why);
  state.stop_began = now;
  state.stop_grace = grace;
}

std::optional<Action> PodMachine::next_stop(MonoTime now) {
  bool mains_alive = false, alive = false;
  for (const ContainerDef& def : pod_.containers) {
    const ContainerState& state = states_[def.name];
    if (state.starting) return std::nullopt;  // it ends when it has begun
    mains_alive = mains_alive || (!def.sidecar && state.running());
  }
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::max(MonoTime(0), stop_began_ + stop_grace_ - now));
  // Sidecars go after all others, the last one first.
  for (auto def = pod_.containers.rbegin(); def != pod_.containers.rend(); ++def) {
    ContainerState& state = states_[def->name];
    if (!state.running()) continue;
    alive = true;
    if (def->sidecar && mains_alive) continue;
    if (!state.stopping)
      begin_stop(state, fmt::format("Stopping container {}", def->name), left, now);
    if (std::optional<Action> action = stop(*def, state, now)) return action;
    if (def->sidecar) return std::nullopt;
  }
  if (alive || finishing_) return std::nullopt;
  finishing_ = true;
  return Action{.kind = Action::Kind::Finish};
}

std::optional<Action> PodMachine::stop(const ContainerDef& def, ContainerState& state,
                                       MonoTime now) {
  const MonoTime end = state.stop_began + state.stop_grace;
  if (state.kill_sent) return std::nullopt;
  if (state.pre_stop == Hook::None && def.pre_stop.kind != Errand::Kind::None && !state.term_sent &&
      state.stop_grace > 0ms) {
    state.pre_stop = Hook::Running;
    return Action{.kind = Action::Kind::PreStop, .container = def.name, .why = state.stop_why};
  }
  if (!state.term_sent && (state.pre_stop != Hook::Running || now >= end) &&
      state.stop_grace > 0ms) {
    state.term_sent = true;
    // What a hook used up is not given again, but a moment to end is.
    if (def.pre_stop.kind != Errand::Kind::None && end < now + kLeastTermGrace)
      state.stop_grace = std::chrono::duration_cast<std::chrono::milliseconds>(
          now + kLeastTermGrace - state.stop_began);
    return Action{.kind = Action::Kind::Signal,
                  .container = def.name,
                  .signal = signal_number(def.stop_signal),
                  .why = state.stop_why};
  }
  if (now < state.stop_began + state.stop_grace) return std::nullopt;
  state.kill_sent = true;
  return Action{.kind = Action::Kind::Signal, .container = def.name, .signal = SIGKILL, .why = ""};
}

std::optional<MonoTime> PodMachine::wake(MonoTime now) const {
  std::optional<MonoTime> earliest;
  const auto at = [&](MonoTime time) {
    if (time > now && (!earliest || time < *earliest)) earliest = time;
  };
  if (!prepared_ && !preparing_) at(prepare_at_);
  if (pod_.active_deadline && !stopping_) at(began_ + *pod_.active_deadline);
  for (const auto& [name, state] : states_) {
    if (state.stopping && state.running()) at(state.stop_began + state.stop_grace);
    if (!state.running()) at(state.retry_at), at(pause_end(state));
  }
  return earliest;
}

void PodMachine::prepared() {
  prepared_ = true;
  preparing_ = false;
  waiting_reason_.clear();
  waiting_message_.clear();
}

void PodMachine::not_prepared(std::string reason, std::string message, MonoTime retry_at) {
  preparing_ = false;
  prepare_at_ = retry_at;
  waiting_reason_ = std::move(reason);
  waiting_message_ = std::move(message);
}

void PodMachine::on_record(const ContainerRecord& record, MonoTime now) {
  ContainerState& state = states_[record.name];
  if (state.record && state.record->attempt > record.attempt) return;
  const bool next_run = !state.record || state.record->attempt < record.attempt;
  const bool was_exited = !next_run && state.exited();
  if (next_run) {
    ContainerState fresh;
    fresh.previous = std::move(state.record);
    fresh.previous_message = std::move(state.termination_message);
    fresh.crash_pause = state.crash_pause;
    fresh.crash_updated = state.crash_updated;
    fresh.started_at = now;
    state = std::move(fresh);
  }
  state.record = record;
  state.starting = false;
  state.waiting_reason.clear();
  state.waiting_message.clear();
  if (record.running() && next_run) {
    const ContainerDef* def = pod_.find(record.name);
    const bool hook = def != nullptr && def->post_start.kind != Errand::Kind::None;
    state.started = def == nullptr || (!def->startup && !hook);
    state.ready = def == nullptr || (!def->readiness && state.started);
  }
  if (record.exited() && !was_exited) {
    state.exited_at = now;
    state.started = state.ready = false;
  }
}

void PodMachine::refused(const std::string& container, std::string reason, std::string message,
                         bool pull, MonoTime now) {
  ContainerState& state = states_[container];
  state.starting = false;
  state.waiting_reason = std::move(reason);
  state.waiting_message = std::move(message);
  state.retry_at = now + kConfigRetry;
  if (!pull) return;
  state.pull_pause = state.pull_pause == 0s
                         ? kFirstPause
                         : std::min<std::chrono::seconds>(2 * state.pull_pause, kLongestPause);
  state.pull_at = now + state.pull_pause;
  state.retry_at = now + kPullLook;
}

void PodMachine::pull_later(const std::string& container, std::string message) {
  ContainerState& state = states_[container];
  state.starting = false;
  state.waiting_reason = "ImagePullBackOff";
  state.waiting_message = std::move(message);
  state.retry_at = state.pull_at;
}

void PodMachine::hook_done(const std::string& container, Action::Kind which, bool well,
                           MonoTime now) {
  ContainerState& state = states_[container];
  if (which == Action::Kind::PreStop) {
    state.pre_stop = Hook::Done;
    return;
  }
  state.post_start = Hook::Done;
  const ContainerDef* def = pod_.find(container);
  if (!well && state.running() && !state.stopping)
    begin_stop(state, fmt::format("FailedPostStartHook: container {} will be restarted", container),
               pod_.grace, now);
  if (!well || def == nullptr || !state.running()) return;
  state.started = !def->startup;
  state.ready = state.started && !def->readiness;
}

void PodMachine::probed(const std::string& container, bool started, bool ready) {
  ContainerState& state = states_[container];
  if (!state.running()) return;
  state.started = started;
  state.ready = ready;
}

void PodMachine::unhealthy(const std::string& container, const std::string& why,
                           std::optional<std::chrono::seconds> grace, MonoTime now) {
  ContainerState& state = states_[container];
  if (!state.running() || state.stopping || stopping_) return;
  state.ready = false;
  begin_stop(state, why, grace ? *grace : pod_.grace, now);
}

void PodMachine::adopt(const std::vector<ContainerRecord>& records, bool alive, MonoTime now) {
  std::vector<ContainerRecord> sorted = records;
  std::sort(sorted.begin(), sorted.end(), [](const ContainerRecord& a, const ContainerRecord& b) {
    return a.attempt < b.attempt;
  });
  for (ContainerRecord& record : sorted) {
    if (!alive && !record.exited()) {
      record.pid = 0;
      record.exit_code = 255;
      record.finished_at = record.started_at;
      record.start_error = "";
    }
    on_record(record, now);
    states_[record.name].post_start = Hook::Done;
    if (record.running()) states_[record.name].started = true;
  }
  prepared_ = alive;
}

std::string PodMachine::phase() const {
  const std::string reached = phase_reached();
  if (reached != "Succeeded" && reached != "Failed") return reached;
  for (const auto& [name, state] : states_)
    if (state.running() || state.starting) return initialized() ? "Running" : "Pending";
  return reached;
}

bool PodMachine::in_post_start(const ContainerDef& def) const {
  const ContainerState& state = of(def.name);
  return state.running() && def.post_start.kind != Errand::Kind::None &&
         state.post_start != Hook::Done;
}

std::string PodMachine::phase_reached() const {
  if (!end_reason_.empty()) return "Failed";
  bool any_running = false, all_over = true, any_failed = false, any_waiting = false;
  for (const ContainerDef& def : pod_.containers) {
    const ContainerState& state = states_.at(def.name);
    if (def.init) {
      const bool failed = !def.sidecar && state.exited() && state.record->exit_code != 0;
      if (failed && !restarts(def, state)) return "Failed";
      continue;
    }
    const bool begins = !state.record || (in_post_start(def) && !state.previous);
    any_running = any_running || (state.running() && !begins);
    any_waiting = any_waiting || begins;
    all_over = all_over && state.exited();
    any_failed = any_failed || (state.exited() && state.record->exit_code != 0);
  }
  if (!initialized()) return stopping_ && finished_ ? "Failed" : "Pending";
  if (all_over && (pod_.restart_policy != "Always" || (stopping_ && finishing_))) {
    if (pod_.restart_policy == "OnFailure" && any_failed && !stopping_) return "Running";
    return any_failed ? "Failed" : "Succeeded";
  }
  if (any_waiting && !any_running) return finished_ ? "Failed" : "Pending";
  return any_waiting ? "Pending" : "Running";
}

}  // namespace holdfast::node
