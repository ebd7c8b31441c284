#include "endpoints/addresses.h"

#include <holdfast/model/time.h>

#include "endpoints/trigger.h"
#include "pods/template.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace holdfast::workloads::endpoints {

using control::Note;
using control::Outcome;
using model::Array;
using model::Object;
using model::Value;

namespace {

constexpr int64_t kCapacity = 1000;
constexpr std::string_view kManagedBy = "endpoints.kubernetes.io/managed-by";
constexpr std::string_view kOverCapacity = "endpoints.kubernetes.io/over-capacity";
constexpr std::string_view kHeadless = "service.kubernetes.io/headless";

struct Address {
  std::string ip{}, uid{};
  Value value{};
  bool ready = false;
  bool operator<(const Address& other) const {
    return std::tie(ip, uid) < std::tie(other.ip, other.uid);
  }
};

std::optional<Address> address_of(const Service& service, const Backend& pod) {
  const bool wants_v6 = service.families.front() == "IPv6";
  for (const std::string& ip : pod.addresses) {
    if (is_v6(ip) != wants_v6) continue;
    Object value{{"ip", ip}};
    if (shows_hostname(service, pod.value))
      value["hostname"] = model::string_at(pod.value, {"spec", "hostname"});
    value["nodeName"] = pod.node;
    value["targetRef"] = reference_to(pod);
    return Address{ip, pod.meta.uid, std::move(value), service.publishes_unready || pod.ready};
  }
  return std::nullopt;
}

Value endpoint_port(const Value& service_port, int64_t number) {
  Object port;
  const std::string_view name = model::string_at(service_port, {"name"});
  if (!name.empty()) port["name"] = name;
  port["port"] = number;
  port["protocol"] = model::string_at(service_port, {"protocol"});
  if (const Value* protocol = model::find(service_port, {"appProtocol"}))
    port["appProtocol"] = *protocol;
  return port;
}

/// Each port, by its canonical text, with the addresses that offer it; "" stands for no port.
using Offers = std::map<std::string, std::pair<Value, std::vector<Address>>>;

Offers collect(const Service& service, const std::vector<Backend>& pods) {
  Offers offers;
  const Array& ports = model::array_at(service.value, {"spec", "ports"});
  for (const Backend& pod : pods) {
    if (!pod.reachable() || (pod.going() && !service.publishes_unready)) continue;
    const auto address = address_of(service, pod);
    if (!address) continue;
    if (ports.empty() && service.headless) offers[""].second.push_back(*address);
    for (const Value& service_port : ports) {
      const auto number = target_port(service_port, pod.value);
      if (!number) continue;
      Value port = endpoint_port(service_port, *number);
      auto& offer = offers[canonical_json(port)];
      offer.first = std::move(port);
      offer.second.push_back(*address);
    }
  }
  return offers;
}

Value subset(std::vector<Address> addresses, Array ports) {
  std::sort(addresses.begin(), addresses.end());
  Array ready, not_ready;
  for (Address& address : addresses)
    (address.ready ? ready : not_ready).push_back(std::move(address.value));
  Object value;
  if (!ready.empty()) value["addresses"] = std::move(ready);
  if (!not_ready.empty()) value["notReadyAddresses"] = std::move(not_ready);
  if (!ports.empty()) value["ports"] = std::move(ports);
  return value;
}

std::string key_of(const std::vector<Address>& addresses) {
  std::string key;
  for (const Address& address : addresses)
    key += fmt::format("{}/{}/{};", address.ip, address.uid, address.ready);
  return key;
}

Object labels_of(const Service& service) {
  Object labels = model::object_at(service.value, {"metadata", "labels"});
  if (service.headless)
    labels[kHeadless] = "";
  else
    labels.erase(kHeadless);
  labels[kManagedBy] = "endpoint-controller";
  return labels;
}

/// uid of each pod in the subsets, with whether it is ready.
Shown shown_in(const Array& subsets) {
  Shown shown;
  for (const Value& each : subsets)
    for (const std::string_view list : {"addresses", "notReadyAddresses"})
      for (const Value& address : model::array_at(each, {list}))
        shown[std::string(model::string_at(address, {"targetRef", "uid"}))] = list == "addresses";
  return shown;
}

/// Members that a user put there stay; ours follow the Service.
Object annotations_of(const Service& service, const std::vector<Backend>& pods,
                      const Value& current, const Array& subsets, bool truncated) {
  Object annotations = model::object_at(current, {"metadata", "annotations"});
  const bool is_new = current.is_null();
  const Shown before = shown_in(model::array_at(current, {"subsets"}));
  set_trigger(annotations, service, pods, is_new ? nullptr : &before, shown_in(subsets));
  if (truncated)
    annotations[kOverCapacity] = "truncated";
  else
    annotations.erase(kOverCapacity);
  return annotations;
}

control::Write write_of(const Service& service, const kube::Cached& current, Value body) {
  if (!current) {
    control::Write write = control::create(kube::kEndpoints, std::move(body));
    write.refused =
        Note{true, "FailedToCreateEndpoint",
             fmt::format("Failed to create endpoint for service {}/{}", service.ns, service.name),
             "Create"};
    return write;
  }
  control::Write write = control::update(kube::kEndpoints, current, std::move(body));
  write.refused =
      Note{true, "FailedToUpdateEndpoint",
           fmt::format("Failed to update endpoint {}/{}", service.ns, service.name), "Update"};
  return write;
}

}  // namespace

