#include "admission/admission.h"

#include "admission/plugins.h"

namespace holdfast::apiserver {
namespace {

using Plugin = Answer<void> (*)(Api&, const Admission&);

// In the real server's order. Mutating webhooks come last among the mutating ones; validating
// webhooks and quota last of all.
constexpr Plugin kMutating[] = {
    namespace_lifecycle,        service_account,       taint_nodes_by_condition,        priority,
    default_toleration_seconds, default_storage_class, storage_object_in_use_protection};
constexpr Plugin kValidating[] = {namespace_lifecycle, pod_security_standards, rbac_escalation,
                                  host_access, not_enforced};

}  // namespace

Answer<void> admit_mutate(Api& api, const Admission& admission) {
  for (const Plugin plugin : kMutating) HF_TRY(plugin(api, admission));
  return {};
}

Answer<void> admit_validate(Api& api, const Admission& admission) {
  for (const Plugin plugin : kValidating) HF_TRY(plugin(api, admission));
  return {};
}

bool creates_core(const Admission& admission, std::string_view plural) {
  const Resource& resource = *admission.request.resource;
  return admission.verb == AdmissionVerb::Create && resource.group.empty() &&
         resource.plural == plural;
}

}  // namespace holdfast::apiserver
