// NamespaceLifecycle: nothing new in a namespace that is missing or dying; three that never die.
#include "admission/plugins.h"

#include <fmt/format.h>

namespace holdfast::apiserver {
namespace {

bool immortal(std::string_view name) {
  return name == "default" || name == "kube-system" || name == "kube-public";
}

Status terminating(const Admission& admission, const std::string& ns) {
  const std::string name(model::string_at(admission.object, {"metadata", "name"}));
  Status status = model::forbidden(
      admission.request.resource->group_resource(), name,
      fmt::format("unable to create new content in namespace {} because it is being terminated",
                  ns));
  status.details->causes.push_back({"NamespaceTerminating",
                                    fmt::format("namespace {} is being terminated", ns),
                                    "metadata.namespace"});
  return status;
}

}  // namespace

Answer<void> namespace_lifecycle(Api& api, const Admission& admission) {
  const Resource& resource = *admission.request.resource;
  if (admission.verb == AdmissionVerb::Delete) {
    if (resource.plural == "namespaces" && resource.group.empty() &&
        immortal(admission.request.name))
      return model::forbidden(resource.group_resource(), admission.request.name,
                              "this namespace may not be deleted");
    return {};
  }
  if (admission.verb != AdmissionVerb::Create || !resource.namespaced) return {};
  const std::string& ns = admission.request.ns;
  const StoredPtr stored = api.store.get({"namespaces", "", ns});
  if (stored == nullptr) return model::not_found({"", "namespaces"}, ns);
  // Events about what is going on in a dying namespace would be lost anyway; the real server
  // refuses them too.
  if (!stored->meta.deletion_timestamp.empty()) return terminating(admission, ns);
  return {};
}

}  // namespace holdfast::apiserver