Array subsets_of(const Service& service, const std::vector<Backend>& pods) {
  std::map<std::string, std::pair<std::vector<Address>, Array>> by_addresses;
  for (auto& [text, offer] : collect(service, pods)) {
    auto& [addresses, ports] = by_addresses[key_of(offer.second)];
    addresses = std::move(offer.second);
    if (!text.empty()) ports.push_back(std::move(offer.first));
  }
  Array subsets;
  for (auto& [key, group] : by_addresses)
    subsets.push_back(subset(std::move(group.first), std::move(group.second)));
  return subsets;
}

bool truncate(Array& subsets) {
  int64_t ready = 0, not_ready = 0;
  for (const Value& each : subsets) {
    ready += int64_t(model::array_at(each, {"addresses"}).size());
    not_ready += int64_t(model::array_at(each, {"notReadyAddresses"}).size());
  }
  if (ready + not_ready <= kCapacity) return false;
  const bool cuts_ready = ready > kCapacity;
  const std::string_view list = cuts_ready ? "addresses" : "notReadyAddresses";
  const int64_t total = cuts_ready ? ready : not_ready;
  const int64_t room = cuts_ready ? kCapacity : kCapacity - ready;
  int64_t left = room;
  for (Value& each : subsets) {
    Array kept = model::array_at(each, {list});
    const double share = double(kept.size()) / double(total) * double(room);
    const int64_t count = std::min({int64_t(std::ceil(share)), left, int64_t(kept.size())});
    kept.resize(size_t(count));
    left -= count;
    if (kept.empty())
      model::erase(each, {list});
    else
      each.as_object()[list] = std::move(kept);
    if (cuts_ready) model::erase(each, {"notReadyAddresses"});
  }
  return true;
}

Outcome plan_endpoints(const Service& service, const std::vector<Backend>& pods,
                       const kube::Cached& current) {
  Array subsets = subsets_of(service, pods);
  const bool truncated = truncate(subsets);
  const Value there = current ? current.value() : Value();
  const Object labels = labels_of(service);
  const bool says_truncated =
      model::find(there, {"metadata", "annotations", kOverCapacity}) != nullptr;
  if (current && says_truncated == truncated &&
      model::equal(subsets, model::array_at(there, {"subsets"})) &&
      model::equal(labels, model::object_at(there, {"metadata", "labels"})))
    return Outcome::done();
  Value body = there;
  if (!current) body = Object{{"apiVersion", "v1"}, {"kind", "Endpoints"}};
  Object& metadata = model::ensure_object(body, {"metadata"});
  metadata["name"] = service.name;
  metadata["namespace"] = service.ns;
  metadata["labels"] = labels;
  Object annotations = annotations_of(service, pods, there, subsets, truncated);
  if (annotations.empty())
    metadata.erase("annotations");
  else
    metadata["annotations"] = std::move(annotations);
  if (subsets.empty())
    model::erase(body, {"subsets"});
  else
    body.as_object()["subsets"] = std::move(subsets);
  return Outcome::act(write_of(service, current, std::move(body)));
}

}  // namespace holdfast::workloads::endpoints
