#include "pods/pod.h"

#include <holdfast/model/object.h>

#include <charconv>

namespace holdfast::node {
namespace {

using model::array_at;
using model::int_at;
using model::string_at;
using model::Value;
using std::chrono::seconds;

std::string text_at(const Value& root, std::initializer_list<std::string_view> path) {
  return std::string(string_at(root, path));
}

/// An int-or-string, as text.
std::string number_or_name(const Value& action) {
  const Value* port = model::find(action, {"port"});
  if (port == nullptr) return "";
  if (port->is_string()) return std::string(model::view(port->get_string()));
  return std::to_string(int_at(action, {"port"}, 0));
}

Errand read_errand(const Value& from) {
  Errand errand;
  if (const Value* exec = model::find(from, {"exec"})) {
    errand.kind = Errand::Kind::Exec;
    for (const Value& word : array_at(*exec, {"command"}))
      if (word.is_string()) errand.command.emplace_back(model::view(word.get_string()));
  } else if (const Value* http = model::find(from, {"httpGet"})) {
    errand.kind = Errand::Kind::Http;
    errand.host = text_at(*http, {"host"});
    errand.path = text_at(*http, {"path"});
    errand.scheme = text_at(*http, {"scheme"});
    errand.port = number_or_name(*http);
    for (const Value& header : array_at(*http, {"httpHeaders"}))
      errand.headers.emplace_back(text_at(header, {"name"}), text_at(header, {"value"}));
  } else if (const Value* tcp = model::find(from, {"tcpSocket"})) {
    errand.kind = Errand::Kind::Tcp;
    errand.host = text_at(*tcp, {"host"});
    errand.port = number_or_name(*tcp);
  } else if (const Value* sleep = model::find(from, {"sleep"})) {
    errand.kind = Errand::Kind::Sleep;
    errand.sleep = seconds(int_at(*sleep, {"seconds"}, 0));
  } else if (const Value* grpc = model::find(from, {"grpc"})) {
    errand.kind = Errand::Kind::Grpc;
    errand.port = number_or_name(*grpc);
    errand.service = text_at(*grpc, {"service"});
  }
  return errand;
}

std::optional<Probe> read_probe(const Value& container, std::string_view name) {
  const Value* from = model::find(container, {name});
  if (from == nullptr || !from->is_object()) return std::nullopt;
  Probe probe;
  probe.errand = read_errand(*from);
  probe.initial_delay = seconds(int_at(*from, {"initialDelaySeconds"}, 0));
  probe.period = seconds(std::max<int64_t>(1, int_at(*from, {"periodSeconds"}, 10)));
  probe.timeout = seconds(std::max<int64_t>(1, int_at(*from, {"timeoutSeconds"}, 1)));
  probe.success_threshold = int(int_at(*from, {"successThreshold"}, 1));
  probe.failure_threshold = int(int_at(*from, {"failureThreshold"}, 3));
  if (model::find(*from, {"terminationGracePeriodSeconds"}) != nullptr)
    probe.grace = seconds(int_at(*from, {"terminationGracePeriodSeconds"}, 0));
  return probe;
}

ContainerDef read_container(const Value& from, bool init) {
  ContainerDef container;
  container.object = &from;
  container.name = text_at(from, {"name"});
  container.init = init;
  container.sidecar = init && string_at(from, {"restartPolicy"}) == "Always";
  container.image = text_at(from, {"image"});
  container.pull_policy = text_at(from, {"imagePullPolicy"});
  if (const Value* hook = model::find(from, {"lifecycle", "postStart"}))
    container.post_start = read_errand(*hook);
  if (const Value* hook = model::find(from, {"lifecycle", "preStop"}))
    container.pre_stop = read_errand(*hook);
  container.stop_signal = text_at(from, {"lifecycle", "stopSignal"});
  container.startup = read_probe(from, "startupProbe");
  container.liveness = read_probe(from, "livenessProbe");
  container.readiness = read_probe(from, "readinessProbe");
  if (const std::string_view path = string_at(from, {"terminationMessagePath"}); !path.empty())
    container.termination_path = path;
  if (const std::string_view policy = string_at(from, {"terminationMessagePolicy"});
      !policy.empty())
    container.termination_policy = policy;
  return container;
}

}  // namespace

const ContainerDef* Pod::find(std::string_view container) const {
  for (const ContainerDef& each : containers)
    if (each.name == container) return &each;
  return nullptr;
}

Pod read_pod(std::shared_ptr<const Value> object) {
  Pod pod;
  const Value& from = *object;
  pod.ns = text_at(from, {"metadata", "namespace"});
  pod.name = text_at(from, {"metadata", "name"});
  pod.uid = text_at(from, {"metadata", "uid"});
  pod.generation = int_at(from, {"metadata", "generation"}, 0);
  pod.deleted = !string_at(from, {"metadata", "deletionTimestamp"}).empty();
  pod.deletion_grace = seconds(int_at(from, {"metadata", "deletionGracePeriodSeconds"}, 0));
  pod.grace = seconds(int_at(from, {"spec", "terminationGracePeriodSeconds"}, 30));
  if (const std::string_view policy = string_at(from, {"spec", "restartPolicy"}); !policy.empty())
    pod.restart_policy = policy;
  if (model::find(from, {"spec", "activeDeadlineSeconds"}) != nullptr)
    pod.active_deadline = seconds(int_at(from, {"spec", "activeDeadlineSeconds"}, 0));
  for (const Value& each : array_at(from, {"spec", "initContainers"}))
    pod.containers.push_back(read_container(each, true));
  for (const Value& each : array_at(from, {"spec", "containers"}))
    pod.containers.push_back(read_container(each, false));
  for (const Value& gate : array_at(from, {"spec", "readinessGates"}))
    pod.readiness_gates.push_back(text_at(gate, {"conditionType"}));
  pod.phase = text_at(from, {"status", "phase"});
  pod.object = std::move(object);
  return pod;
}

int port_of(const ContainerDef& container, std::string_view port) {
  int number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (error == std::errc() && end == port.data() + port.size()) return number;
  for (const Value& each : array_at(*container.object, {"ports"}))
    if (string_at(each, {"name"}) == port) return int(int_at(each, {"containerPort"}, 0));
  return 0;
}

}  // namespace holdfast::node
