// Priority: a pod gets the number of its priority class, and what follows from it.
#include "admission/plugins.h"
#include "rest/form.h"

#include <fmt/format.h>

namespace holdfast::apiserver {
namespace {

constexpr std::string_view kClasses = "scheduling.k8s.io/priorityclasses";

std::vector<Value> all_classes(const Api& api) {
  std::vector<Value> out;
  const Result<Page> page = api.store.list({.resource = std::string(kClasses),
                                            .ns = {},
                                            .from_ns = "",
                                            .from_name = "",
                                            .limit = 0,
                                            .at = 0});
  if (page)
    for (const StoredPtr& stored : page->items) out.push_back(parse_stored(*stored));
  return out;
}

// The global default with the smallest value, as the real server settles a race of two.
std::optional<Value> global_default(const Api& api) {
  std::optional<Value> chosen;
  for (Value& each : all_classes(api))
    if (model::bool_at(each, {"globalDefault"}, false) &&
        (!chosen || model::int_at(each, {"value"}, 0) < model::int_at(*chosen, {"value"}, 0)))
      chosen = std::move(each);
  return chosen;
}

Answer<void> admit_pod(const Api& api, Value& pod) {
  const std::string name(model::string_at(pod, {"spec", "priorityClassName"}));
  Object& spec = model::ensure_object(pod, {"spec"});
  const std::string pod_name(model::string_at(pod, {"metadata", "name"}));
  Value chosen;
  if (!name.empty()) {
    const StoredPtr stored = api.store.get({std::string(kClasses), "", name});
    if (stored == nullptr)
      return model::forbidden({"", "pods"}, pod_name,
                              fmt::format("no PriorityClass with name {} was found", name));
    chosen = parse_stored(*stored);
  } else if (std::optional<Value> found = global_default(api)) {
    chosen = std::move(*found);
    spec["priorityClassName"] = model::string_at(chosen, {"metadata", "name"});
  }
  const int64_t value = model::int_at(chosen, {"value"}, 0);
  if (const Value* given = model::find(pod, {"spec", "priority"});
      given && model::int_at(pod, {"spec", "priority"}, value) != value)
    return model::forbidden({"", "pods"}, pod_name,
                            fmt::format("the integer value of priority ({}) must not be provided "
                                        "in pod spec; priority admission "
                                        "controller computed {} from the given PriorityClass name",
                                        model::to_json(*given), value));
  spec["priority"] = value;
  const std::string_view policy = model::string_at(chosen, {"preemptionPolicy"});
  if (model::string_at(pod, {"spec", "preemptionPolicy"}).empty())
    spec["preemptionPolicy"] = policy.empty() ? std::string_view("PreemptLowerPriority") : policy;
  return {};
}

}  // namespace

Answer<void> priority(Api& api, const Admission& admission) {
  if (creates_core(admission, "pods")) return admit_pod(api, admission.object);
  const Resource& resource = *admission.request.resource;
  if (resource.kind != "PriorityClass" || admission.verb == AdmissionVerb::Delete) return {};
  if (!model::bool_at(admission.object, {"globalDefault"}, false)) return {};
  const std::string_view own = model::string_at(admission.object, {"metadata", "name"});
  for (const Value& each : all_classes(api)) {
    const std::string_view other = model::string_at(each, {"metadata", "name"});
    if (other != own && model::bool_at(each, {"globalDefault"}, false))
      return model::forbidden(
          resource.group_resource(), own,
          fmt::format("PriorityClass {} is already marked as default. Only one default can exist",
                      other));
  }
  return {};
}

Answer<void> rbac_escalation(Api& api, const Admission& admission) {
  const Resource& resource = *admission.request.resource;
  if (resource.group != "rbac.authorization.k8s.io" || admission.verb == AdmissionVerb::Delete)
    return {};
  HF_TRY(api.authorizer.check_escalation(admission.request.user, resource.group_kind(),
                                         admission.object, admission.old));
  return {};
}

}  // namespace holdfast::apiserver
