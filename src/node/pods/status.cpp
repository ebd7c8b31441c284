#include "pods/status.h"

#include <holdfast/base/text.h>
#include <holdfast/model/image.h>
#include <holdfast/model/time.h>

#include <fmt/format.h>

namespace holdfast::node {
namespace {

using model::Array;
using model::Object;
using model::Value;

constexpr std::string_view kEpoch = "1970-01-01T00:00:00Z";

/// Whole seconds, as metav1.Time.
std::string seconds_of(const std::string& micro) {
  const std::optional<WallTime> time = model::parse_rfc3339(micro);
  return time ? model::to_rfc3339(*time) : std::string(kEpoch);
}

Value terminated(const ContainerRecord& record, const std::string& message) {
  std::string_view reason = record.exit_code == 0 ? "Completed" : "Error";
  if (record.oom_killed) reason = "OOMKilled";
  if (!record.start_error.empty()) reason = "StartError";
  if (record.exit_code == 255 && record.finished_at == record.started_at) reason = "Unknown";
  Object state{{"exitCode", record.exit_code}, {"reason", reason}};
  const std::string text = record.start_error.empty()
                               ? message
                               : "unable to start container process: " + record.start_error;
  if (!text.empty()) state["message"] = text;
  state["startedAt"] =
      record.start_error.empty() ? seconds_of(record.started_at) : std::string(kEpoch);
  state["finishedAt"] = seconds_of(record.finished_at);
  state["containerID"] = container_id(record.id);
  return Value(Object{{"terminated", std::move(state)}});
}

Value waiting(std::string_view reason, std::string_view message) {
  Object state{{"reason", reason}};
  if (!message.empty()) state["message"] = message;
  return Value(Object{{"waiting", std::move(state)}});
}

struct Shown {
  Value state, last;
};

Value waiting_state(const PodMachine& machine, const ContainerDef& def, const ContainerState& state,
                    MonoTime now) {
  if (!state.waiting_reason.empty()) return waiting(state.waiting_reason, state.waiting_message);
  if (machine.crash_looping(def.name, now))
    return waiting("CrashLoopBackOff",
                   fmt::format("back-off {} restarting failed container={} pod={}",
                               state.crash_pause.count() >= 60
                                   ? fmt::format("{}m{}s", state.crash_pause.count() / 60,
                                                 state.crash_pause.count() % 60)
                                   : fmt::format("{}s", state.crash_pause.count()),
                               def.name, machine.pod().text()));
  if (!machine.waiting_reason().empty())
    return waiting(machine.waiting_reason(), machine.waiting_message());
  const bool inits = std::any_of(machine.pod().containers.begin(), machine.pod().containers.end(),
                                 [](const ContainerDef& each) { return each.init; });
  if (inits && !machine.initialized()) return waiting("PodInitializing", "");
  return waiting("ContainerCreating", "");
}

Shown show(const PodMachine& machine, const ContainerDef& def, MonoTime now) {
  const ContainerState& state = machine.of(def.name);
  Shown shown{Value(Object()), Value(Object())};
  if (state.previous) shown.last = terminated(*state.previous, state.previous_message);
  if (machine.in_post_start(def)) {
    shown.state = waiting_state(machine, def, state, now);
    return shown;
  }
  if (state.running()) {
    shown.state = Object{{"running", Object{{"startedAt", seconds_of(state.record->started_at)}}}};
    return shown;
  }
  const bool again = machine.crash_looping(def.name, now) || !state.waiting_reason.empty();
  if (state.exited() && !again) {
    shown.state = terminated(*state.record, state.termination_message);
    // What has ended for good is all that kubelet keeps.
    if (!machine.restarts(def, state)) shown.last = Object();
    return shown;
  }
  if (state.exited()) shown.last = terminated(*state.record, state.termination_message);
  shown.state = waiting_state(machine, def, state, now);
  return shown;
}

void add_mounts(Object& status, const ContainerDef& def) {
  Array mounts;
  for (const Value& mount : model::array_at(*def.object, {"volumeMounts"})) {
    Object shown{{"name", model::string_at(mount, {"name"})},
                 {"mountPath", model::string_at(mount, {"mountPath"})}};
    if (model::bool_at(mount, {"readOnly"}, false)) {
      shown["readOnly"] = true;
      shown["recursiveReadOnly"] = "Disabled";
    }
    mounts.emplace_back(std::move(shown));
  }
  if (!mounts.empty()) status["volumeMounts"] = std::move(mounts);
}

Value container_status(const PodMachine& machine, const ContainerDef& def, MonoTime now) {
  const ContainerState& state = machine.of(def.name);
  const bool shown_run = state.record && !machine.in_post_start(def);
  Shown shown = show(machine, def, now);
  const bool init_done = def.init && !def.sidecar && state.succeeded();
  Object status{{"name", def.name},
                {"state", std::move(shown.state)},
                {"lastState", std::move(shown.last)},
                {"ready", init_done || (state.running() && state.ready &&
                                        state.post_start == ContainerState::Hook::Done)},
                {"restartCount", state.restarts()},
                {"image", model::canonical_image(def.image)},
                {"imageID", shown_run ? "holdfast://" + model::canonical_image(def.image) : ""}};
  if (shown_run) status["containerID"] = container_id(state.record->id);
  status["started"] = state.running() && state.started && (!def.init || def.sidecar);
  if (const Value* resources = model::find(*def.object, {"resources"});
      resources != nullptr && resources->is_object() && shown_run) {
    status["resources"] = *resources;
    if (const Value* requests = model::find(*resources, {"requests"}))
      status["allocatedResources"] = *requests;
  }
  if (shown_run) add_mounts(status, def);
  return Value(std::move(status));
}

struct Verdict {
  bool value = false;
  std::string reason{}, message{};
};

Verdict initialized(const PodMachine& machine) {
  if (machine.initialized()) {
    const std::string phase = machine.phase();
    return {true, phase == "Succeeded" ? "PodCompleted" : "", ""};
  }
  std::string names;
  for (const ContainerDef& def : machine.pod().containers) {
    const ContainerState& state = machine.of(def.name);
    const bool done = def.sidecar ? state.running() && state.started : state.succeeded();
    if (def.init && !done) names += (names.empty() ? "" : " ") + def.name;
  }
  return {false, "ContainersNotInitialized",
          fmt::format("containers with incomplete status: [{}]", names)};
}

Verdict containers_ready(const PodMachine& machine) {
  const std::string phase = machine.phase();
  if (phase == "Succeeded") return {false, "PodCompleted", ""};
  if (phase == "Failed") return {false, "PodFailed", ""};
  std::string unready;
  for (const ContainerDef& def : machine.pod().containers) {
    const ContainerState& state = machine.of(def.name);
    if (def.init && !def.sidecar) continue;
    const bool ready =
        state.running() && state.ready && state.post_start == ContainerState::Hook::Done;
    if (!ready) unready += (unready.empty() ? "" : " ") + def.name;
  }
  if (unready.empty()) return {true, "", ""};
  return {false, "ContainersNotReady",
          fmt::format("containers with unready status: [{}]", unready)};
}

Verdict ready(const PodMachine& machine, const Verdict& containers) {
  if (!containers.value) return containers;
  std::string missing;
  for (const std::string& gate : machine.pod().readiness_gates) {
    bool met = false;
    std::string why =
        fmt::format("corresponding condition of pod readiness gate \"{}\" does not exist.", gate);
    for (const Value& each : model::array_at(*machine.pod().object, {"status", "conditions"})) {
      if (model::string_at(each, {"type"}) != gate) continue;
      met = model::string_at(each, {"status"}) == "True";
      why = fmt::format("the status of pod readiness gate \"{}\" is not \"True\", but {}", gate,
                        model::string_at(each, {"status"}));
    }
    if (!met) missing += (missing.empty() ? "" : ", ") + why;
  }
  if (missing.empty()) return {true, "", ""};
  return {false, "ReadinessGatesNotReady", missing};
}

/// Keeps the time of the last change where the status has not.
Value condition(const PodMachine& machine, std::string_view type, const Verdict& verdict,
                const StatusFacts& facts) {
  std::string changed = model::to_rfc3339(facts.now);
  const std::string_view status = verdict.value ? "True" : "False";
  static const Value kNothing = Object();
  for (const Value& each :
       model::array_at(facts.before != nullptr ? *facts.before : kNothing, {"conditions"}))
    if (model::string_at(each, {"type"}) == type && model::string_at(each, {"status"}) == status)
      changed = model::string_at(each, {"lastTransitionTime"});
  Object out{{"type", type},
             {"observedGeneration", machine.pod().generation},
             {"status", status},
             {"lastProbeTime", nullptr},
             {"lastTransitionTime", changed}};
  if (!verdict.reason.empty()) out["reason"] = verdict.reason;
  if (!verdict.message.empty()) out["message"] = verdict.message;
  return Value(std::move(out));
}

Array conditions(const PodMachine& machine, const StatusFacts& facts) {
  const Verdict containers = containers_ready(machine);
  bool any = false;
  for (const ContainerDef& def : machine.pod().containers)
    any = any || (machine.of(def.name).running());
  const bool sandbox = machine.is_prepared() && (any || (!machine.is_stopping()));
  Array out;
  const auto add = [&](std::string_view type, const Verdict& verdict) {
    out.push_back(condition(machine, type, verdict, facts));
  };
  add("PodReadyToStartContainers", {sandbox, "", ""});
  add("Initialized", initialized(machine));
  add("Ready", ready(machine, containers));
  add("ContainersReady", containers);
  add("PodScheduled", {true, "", ""});
  static constexpr std::string_view kOurs[] = {"PodReadyToStartContainers", "Initialized", "Ready",
                                               "ContainersReady", "PodScheduled"};
  for (const Value& each : model::array_at(*machine.pod().object, {"status", "conditions"})) {
    const std::string_view type = model::string_at(each, {"type"});
    if (std::find(std::begin(kOurs), std::end(kOurs), type) == std::end(kOurs)) out.push_back(each);
  }
  return out;
}

}  // namespace

std::string container_id(const std::string& id) { return "holdfast://" + id; }

std::string waiting_reason(const PodMachine& machine, const ContainerDef& def, MonoTime now) {
  const Value state = waiting_state(machine, def, machine.of(def.name), now);
  return std::string(model::string_at(state, {"waiting", "reason"}));
}

Value pod_status(const PodMachine& machine, const StatusFacts& facts) {
  const Pod& pod = machine.pod();
  Object status{{"observedGeneration", pod.generation}, {"phase", machine.phase()}};
  status["conditions"] = conditions(machine, facts);
  if (!machine.end_reason().empty() && machine.phase() == "Failed") {
    status["reason"] = machine.end_reason();
    status["message"] = machine.end_message();
  }
  status["hostIP"] = facts.host_ip;
  status["hostIPs"] = Array{Value(Object{{"ip", facts.host_ip}})};
  if (!facts.pod_ip.empty()) {
    status["podIP"] = facts.pod_ip;
    status["podIPs"] = Array{Value(Object{{"ip", facts.pod_ip}})};
  }
  if (!facts.start_time.empty()) status["startTime"] = facts.start_time;
  Array inits, mains;
  for (const ContainerDef& def : pod.containers)
    (def.init ? inits : mains).push_back(container_status(machine, def, facts.mono));
  std::sort(mains.begin(), mains.end(), [](const Value& a, const Value& b) {
    return model::string_at(a, {"name"}) < model::string_at(b, {"name"});
  });
  if (!inits.empty()) status["initContainerStatuses"] = std::move(inits);
  status["containerStatuses"] = std::move(mains);
  for (const std::string_view kept :
       {"qosClass", "nominatedNodeName", "resourceClaimStatuses", "ephemeralContainerStatuses"})
    if (const Value* value = model::find(*pod.object, {"status", kept})) status[kept] = *value;
  return Value(std::move(status));
}

}  // namespace holdfast::node
