// Warnings, by this server alone, for what is kept and not acted upon: a policy that is taken
// without a word is believed. SECURITY.md has the same list.
#include <holdfast/base/walls.h>

#include "admission/plugins.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::apiserver {
namespace {

constexpr std::string_view kAudit = "pod-security.kubernetes.io/audit";

constexpr std::pair<std::string_view, std::string_view> kKinds[] = {
    {"", "LimitRange"},
    {"", "ResourceQuota"},
    {"networking.k8s.io", "NetworkPolicy"},
    {"admissionregistration.k8s.io", "MutatingWebhookConfiguration"},
    {"admissionregistration.k8s.io", "ValidatingAdmissionPolicy"},
    {"admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"},
    {"admissionregistration.k8s.io", "ValidatingWebhookConfiguration"},
};

bool is_kept_only(const Resource& resource) {
  const std::pair<std::string_view, std::string_view> kind{resource.group, resource.kind};
  return !resource.is_custom() &&
         std::find(std::begin(kKinds), std::end(kKinds), kind) != std::end(kKinds);
}

bool asks_for_audit(const Value& ns) {
  const std::string_view level = model::string_at(ns, {"metadata", "labels", kAudit});
  return !level.empty() && level != "privileged";
}

}  // namespace

Answer<void> not_enforced(Api&, const Admission& admission) {
  const Resource& resource = *admission.request.resource;
  std::vector<std::string>* warnings = admission.request.warnings;
  if (warnings == nullptr || admission.verb == AdmissionVerb::Delete ||
      !admission.request.subresource.empty() || !wall_stands("what is not enforced is said"))
    return {};
  if (is_kept_only(resource))
    warnings->push_back(fmt::format("{} is kept, but not enforced by this server", resource.kind));
  if (resource.kind == "Namespace" && resource.group.empty() && asks_for_audit(admission.object))
    warnings->push_back(fmt::format(
        "label {} is kept, but not enforced by this server, which has no audit log", kAudit));
  return {};
}

}  // namespace holdfast::apiserver
