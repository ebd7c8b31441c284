#include "endpoints/endpoint.h"

#include "endpoints/slices.h"
#include "pods/template.h"

namespace holdfast::workloads::endpoints {

using model::Array;
using model::Object;
using model::Value;

namespace {

constexpr std::string_view kHeadless = "service.kubernetes.io/headless";

bool is_reserved(std::string_view label) {
  return label == kServiceName || label == kSliceManager || label == kHeadless;
}

/// spec.trafficDistribution asks clients to stay near: in the zone, or on the node.
Value hints_of(const Service& service, const Backend& pod, bool ready) {
  const std::string_view wish = model::string_at(service.value, {"spec", "trafficDistribution"});
  const bool near = wish == "PreferClose" || wish == "PreferSameZone" || wish == "PreferSameNode";
  if (!near || !ready) return nullptr;
  Object hints;
  if (pod.zone) hints["forZones"] = Array{Object{{"name", *pod.zone}}};
  if (wish == "PreferSameNode" && !pod.node.empty())
    hints["forNodes"] = Array{Object{{"name", pod.node}}};
  return hints.empty() ? Value() : Value(std::move(hints));
}

}  // namespace

Value endpoint_of(const Service& service, const Backend& pod, std::string_view family) {
  Array addresses;
  for (const std::string& address : pod.addresses)
    if (is_v6(address) == (family == "IPv6")) addresses.emplace_back(address);
  if (addresses.empty()) return nullptr;
  // A client that knows `ready` only must not be sent to a pod on its way out.
  const bool ready = service.publishes_unready || (pod.ready && !pod.going());
  Object endpoint;
  endpoint["addresses"] = std::move(addresses);
  endpoint["conditions"] =
      Object{{"ready", ready}, {"serving", pod.ready}, {"terminating", pod.going()}};
  if (shows_hostname(service, pod.value))
    endpoint["hostname"] = model::string_at(pod.value, {"spec", "hostname"});
  endpoint["targetRef"] = reference_to(pod);
  if (!pod.node.empty()) endpoint["nodeName"] = pod.node;
  if (pod.zone) endpoint["zone"] = *pod.zone;
  if (Value hints = hints_of(service, pod, ready); !hints.is_null())
    endpoint["hints"] = std::move(hints);
  return endpoint;
}

Array ports_of(const Service& service, const Backend& pod) {
  Array ports;
  for (const Value& service_port : model::array_at(service.value, {"spec", "ports"})) {
    const auto number = target_port(service_port, pod.value);
    if (!number) continue;
    Object port;
    port["name"] = model::string_at(service_port, {"name"});
    port["port"] = *number;
    port["protocol"] = model::string_at(service_port, {"protocol"});
    if (const Value* protocol = model::find(service_port, {"appProtocol"}))
      port["appProtocol"] = *protocol;
    ports.push_back(std::move(port));
  }
  return ports;
}

Object slice_labels(const Service& service) {
  Object labels;
  for (const auto& [key, value] : model::object_at(service.value, {"metadata", "labels"}))
    if (!is_reserved(key)) labels[key] = value;
  if (service.headless) labels[kHeadless] = "";
  labels[kServiceName] = service.name;
  labels[kSliceManager] = kOurSlices;
  return labels;
}

std::string identity_of(const Value& endpoint) {
  std::string identity;
  for (const std::string_view part : {"addresses", "hostname"})
    if (const Value* value = model::find(endpoint, {part})) identity += canonical_json(*value);
  identity += '/';
  identity += model::string_at(endpoint, {"targetRef", "namespace"});
  identity += '/';
  identity += model::string_at(endpoint, {"targetRef", "name"});
  return identity;
}

}  // namespace holdfast::workloads::endpoints
