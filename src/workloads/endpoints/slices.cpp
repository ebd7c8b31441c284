#include "endpoints/slices.h"

#include "endpoints/endpoint.h"
#include "endpoints/packing.h"

#include <fmt/format.h>

namespace holdfast::workloads::endpoints {

using control::Note;
using control::Outcome;
using model::Object;
using model::Value;

namespace {

Note failed(const Service& service, std::string_view doing) {
  return {true, "FailedToUpdateEndpointSlices",
          fmt::format("Error updating Endpoint Slices for Service {0}/{1}: failed to {2} "
                      "EndpointSlice for Service {0}/{1}",
                      service.ns, service.name, doing),
          "Update"};
}

std::string free_name(const SlicesSeen& seen, std::string_view family) {
  for (int i = 0;; ++i) {
    std::string name = control::child_name(seen.service.name, seen.service.uid,
                                           fmt::format("slice/{}/{}", family, i));
    if (!seen.name_taken(name)) return name;
  }
}

/// Pods shown by a slice, for the annotation.
Shown shown_in(const model::Array& endpoints) {
  Shown shown;
  for (const Value& endpoint : endpoints)
    shown[std::string(model::string_at(endpoint, {"targetRef", "uid"}))] =
        model::bool_at(endpoint, {"conditions", "serving"}, false);
  return shown;
}

/// Of all slices, `except` left out.
Shown shown_in(const std::vector<kube::Cached>& slices, std::string_view except) {
  Shown all;
  for (const kube::Cached& slice : slices)
    if (slice.name() != except) all.merge(shown_in(model::array_at(slice.value(), {"endpoints"})));
  return all;
}

Value body_of(const SlicesSeen& seen, std::string_view family, const PackedSlice& packed) {
  Value body =
      packed.object
          ? packed.object.value()
          : Value(Object{{"apiVersion", "discovery.k8s.io/v1"}, {"kind", "EndpointSlice"}});
  Object& metadata = model::ensure_object(body, {"metadata"});
  if (!packed.object) {
    metadata["name"] = free_name(seen, family);
    metadata["generateName"] = seen.service.name + "-";
    metadata["namespace"] = seen.service.ns;
    metadata["ownerReferences"] =
        model::Array{control::controller_reference(kube::kServices, seen.service.object)};
  }
  metadata["labels"] = slice_labels(seen.service);
  Object annotations = model::object_at(body, {"metadata", "annotations"});
  const Shown before = shown_in(seen.slices, "");
  Shown after = shown_in(seen.slices, packed.object ? packed.object.name() : "");
  after.merge(shown_in(packed.endpoints));
  set_trigger(annotations, seen.service, seen.pods, seen.slices.empty() ? nullptr : &before, after);
  if (annotations.empty())
    metadata.erase("annotations");
  else
    metadata["annotations"] = std::move(annotations);
  body.as_object()["addressType"] = family;
  // Empty lists travel as null, as the real manager's do.
  body.as_object()["ports"] = packed.ports.empty() ? Value() : Value(packed.ports);
  body.as_object()["endpoints"] = packed.endpoints.empty() ? Value() : Value(packed.endpoints);
  return body;
}

std::optional<control::Write> first_write(const SlicesSeen& seen, std::string_view family) {
  const Packing packing = pack(seen.service, seen.pods, seen.slices, family);
  for (const PackedSlice& slice : packing.slices) {
    if (slice.object || seen.service.being_deleted) continue;
    control::Write write = control::create(kube::kEndpointSlices, body_of(seen, family, slice));
    write.refused = failed(seen.service, "create");
    return write;
  }
  for (const PackedSlice& slice : packing.slices) {
    if (!slice.object || !slice.changed) continue;
    control::Write write =
        control::update(kube::kEndpointSlices, slice.object, body_of(seen, family, slice));
    write.refused = failed(seen.service, fmt::format("update {}", slice.object.name()));
    return write;
  }
  if (packing.surplus.empty()) return std::nullopt;
  control::Write write = control::remove(kube::kEndpointSlices, packing.surplus.front());
  write.refused = failed(seen.service, fmt::format("delete {}", write.key.name));
  return write;
}

}  // namespace

Outcome plan_slices(const SlicesSeen& seen) {
  for (const std::string& family : seen.service.families)
    if (auto write = first_write(seen, family)) return Outcome::act(*std::move(write));
  for (const kube::Cached& slice : seen.slices) {
    const std::string family(model::string_at(slice.value(), {"addressType"}));
    const auto& families = seen.service.families;
    if (std::find(families.begin(), families.end(), family) == families.end())
      return Outcome::act(control::remove(kube::kEndpointSlices, slice));
  }
  for (const Backend& pod : seen.pods)
    if (pod.reachable() && pod.node_missing && !seen.service.publishes_unready)
      return Outcome::wait(
          std::chrono::seconds(5), "NodeNotFound",
          fmt::format("skipping Pod {} for Service {}/{}: Node {} Not Found", pod.meta.name,
                      seen.service.ns, seen.service.name, pod.node));
  return Outcome::done();
}

}  // namespace holdfast::workloads::endpoints
