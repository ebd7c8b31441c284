// HostAccess, a plugin of this server alone: its pods run on the very machine that keeps
// everybody's secrets, so what reaches for the machine itself is for its administrators.
#include "admission/plugins.h"

#include <fmt/format.h>

#include <array>

namespace holdfast::apiserver {
namespace {

// What container runtimes give to root anyway; anything beyond reaches past the container.
constexpr std::array<std::string_view, 14> kHarmless = {
    "CHOWN",   "DAC_OVERRIDE", "FSETID",           "FOWNER",
    "MKNOD",   "NET_RAW",      "SETGID",           "SETUID",
    "SETFCAP", "SETPCAP",      "NET_BIND_SERVICE", "SYS_CHROOT",
    "KILL",    "AUDIT_WRITE"};

/// The pod that a kind is or makes; null for all others.
const Value* pod_spec_of(const Value& object, std::string_view kind) {
  if (kind == "Pod") return model::find(object, {"spec"});
  if (kind == "CronJob")
    return model::find(object, {"spec", "jobTemplate", "spec", "template", "spec"});
  if (kind == "PodTemplate") return model::find(object, {"template", "spec"});
  for (const std::string_view each :
       {"Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "ReplicationController"})
    if (kind == each) return model::find(object, {"spec", "template", "spec"});
  return nullptr;
}

bool is_harmless(std::string_view capability) {
  if (capability.starts_with("CAP_")) capability.remove_prefix(4);
  return std::find(kHarmless.begin(), kHarmless.end(), capability) != kHarmless.end();
}

/// How a container reaches past itself; "" if it does not.
std::string reach_of_container(const Value& container) {
  const std::string_view name = model::string_at(container, {"name"});
  if (model::bool_at(container, {"securityContext", "privileged"}, false))
    return fmt::format("container \"{}\" is privileged", name);
  for (const Value& each : model::array_at(container, {"securityContext", "capabilities", "add"}))
    if (each.is_string() && !is_harmless(model::view(each.get_string())))
      return fmt::format("container \"{}\" adds capability {}", name,
                         model::view(each.get_string()));
  return "";
}

std::string reach_of(const Value& spec) {
  for (const std::string_view flag : {"hostPID", "hostIPC"})
    if (model::bool_at(spec, {flag}, false)) return fmt::format("{} is true", flag);
  for (const Value& volume : model::array_at(spec, {"volumes"}))
    if (model::find(volume, {"hostPath"}) != nullptr)
      return fmt::format("volume \"{}\" is a hostPath", model::string_at(volume, {"name"}));
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"})
    for (const Value& container : model::array_at(spec, {list}))
      if (std::string reach = reach_of_container(container); !reach.empty()) return reach;
  return "";
}

std::string reach_of_object(const Value& object, const Resource& resource) {
  if (!resource.is_custom()) {
    const Value* spec = pod_spec_of(object, resource.kind);
    return spec != nullptr ? reach_of(*spec) : "";
  }
  // Movers write to that folder of the machine, as root.
  const Value* file = model::find(object, {"spec", "file"});
  if (resource.group != "holdfast.dev" || resource.kind != "BackupLocation" || file == nullptr)
    return "";
  return fmt::format("spec.file is folder {}", model::string_at(*file, {"path"}));
}

}  // namespace

Answer<void> host_access(Api& api, const Admission& admission) {
  if (admission.verb == AdmissionVerb::Delete) return {};
  const Resource& resource = *admission.request.resource;
  const std::string reach = reach_of_object(admission.object, resource);
  if (reach.empty()) return {};
  // What an administrator allowed may be touched by others, as long as it stays as it is.
  if (admission.old != nullptr && reach_of_object(*admission.old, resource) == reach) return {};
  // Who may make volumes of any folder of the machine reaches it anyway.
  Attributes what;
  what.verb = "create";
  what.version = "v1";
  what.resource = "persistentvolumes";
  if (api.authorizer.authorize(admission.request.user, what).allowed) return {};
  return model::forbidden(
      resource.group_resource(), model::string_at(admission.object, {"metadata", "name"}),
      fmt::format("it reaches for the machine itself: {}; only who may create persistentvolumes "
                  "may do that",
                  reach));
}

}  // namespace holdfast::apiserver
