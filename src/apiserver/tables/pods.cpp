// Cells of pods. The status cell tells what keeps a pod from running: the state of the first init
// container that is not through, else that of the first container that has something to say.

#include "tables/cell_text.h"
#include "tables/printers.h"

#include <algorithm>

namespace holdfast::apiserver {
namespace {

using model::Array;
using model::Value;

struct PodSummary {
  std::string reason;
  size_t ready = 0, total = 0;
  int64_t restarts = 0;
  std::string_view last_restart;  // RFC 3339 in UTC, so the greater text is the later time
};

struct Restarts {
  int64_t count = 0;
  std::string_view last;

  void add(const Value& status) {
    count += model::int_at(status, {"restartCount"}, 0);
    last = std::max(last, model::string_at(status, {"lastState", "terminated", "finishedAt"}));
  }
};

bool has(const Value& object, Path path) {
  const Value* found = model::find(object, path);
  return found != nullptr && found->is_object();
}

// Init containers that restart always run beside the containers: sidecars.
bool is_sidecar(const Value& container) {
  return model::string_at(container, {"restartPolicy"}) == "Always";
}

bool names_sidecar(const Value& pod, std::string_view name) {
  for (const Value& container : model::array_at(pod, {"spec", "initContainers"}))
    if (model::string_at(container, {"name"}) == name) return is_sidecar(container);
  return false;
}

// What a terminated container died of.
std::string death(const Value& status) {
  const std::string_view reason = model::string_at(status, {"state", "terminated", "reason"});
  if (!reason.empty()) return std::string(reason);
  const int64_t signal = model::int_at(status, {"state", "terminated", "signal"}, 0);
  if (signal != 0) return "Signal:" + std::to_string(signal);
  return "ExitCode:" +
         std::to_string(model::int_at(status, {"state", "terminated", "exitCode"}, 0));
}

// Empty when the init container is through, or is a sidecar that started.
std::string init_obstacle(const Value& pod, const Value& status, size_t index) {
  const bool terminated = has(status, {"state", "terminated"});
  if (terminated && model::int_at(status, {"state", "terminated", "exitCode"}, 0) == 0) return "";
  if (names_sidecar(pod, model::string_at(status, {"name"})) &&
      model::bool_at(status, {"started"}, false))
    return "";
  if (terminated) return "Init:" + death(status);
  const std::string_view waiting = model::string_at(status, {"state", "waiting", "reason"});
  if (!waiting.empty() && waiting != "PodInitializing") return "Init:" + std::string(waiting);
  return "Init:" + std::to_string(index) + "/" +
         std::to_string(model::array_at(pod, {"spec", "initContainers"}).size());
}

bool finished_well(const Value& status) {
  return has(status, {"state", "terminated"}) &&
         model::int_at(status, {"state", "terminated", "exitCode"}, 0) == 0;
}

// Walks the containers from the last to the first, so that the first one's reason stands.
void look_at_containers(const Value& pod, Restarts restarts, PodSummary& summary) {
  const Array& statuses = model::array_at(pod, {"status", "containerStatuses"});
  bool running = false;
  for (size_t i = statuses.size(); i-- > 0;) {
    const Value& status = statuses[i];
    restarts.add(status);
    const std::string_view waiting = model::string_at(status, {"state", "waiting", "reason"});
    if (!waiting.empty()) {
      summary.reason = waiting;
    } else if (has(status, {"state", "terminated"})) {
      summary.reason = death(status);
    } else if (model::bool_at(status, {"ready"}, false) && has(status, {"state", "running"})) {
      running = true;
      ++summary.ready;
    }
  }
  if (summary.reason == "Completed" && running)
    summary.reason = condition_true(pod, "Ready") ? "Running" : "NotReady";
  summary.restarts = restarts.count;
  summary.last_restart = restarts.last;
}

PodSummary summarise(const Value& pod) {
  PodSummary summary;
  summary.reason = filled_at(pod, {"status", "reason"}, model::string_at(pod, {"status", "phase"}));
  for (const Value& condition : model::array_at(pod, {"status", "conditions"}))
    if (model::string_at(condition, {"type"}) == "PodScheduled" &&
        model::string_at(condition, {"reason"}) == "SchedulingGated")
      summary.reason = "SchedulingGated";
  summary.total = model::array_at(pod, {"spec", "containers"}).size();
  for (const Value& container : model::array_at(pod, {"spec", "initContainers"}))
    if (is_sidecar(container)) ++summary.total;

  Restarts all, sidecars;
  bool initializing = false;
  const Array& statuses = model::array_at(pod, {"status", "initContainerStatuses"});
  for (size_t i = 0; i < statuses.size() && !initializing; ++i) {
    const bool sidecar = names_sidecar(pod, model::string_at(statuses[i], {"name"}));
    all.add(statuses[i]);
    if (sidecar) sidecars.add(statuses[i]);
    const std::string obstacle = init_obstacle(pod, statuses[i], i);
    initializing = !obstacle.empty();
    if (initializing)
      summary.reason = obstacle;
    else if (!finished_well(statuses[i]) && model::bool_at(statuses[i], {"ready"}, false))
      ++summary.ready;
  }
  summary.restarts = all.count;
  summary.last_restart = all.last;
  if (!initializing || condition_true(pod, "Initialized"))
    look_at_containers(pod, sidecars, summary);
  return summary;
}

std::string status_cell(const Value& pod, const PodSummary& summary) {
  if (!being_deleted(pod)) return summary.reason;
  if (model::string_at(pod, {"status", "reason"}) == "NodeLost") return "Unknown";
  const std::string_view phase = model::string_at(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed" ? summary.reason : "Terminating";
}

std::string restarts_cell(const PodSummary& summary, WallTime now) {
  std::string text = std::to_string(summary.restarts);
  if (summary.restarts != 0 && !summary.last_restart.empty())
    text += " (" + age(summary.last_restart, now) + " ago)";
  return text;
}

std::string readiness_gates(const Value& pod) {
  const Array& gates = model::array_at(pod, {"spec", "readinessGates"});
  if (gates.empty()) return "<none>";
  size_t open = 0;
  for (const Value& gate : gates)
    if (condition_true(pod, model::string_at(gate, {"conditionType"}))) ++open;
  return std::to_string(open) + "/" + std::to_string(gates.size());
}

std::string_view first_ip(const Value& pod) {
  const Array& ips = model::array_at(pod, {"status", "podIPs"});
  if (!ips.empty()) return filled_at(ips[0], {"ip"}, "<none>");
  return filled_at(pod, {"status", "podIP"}, "<none>");
}

void pod(const Value& object, WallTime now, Array& cells) {
  const PodSummary summary = summarise(object);
  add_cells(cells, name_of(object),
            std::to_string(summary.ready) + "/" + std::to_string(summary.total),
            status_cell(object, summary), restarts_cell(summary, now), age_of(object, now),
            first_ip(object), filled_at(object, {"spec", "nodeName"}, "<none>"),
            filled_at(object, {"status", "nominatedNodeName"}, "<none>"), readiness_gates(object));
}

void pod_template(const Value& object, WallTime, Array& cells) {
  const ContainerCells containers = container_cells(object, {"template", "spec", "containers"});
  add_cells(cells, name_of(object), containers.names, containers.images,
            labels_text(model::object_at(object, {"template", "metadata", "labels"})));
}

}  // namespace

void add_pod_printers(Printers& printers) {
  printers.push_back({"",
                      "Pod",
                      {kNameColumn,
                       {"Ready"},
                       {"Status"},
                       {"Restarts"},
                       kAgeColumn,
                       wide_column("IP"),
                       wide_column("Node"),
                       wide_column("Nominated Node"),
                       wide_column("Readiness Gates")},
                      pod});
  printers.push_back(
      {"", "PodTemplate", {kNameColumn, {"Containers"}, {"Images"}, {"Pod Labels"}}, pod_template});
}

}  // namespace holdfast::apiserver
