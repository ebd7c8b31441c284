/// Validation of a pod's status, as a kubelet may report it.
#include "kinds/pod/pod.h"

#include <algorithm>

namespace holdfast::apiserver::pod {

using model::Value;

namespace {

void check_conditions(const Place& conditions) {
  conditions.each([](const Place& condition) {
    if (condition["observedGeneration"].number() < 0)
      condition["observedGeneration"].invalid("must be a non-negative integer");
    const std::string_view type = condition["type"].text();
    if (type != "PodScheduled" && type != "Ready" && type != "Initialized")
      condition["type"].as(model::child(condition.path(), "Type")).qualified_name();
  });
}

const Value* status_named(const model::Array& statuses, std::string_view name) {
  for (const Value& status : statuses)
    if (model::string_at(status, {"name"}) == name) return &status;
  return nullptr;
}

bool is_sidecar(const Value& pod, std::string_view name) {
  const Value* container = status_named(model::array_at(pod, {"spec", "initContainers"}), name);
  return container != nullptr && model::string_at(*container, {"restartPolicy"}) == "Always";
}

/// A container that ended for good stays ended.
void check_ended_stay_ended(const Place& statuses, const Value& old_pod, std::string_view list) {
  const std::string_view policy = model::string_at(old_pod, {"spec", "restartPolicy"});
  const bool ephemeral = list == "ephemeralContainerStatuses";
  if (policy == "Always" && !ephemeral) return;
  const auto& old_statuses = model::array_at(old_pod, {"status", list});
  for (size_t i = 0; i < old_statuses.size(); ++i) {
    const Value* ended = model::find(old_statuses[i], {"state", "terminated"});
    if (ended == nullptr) continue;
    if (!ephemeral && policy == "OnFailure" && model::int_at(*ended, {"exitCode"}, 0) != 0)
      continue;
    const std::string_view name = model::string_at(old_statuses[i], {"name"});
    if (list == "initContainerStatuses" && is_sidecar(old_pod, name)) continue;
    const Value* now = status_named(statuses.items(), name);
    if (now != nullptr && model::find(*now, {"state", "terminated"}) == nullptr)
      statuses.as(model::child(model::at(statuses.path(), i), "state"))
          .forbidden("may not be transitioned to non-terminated state");
  }
}

void check_addresses(const Place& status) {
  status["podIPs"].each([](const Place& address) { check_ip(address["ip"].as(address.path())); });
  const Place hosts = status["hostIPs"];
  if (hosts.empty()) return;
  if (hosts.item(0)["ip"].text() != status["hostIP"].text())
    hosts.item(0)["ip"].invalid("must be equal to `hostIP`");
  hosts.each([](const Place& address) { check_ip(address["ip"].as(address.path())); });
}

void check_one_per_family(const Place& addresses) {
  size_t v6 = 0;
  for (const Value& address : addresses.items())
    if (model::string_at(address, {"ip"}).find(':') != std::string_view::npos) ++v6;
  const size_t all = addresses.items().size();
  if (all < 2 || (all == 2 && v6 == 1)) return;
  model::Array shown;
  for (const Value& address : addresses.items()) shown.push_back(go_form(address, {"IP"}));
  for (size_t i = 0; i < all; ++i)
    shown[i].get_object()["IP"] = model::string_at(addresses.items()[i], {"ip"});
  addresses.invalid(std::move(shown), "may specify no more than one IP for each IP family");
}

}  // namespace

void check_pod_status(const Value& pod, const Value& old, model::FieldErrors& errors) {
  const Place status = Place(pod, errors)["status"];
  check_conditions(status["conditions"]);
  const Place nominated = status["nominatedNodeName"];
  if (!nominated.empty() &&
      nominated.text() != model::string_at(old, {"status", "nominatedNodeName"}))
    nominated.dns_subdomain();
  if (status["observedGeneration"].number() < 0)
    status["observedGeneration"].invalid("must be a non-negative integer");
  const std::string_view quality = model::string_at(old, {"status", "qosClass"});
  if (status["qosClass"].text() != quality)
    status["qosClass"].invalid(Value(status["qosClass"].text()), "field is immutable");
  for (std::string_view list :
       {"containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"})
    check_ended_stay_ended(status[list], old, list);
  check_addresses(status);
  check_one_per_family(status["podIPs"]);
  check_one_per_family(status["hostIPs"]);
}

}  // namespace holdfast::apiserver::pod
