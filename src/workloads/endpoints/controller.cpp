/// endpoints-controller and endpointslice-controller: the addresses of the pods behind a Service.
#include "endpoints/addresses.h"
#include "endpoints/slices.h"
#include "known.h"

namespace holdfast::workloads {
namespace endpoints {
namespace {

using control::Outcome;

/// Index over slices of ours, by NAMESPACE/SERVICE.
constexpr std::string_view kByService = "service-of-slice";

std::string label(const model::Meta& meta, std::string_view key) {
  for (const auto& [name, value] : meta.labels)
    if (name == key) return value;
  return "";
}

kube::Key service_of(const kube::Cached& slice) {
  const model::Meta meta = slice.meta();
  if (label(meta, kSliceManager) != kOurSlices) return {};
  return {meta.ns, label(meta, kServiceName)};
}

void index_by_service(const kube::Cached& slice, std::vector<std::string>& values) {
  if (const kube::Key key = service_of(slice); !key.name.empty()) values.push_back(key.text());
}

control::Keys services_of_slice(const kube::Change& change) {
  control::Keys keys;
  for (const kube::Cached* slice : {&change.before, &change.after})
    if (*slice)
      if (kube::Key key = service_of(*slice); !key.name.empty()) keys.push_back(std::move(key));
  return keys;
}

class EndpointsReconciler final : public control::Reconciler {
 public:
  Result<Outcome> reconcile(control::Pass& pass) override {
    const auto& [ns, name] = pass.key();
    const kube::Cached object = pass.get(kube::kServices, ns, name);
    const kube::Cached current = pass.get(kube::kEndpoints, ns, name);
    if (!object)
      return current ? Outcome::act(control::remove(kube::kEndpoints, current)) : Outcome::done();
    const Service service = read_service(object);
    if (!service.selects()) return Outcome::done();
    return plan_endpoints(service, backends(pass, service), current);
  }
};

/// Endpoints that go must come again; those of ours that are found at the start may have outlived
/// their Service. Others may be somebody's own, without a Service, and are nobody's business.
bool concerns_endpoints(const kube::Change& change) {
  if (change.kind == kube::Change::Kind::Deleted) return true;
  return change.initial && label(change.object().meta(), "endpoints.kubernetes.io/managed-by") ==
                               "endpoint-controller";
}

class SlicesReconciler final : public control::Reconciler {
 public:
  Result<Outcome> reconcile(control::Pass& pass) override {
    const auto& [ns, name] = pass.key();
    const kube::Cached object = pass.get(kube::kServices, ns, name);
    // The slices of a Service that is gone are the garbage collector's.
    if (!object) return Outcome::done();
    SlicesSeen seen{.service = read_service(object)};
    if (!seen.service.selects()) return Outcome::done();
    seen.pods = backends(pass, seen.service);
    for (Backend& pod : seen.pods) locate(pass, pod);
    for (kube::Cached& slice : pass.find(kube::kEndpointSlices, kByService, pass.key().text()))
      if (!slice.being_deleted()) seen.slices.push_back(std::move(slice));
    seen.name_taken = [&](std::string_view wanted) {
      return bool(pass.get(kube::kEndpointSlices, pass.key().ns, wanted));
    };
    return plan_slices(seen);
  }

 private:
  static void locate(control::Pass& pass, Backend& pod) {
    const kube::Cached node = pass.get(kube::kNodes, "", pod.node);
    pod.node_missing = !node;
    if (!node) return;
    std::string zone = label(node.meta(), "topology.kubernetes.io/zone");
    if (!zone.empty()) pod.zone = std::move(zone);
  }
};

void watch_services_and_pods(control::ControllerSpec& spec) {
  spec.watch(kube::kServices);
  spec.watch(kube::kPods).lookup = services_of_pod();
}

}  // namespace
}  // namespace endpoints

control::ControllerSpec endpoints_controller() {
  control::ControllerSpec spec;
  spec.name = "endpoints-controller";
  endpoints::watch_services_and_pods(spec);
  spec.watch(kube::kEndpoints).when = endpoints::concerns_endpoints;
  spec.make = [] { return std::make_unique<endpoints::EndpointsReconciler>(); };
  return spec;
}

control::ControllerSpec endpointslice_controller() {
  control::ControllerSpec spec;
  spec.name = "endpointslice-controller";
  endpoints::watch_services_and_pods(spec);
  control::Watch& slices = spec.watch(kube::kEndpointSlices);
  slices.map = endpoints::services_of_slice;
  slices.indexes = {{std::string(endpoints::kByService), endpoints::index_by_service}};
  control::Watch& nodes = spec.watch(kube::kNodes);
  nodes.scope.metadata_only = true;
  nodes.map = control::nobody;
  spec.make = [] { return std::make_unique<endpoints::SlicesReconciler>(); };
  return spec;
}

}  // namespace holdfast::workloads
