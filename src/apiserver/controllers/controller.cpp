#include "controllers/controller.h"

#include <holdfast/base/text.h>

#include "controllers/known.h"
#include "controllers/write_as.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::apiserver {
namespace {

struct Known {
  std::string_view name, alias;
  std::unique_ptr<Controller> (*make)(const std::string& root_ca);
};

// kube-controller-manager's names and the aliases it still takes. Those without a maker are
// controllers of the real one that this server does not run: naming them is no mistake.
constexpr Known kKnown[] = {
    {"garbage-collector-controller", "garbagecollector", make_garbage_collector},
    {"namespace-controller", "namespace", make_namespace_controller},
    {"serviceaccount-controller", "serviceaccount", make_service_account_controller},
    {"root-ca-certificate-publisher-controller", "root-ca-cert-publisher", make_root_ca_publisher},
    {"clusterrole-aggregation-controller", "clusterrole-aggregation",
     make_cluster_role_aggregation},
    {"persistentvolumeclaim-protection-controller", "pvc-protection", make_claim_protection},
    {"persistentvolume-protection-controller", "pv-protection", make_volume_protection},
    {"bootstrap-signer-controller", "bootstrapsigner", nullptr},
    {"certificatesigningrequest-approving-controller", "csrapproving", nullptr},
    {"certificatesigningrequest-cleaner-controller", "csrcleaner", nullptr},
    {"certificatesigningrequest-signing-controller", "csrsigning", nullptr},
    {"cronjob-controller", "cronjob", nullptr},
    {"daemonset-controller", "daemonset", nullptr},
    {"deployment-controller", "deployment", nullptr},
    {"disruption-controller", "disruption", nullptr},
    {"endpoints-controller", "endpoint", nullptr},
    {"endpointslice-controller", "endpointslice", nullptr},
    {"endpointslice-mirroring-controller", "endpointslicemirroring", nullptr},
    {"ephemeral-volume-controller", "ephemeral-volume", nullptr},
    {"horizontal-pod-autoscaler-controller", "horizontalpodautoscaling", nullptr},
    {"job-controller", "job", nullptr},
    {"legacy-serviceaccount-token-cleaner-controller", "legacy-service-account-token-cleaner",
     nullptr},
    {"node-ipam-controller", "nodeipam", nullptr},
    {"node-lifecycle-controller", "nodelifecycle", nullptr},
    {"node-route-controller", "route", nullptr},
    {"persistentvolume-attach-detach-controller", "attachdetach", nullptr},
    {"persistentvolume-binder-controller", "persistentvolume-binder", nullptr},
    {"persistentvolume-expander-controller", "persistentvolume-expander", nullptr},
    {"pod-garbage-collector-controller", "podgc", nullptr},
    {"replicaset-controller", "replicaset", nullptr},
    {"replicationcontroller-controller", "replicationcontroller", nullptr},
    {"resourcequota-controller", "resourcequota", nullptr},
    {"service-cidr-controller", "service-cidr", nullptr},
    {"service-lb-controller", "service", nullptr},
    {"serviceaccount-token-controller", "serviceaccount-token", nullptr},
    {"statefulset-controller", "statefulset", nullptr},
    {"taint-eviction-controller", "taint-eviction", nullptr},
    {"token-cleaner-controller", "tokencleaner", nullptr},
    {"ttl-after-finished-controller", "ttl-after-finished", nullptr},
    {"ttl-controller", "ttl", nullptr},
    {"validatingadmissionpolicy-status-controller", "validatingadmissionpolicy-status", nullptr},
};

bool names(std::string_view item, const Known& known) {
  return item == known.name || item == known.alias;
}

}  // namespace

Result<std::vector<std::string>> choose_controllers(std::string_view list) {
  std::vector<std::string_view> items;
  for (const std::string_view part : split(list, ','))
    if (!trim(part).empty()) items.push_back(trim(part));
  for (std::string_view item : items) {
    if (item == "*") continue;
    if (item.starts_with('-')) item.remove_prefix(1);
    const bool found = std::any_of(std::begin(kKnown), std::end(kKnown),
                                   [&](const Known& known) { return names(item, known); });
    if (!found) {
      std::vector<std::string> all;
      for (const Known& known : kKnown)
        if (known.make != nullptr) all.emplace_back(known.name);
      return Error(Fault::Invalid,
                   fmt::format("--controllers: no controller is named \"{}\"", item))
          .with_hint("this server runs: " + join(all, ", "));
    }
  }
  std::vector<std::string> chosen;
  for (const Known& known : kKnown)
    if (known.make != nullptr && switched_on(list, {known.name, known.alias}))
      chosen.emplace_back(known.name);
  return chosen;
}

std::vector<std::unique_ptr<Controller>> make_controllers(const std::vector<std::string>& chosen,
                                                          const std::string& root_ca) {
  std::vector<std::unique_ptr<Controller>> out;
  // Part of the API server itself, as in the real one: definitions would otherwise never go.
  out.push_back(make_definition_cleanup());
  for (const Known& known : kKnown)
    if (known.make != nullptr &&
        std::find(chosen.begin(), chosen.end(), known.name) != chosen.end())
      out.push_back(known.make(root_ca));
  return out;
}

Answer<Written> remove_finalizer(Api& api, const WriteRequest& request,
                                 std::string_view finalizer) {
  return update_object(api, request, {}, [&](const Value* live) -> Answer<Value> {
    Value next = *live;
    Array kept;
    for (const Value& each : model::array_at(*live, {"metadata", "finalizers"}))
      if (!each.is_string() || model::view(each.get_string()) != finalizer) kept.push_back(each);
    Object& metadata = model::ensure_object(next, {"metadata"});
    if (kept.empty())
      metadata.erase("finalizers");
    else
      metadata["finalizers"] = std::move(kept);
    return next;
  });
}

std::vector<StoredPtr> list_all(const Store& store, std::string resource,
                                std::optional<std::string> ns) {
  Result<Page> page = store.list({.resource = std::move(resource),
                                  .ns = std::move(ns),
                                  .from_ns = "",
                                  .from_name = "",
                                  .limit = 0,
                                  .at = 0});
  return page ? std::move(page->items) : std::vector<StoredPtr>();
}

}  // namespace holdfast::apiserver
