// HostAccess, a plugin of this server alone: what reaches for the machine itself is for its
// administrators, on every write and with all that it says. An update of a reaching pod or template
// passes without the right only if nothing of it changes: a sentence that names a part of what is
// asked would let the rest be exchanged under it.
#include <holdfast/base/walls.h>
#include <holdfast/model/marks.h>

#include "admission/plugins.h"
#include "admission/reach.h"

#include <fmt/format.h>

namespace holdfast::apiserver {
namespace {

Status refusal(const Admission& admission, std::string_view cause) {
  return model::forbidden(admission.request.resource->group_resource(),
                          model::string_at(admission.object, {"metadata", "name"}), cause);
}

Answer<void> judge_pod(const Api& api, const Admission& admission, const PodIn& pod) {
  if (admission.old != nullptr) {
    const std::optional<PodIn> old = pod_in(*admission.old, *admission.request.resource);
    // Its author had the right, or its namespace.
    if (old && same_reach(pod, *old)) return {};
    if (old && !wall_stands("a change of what reaches is asked for") && !reaches_of(*old).empty())
      return {};
  }
  const std::string cause = reach_refused(api, admission.request.user, admission.request.ns, pod);
  if (!cause.empty()) return refusal(admission, cause);
  return {};
}

bool allows_host_image(const Value& ns) {
  return model::string_at(ns, {"metadata", "labels", model::kHostImage}) ==
         model::kHostImageAllowed;
}

/// Whoever may write a namespace, by whichever door, may not by that give it the machine.
Answer<void> judge_namespace(const Api& api, const Admission& admission) {
  if (!allows_host_image(admission.object) ||
      !wall_stands("a namespace is marked by who owns the machine"))
    return {};
  if (admission.old != nullptr && allows_host_image(*admission.old)) return {};
  if (owns_machine(api, admission.request.user)) return {};
  return refusal(admission,
                 fmt::format("label {} lets its tenants reach for the machine itself; only "
                             "who may create persistentvolumes may set it",
                             model::kHostImage));
}

/// Movers write to that folder of the machine, as root.
Answer<void> judge_location(const Api& api, const Admission& admission) {
  const Value* file = model::find(admission.object, {"spec", "file"});
  if (file == nullptr || file->is_null()) return {};
  const Value* before =
      admission.old != nullptr ? model::find(*admission.old, {"spec", "file"}) : nullptr;
  if (before != nullptr && model::equal(*before, *file)) return {};
  if (owns_machine(api, admission.request.user)) return {};
  return refusal(admission,
                 fmt::format("it reaches for the machine itself: spec.file is folder {}; only who "
                             "may create persistentvolumes may do that",
                             model::string_at(*file, {"path"})));
}

}  // namespace

Answer<void> host_access(Api& api, const Admission& admission) {
  if (admission.verb == AdmissionVerb::Delete) return {};
  const Resource& resource = *admission.request.resource;
  if (const std::optional<PodIn> pod = pod_in(admission.object, resource))
    return judge_pod(api, admission, *pod);
  if (resource.kind == "Namespace" && resource.group.empty())
    return judge_namespace(api, admission);
  if (resource.kind == "BackupLocation" && resource.group == "holdfast.dev")
    return judge_location(api, admission);
  return {};
}

}  // namespace holdfast::apiserver
