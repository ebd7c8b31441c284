#include "endpoints/service.h"

#include <holdfast/model/time.h>

namespace holdfast::workloads::endpoints {

using model::array_at;
using model::string_at;
using model::Value;

namespace {

/// A plain map; empty matches every pod, as the real controllers have it.
model::Labels selector_of(const Value& service) {
  model::Labels wanted;
  for (const auto& [key, value] : model::object_at(service, {"spec", "selector"}))
    if (value.is_string()) wanted.emplace_back(key, model::view(value.get_string()));
  return wanted;
}

bool has_selector(const Value& service) {
  const Value* selector = model::find(service, {"spec", "selector"});
  return selector != nullptr && selector->is_object();
}

std::optional<int64_t> named_port(const Value& container, std::string_view name,
                                  std::string_view protocol) {
  for (const Value& port : array_at(container, {"ports"}))
    if (string_at(port, {"name"}) == name && string_at(port, {"protocol"}) == protocol)
      return model::int_at(port, {"containerPort"}, 0);
  return std::nullopt;
}

void add_selecting(const kube::Informer& services, const model::Meta& pod, control::Keys& keys) {
  for (const kube::Cached& object : services.list(pod.ns)) {
    const Value service = object.value();
    if (has_selector(service) && has_labels(pod.labels, selector_of(service)))
      keys.push_back(kube::key_of(object));
  }
}

/// All of a pod that endpoints show, labels aside.
bool shows_the_same(const Value& before, const Value& after) {
  const Pod old_pod = read_pod(before), new_pod = read_pod(after);
  return old_pod.ready == new_pod.ready && terminal(old_pod) == terminal(new_pod) &&
         old_pod.meta.deletion_timestamp == new_pod.meta.deletion_timestamp &&
         array_at(before, {"status", "podIPs"}) == array_at(after, {"status", "podIPs"}) &&
         string_at(before, {"spec", "hostname"}) == string_at(after, {"spec", "hostname"}) &&
         string_at(before, {"spec", "subdomain"}) == string_at(after, {"spec", "subdomain"});
}

}  // namespace

bool Service::selects() const {
  return string_at(value, {"spec", "type"}) != "ExternalName" && has_selector(value);
}

Service read_service(const kube::Cached& object) {
  Service service{.object = object, .value = object.value()};
  service.ns = object.ns();
  service.name = object.name();
  service.uid = object.uid();
  service.being_deleted = object.being_deleted();
  service.publishes_unready =
      model::bool_at(service.value, {"spec", "publishNotReadyAddresses"}, false);
  const std::string_view address = string_at(service.value, {"spec", "clusterIP"});
  service.headless = address.empty() || address == "None";
  for (const Value& family : array_at(service.value, {"spec", "ipFamilies"}))
    if (family.is_string()) service.families.emplace_back(model::view(family.get_string()));
  if (service.families.empty()) service.families.emplace_back(is_v6(address) ? "IPv6" : "IPv4");
  return service;
}

Backend read_backend(const kube::Cached& object) {
  Backend pod;
  pod.value = object.value();
  static_cast<Pod&>(pod) = read_pod(pod.value);
  pod.object = object;
  for (const Value& address : array_at(pod.value, {"status", "podIPs"}))
    pod.addresses.emplace_back(string_at(address, {"ip"}));
  for (const Value& condition : array_at(pod.value, {"status", "conditions"}))
    if (string_at(condition, {"type"}) == "Ready")
      if (const auto at = model::parse_rfc3339(string_at(condition, {"lastTransitionTime"})))
        pod.changed = *at;
  return pod;
}

std::vector<Backend> backends(control::Pass& pass, const Service& service) {
  const model::Labels wanted = selector_of(service.value);
  std::vector<Backend> pods;
  for (const kube::Cached& object : pass.list(kube::kPods, service.ns))
    if (has_labels(object.meta().labels, wanted)) pods.push_back(read_backend(object));
  return pods;
}

std::optional<int64_t> target_port(const Value& service_port, const Value& pod) {
  const Value* target = model::find(service_port, {"targetPort"});
  if (target == nullptr || !target->is_string())
    return model::int_at(service_port, {"targetPort"}, 0);
  const std::string_view name = model::view(target->get_string());
  const std::string_view protocol = string_at(service_port, {"protocol"});
  for (const Value& container : array_at(pod, {"spec", "containers"}))
    if (const auto port = named_port(container, name, protocol)) return port;
  for (const Value& container : array_at(pod, {"spec", "initContainers"}))
    if (string_at(container, {"restartPolicy"}) == "Always")
      if (const auto port = named_port(container, name, protocol)) return port;
  return std::nullopt;
}

bool is_v6(std::string_view address) { return address.find(':') != std::string_view::npos; }

bool shows_hostname(const Service& service, const Value& pod) {
  return !string_at(pod, {"spec", "hostname"}).empty() &&
         string_at(pod, {"spec", "subdomain"}) == service.name;
}

Value reference_to(const Backend& pod) {
  return model::Object{
      {"kind", "Pod"}, {"namespace", pod.meta.ns}, {"name", pod.meta.name}, {"uid", pod.meta.uid}};
}

control::Lookup services_of_pod() {
  return [](const kube::Change& change, kube::Informers& informers) {
    control::Keys keys;
    const kube::Informer* services = informers.covering(kube::kServices, change.object().ns());
    if (services == nullptr) return keys;
    const model::Meta meta = change.object().meta();
    add_selecting(*services, meta, keys);
    if (!change.before || !change.after) return keys;
    const model::Meta before = change.before.meta();
    if (before.labels != meta.labels)
      add_selecting(*services, before, keys);
    else if (!keys.empty() && shows_the_same(change.before.value(), change.after.value()))
      keys.clear();
    return keys;
  };
}

}  // namespace holdfast::workloads::endpoints
