// Restricted: today's best practice for pods. It asks for what a pod must say, where baseline asks
// for what it must not.
#include <holdfast/base/text.h>

#include "admission/pod_security/checks.h"
#include "admission/pod_security/profiles.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::apiserver::pod_security {
namespace {

using model::array_at;
using model::string_at;
using model::Value;

/// What a pod of Windows cannot say, it need not, since v1.25.
bool is_windows(const PodIn& pod) { return string_at(*pod.spec, {"os", "name"}) == "windows"; }

template <Check check>
std::optional<Violation> on_linux(const PodIn& pod) {
  return is_windows(pod) ? std::nullopt : check(pod);
}

std::optional<Violation> privilege_escalation(const PodIn& pod) {
  const Names names = containers_that(pod, [](const Value& container) {
    return model::bool_at(container, {"securityContext", "allowPrivilegeEscalation"}, true);
  });
  if (names.empty()) return std::nullopt;
  return Violation{"allowPrivilegeEscalation != false",
                   containers(names) + " must set securityContext.allowPrivilegeEscalation=false"};
}

bool drops_all(const Value& container) {
  const model::Array& drop = array_at(container, {"securityContext", "capabilities", "drop"});
  return std::any_of(drop.begin(), drop.end(),
                     [](const Value& each) { return string_at(each, {}) == "ALL"; });
}

std::optional<Violation> dropped_capabilities(const PodIn& pod) {
  Sorted added;
  const Names keep =
      containers_that(pod, [](const Value& container) { return !drops_all(container); });
  const Names add = containers_that(pod, [&added](const Value& container) {
    bool bad = false;
    for (const Value& each : array_at(container, {"securityContext", "capabilities", "add"})) {
      if (string_at(each, {}) == "NET_BIND_SERVICE") continue;
      added.emplace(string_at(each, {}));
      bad = true;
    }
    return bad;
  });
  std::vector<std::string> details;
  if (!keep.empty())
    details.push_back(containers(keep) + " must set securityContext.capabilities.drop=[\"ALL\"]");
  if (!add.empty())
    details.push_back(fmt::format("{} must not include {} in securityContext.capabilities.add",
                                  containers(add), quote_each(added)));
  if (details.empty()) return std::nullopt;
  return Violation{"unrestricted capabilities", join(details, "; ")};
}

constexpr std::string_view kAllowedVolumes[] = {
    "configMap", "csi",   "downwardAPI", "emptyDir", "ephemeral", "image", "persistentVolumeClaim",
    "projected", "secret"};
constexpr std::string_view kOtherVolumes[] = {"hostPath",
                                              "gcePersistentDisk",
                                              "awsElasticBlockStore",
                                              "gitRepo",
                                              "nfs",
                                              "iscsi",
                                              "glusterfs",
                                              "rbd",
                                              "flexVolume",
                                              "cinder",
                                              "cephfs",
                                              "flocker",
                                              "fc",
                                              "azureFile",
                                              "vsphereVolume",
                                              "quobyte",
                                              "azureDisk",
                                              "photonPersistentDisk",
                                              "portworxVolume",
                                              "scaleIO",
                                              "storageos"};

std::optional<Violation> restricted_volumes(const PodIn& pod) {
  Names names;
  Sorted types;
  for (const Value& volume : array_at(*pod.spec, {"volumes"})) {
    const auto is_there = [&volume](std::string_view source) {
      return given(volume, {source}) != nullptr;
    };
    if (std::any_of(std::begin(kAllowedVolumes), std::end(kAllowedVolumes), is_there)) continue;
    const auto* type = std::find_if(std::begin(kOtherVolumes), std::end(kOtherVolumes), is_there);
    names.emplace_back(string_at(volume, {"name"}));
    types.emplace(type != std::end(kOtherVolumes) ? *type : "unknown");
  }
  if (names.empty()) return std::nullopt;
  return Violation{
      "restricted volume types",
      fmt::format("{} {} {} {} {}", plural(names.size(), "volume", "volumes"), quote_each(names),
                  plural(names.size(), "uses", "use"),
                  plural(types.size(), "restricted volume type", "restricted volume types"),
                  quote_each(types))};
}

std::optional<Violation> run_as_non_root(const PodIn& pod) {
  const auto said = [](const Value& holder) -> std::optional<bool> {
    const Value* flag = given(holder, {"securityContext", "runAsNonRoot"});
    if (flag == nullptr || !flag->is_bool()) return std::nullopt;
    return flag->get_bool();
  };
  const std::optional<bool> by_pod = said(*pod.spec);
  const Names root = containers_that(
      pod, [&said](const Value& container) { return said(container) == std::optional(false); });
  const Names silent =
      containers_that(pod, [&said](const Value& container) { return !said(container); });
  if (const std::string who = setters(by_pod == std::optional(false), root); !who.empty())
    return Violation{"runAsNonRoot != true",
                     who + " must not set securityContext.runAsNonRoot=false"};
  if (by_pod || silent.empty()) return std::nullopt;
  return Violation{
      "runAsNonRoot != true",
      fmt::format("pod or {} must set securityContext.runAsNonRoot=true", containers(silent))};
}

std::optional<Violation> run_as_user(const PodIn& pod) {
  const auto is_root = [](const Value& holder) {
    return model::int_at(holder, {"securityContext", "runAsUser"}, -1) == 0;
  };
  const std::string who = setters(is_root(*pod.spec), containers_that(pod, is_root));
  if (who.empty()) return std::nullopt;
  return Violation{"runAsUser=0", who + " must not set runAsUser=0"};
}

std::optional<Violation> seccomp_given(const PodIn& pod) {
  if (std::optional<Violation> forbidden = forbidden_seccomp(pod)) return forbidden;
  if (given(*pod.spec, {"securityContext", "seccompProfile"}) != nullptr) return std::nullopt;
  const Names silent = containers_that(pod, [](const Value& container) {
    return given(container, {"securityContext", "seccompProfile"}) == nullptr;
  });
  if (silent.empty()) return std::nullopt;
  return Violation{"seccompProfile",
                   fmt::format("pod or {} must set securityContext.seccompProfile.type to "
                               "\"RuntimeDefault\" or \"Localhost\"",
                               containers(silent))};
}

constexpr CheckRow kRestrictedRows[] = {
    {"allowPrivilegeEscalation", 8, privilege_escalation},
    {"allowPrivilegeEscalation", 25, on_linux<privilege_escalation>},
    {"capabilities_restricted", 22, dropped_capabilities, "capabilities_baseline"},
    {"capabilities_restricted", 25, on_linux<dropped_capabilities>, "capabilities_baseline"},
    {"restrictedVolumes", 0, restricted_volumes, "hostPathVolumes"},
    {"runAsNonRoot", 0, run_as_non_root},
    {"runAsUser", 23, run_as_user},
    {"seccompProfile_restricted", 19, seccomp_given, "seccompProfile_baseline"},
    {"seccompProfile_restricted", 25, on_linux<seccomp_given>, "seccompProfile_baseline"},
};

}  // namespace

std::span<const CheckRow> restricted_checks() { return kRestrictedRows; }

}  // namespace holdfast::apiserver::pod_security
