// Baseline: known ways to more rights than a container usually has.
#include <holdfast/base/text.h>

#include "admission/pod_security/checks.h"
#include "admission/pod_security/profiles.h"
#include "kinds/pod/annotations.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::apiserver::pod_security {
namespace {

using model::array_at;
using model::bool_at;
using model::string_at;
using model::Value;

template <size_t N>
bool is_among(const std::string_view (&list)[N], std::string_view text) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

std::optional<Violation> app_armor(const PodIn& pod) {
  Sorted types;
  const auto is_bad = [&types](const Value& holder) {
    const Value* profile = given(holder, {"securityContext", "appArmorProfile"});
    if (profile == nullptr) return false;
    const std::string_view type = string_at(*profile, {"type"});
    if (type == "RuntimeDefault" || type == "Localhost") return false;
    types.emplace(type);
    return true;
  };
  const bool by_pod = is_bad(*pod.spec);
  const Names names = containers_that(pod, is_bad);
  Sorted annotations;
  for (const auto& [name, value] : model::object_at(*pod.metadata, {"annotations"})) {
    const std::string_view text = value.is_string() ? model::view(value.get_string()) : "";
    if (!std::string_view(name).starts_with(pod::kAppArmor) || text.empty() ||
        text == "runtime/default" || text.starts_with("localhost/"))
      continue;
    annotations.insert(fmt::format("{}={}", std::string_view(name), quoted(text)));
  }
  Names values(types.begin(), types.end());
  values.insert(values.end(), annotations.begin(), annotations.end());
  std::string who = setters(by_pod, names);
  if (!annotations.empty())
    who += fmt::format("{}{}", who.empty() ? "" : " and ",
                       plural(annotations.size(), "annotation", "annotations"));
  if (who.empty()) return std::nullopt;
  return Violation{
      std::string(
          plural(values.size(), "forbidden AppArmor profile", "forbidden AppArmor profiles")),
      fmt::format("{} must not set AppArmor profile type to {}", who, quote_each(values))};
}

constexpr std::string_view kUsualCapabilities[] = {
    "AUDIT_WRITE",      "CHOWN",   "DAC_OVERRIDE", "FOWNER",  "FSETID", "KILL",      "MKNOD",
    "NET_BIND_SERVICE", "SETFCAP", "SETGID",       "SETPCAP", "SETUID", "SYS_CHROOT"};

std::optional<Violation> capabilities(const PodIn& pod) {
  Sorted added;
  const Names names = containers_that(pod, [&added](const Value& container) {
    bool bad = false;
    for (const Value& each : array_at(container, {"securityContext", "capabilities", "add"})) {
      const std::string_view name = string_at(each, {});
      if (is_among(kUsualCapabilities, name)) continue;
      added.emplace(name);
      bad = true;
    }
    return bad;
  });
  if (names.empty()) return std::nullopt;
  return Violation{"non-default capabilities",
                   fmt::format("{} must not include {} in securityContext.capabilities.add",
                               containers(names), quote_each(added))};
}

std::optional<Violation> host_namespaces(const PodIn& pod) {
  std::vector<std::string> shared;
  for (const std::string_view name : {"hostNetwork", "hostPID", "hostIPC"})
    if (bool_at(*pod.spec, {name}, false)) shared.push_back(fmt::format("{}=true", name));
  if (shared.empty()) return std::nullopt;
  return Violation{"host namespaces", join(shared, ", ")};
}

std::optional<Violation> host_path_volumes(const PodIn& pod) {
  Names names;
  for (const Value& volume : array_at(*pod.spec, {"volumes"}))
    if (given(volume, {"hostPath"}) != nullptr) names.emplace_back(string_at(volume, {"name"}));
  if (names.empty()) return std::nullopt;
  return Violation{
      "hostPath volumes",
      fmt::format("{} {}", plural(names.size(), "volume", "volumes"), quote_each(names))};
}

std::optional<Violation> host_ports(const PodIn& pod) {
  Sorted ports;
  const Names names = containers_that(pod, [&ports](const Value& container) {
    bool bad = false;
    for (const Value& port : array_at(container, {"ports"})) {
      const int64_t number = model::int_at(port, {"hostPort"}, 0);
      if (number == 0) continue;
      ports.insert(std::to_string(number));
      bad = true;
    }
    return bad;
  });
  if (names.empty()) return std::nullopt;
  return Violation{
      "hostPort",
      fmt::format("{} {} {} {}", containers(names), plural(names.size(), "uses", "use"),
                  plural(ports.size(), "hostPort", "hostPorts"), fmt::join(ports, ", "))};
}

std::optional<Violation> probe_hosts(const PodIn& pod) {
  Sorted names, hosts;
  each_container(pod, [&](const Value& container) {
    const auto look = [&](const Value* action) {
      if (action == nullptr) return;
      for (const std::string_view kind : {"httpGet", "tcpSocket"}) {
        const std::string_view host = string_at(*action, {kind, "host"});
        if (host.empty()) continue;
        names.emplace(string_at(container, {"name"}));
        hosts.emplace(host);
      }
    };
    for (const std::string_view probe : {"livenessProbe", "readinessProbe", "startupProbe"})
      look(given(container, {probe}));
    for (const std::string_view hook : {"postStart", "preStop"})
      look(given(container, {"lifecycle", hook}));
  });
  if (names.empty()) return std::nullopt;
  return Violation{
      "probe or lifecycle host",
      fmt::format("{} {} {} {}", containers(names), plural(names.size(), "uses", "use"),
                  plural(hosts.size(), "probe or lifecycle host", "probe or lifecycle hosts"),
                  quote_each(hosts))};
}

std::optional<Violation> privileged(const PodIn& pod) {
  const Names names = containers_that(pod, [](const Value& container) {
    return bool_at(container, {"securityContext", "privileged"}, false);
  });
  if (names.empty()) return std::nullopt;
  return Violation{"privileged",
                   containers(names) + " must not set securityContext.privileged=true"};
}

std::optional<Violation> proc_mount(const PodIn& pod) {
  Sorted types;
  const Names names = containers_that(pod, [&types](const Value& container) {
    const Value* type = given(container, {"securityContext", "procMount"});
    if (type == nullptr || string_at(*type, {}) == "Default") return false;
    types.emplace(string_at(*type, {}));
    return true;
  });
  if (names.empty()) return std::nullopt;
  return Violation{"procMount", fmt::format("{} must not set securityContext.procMount to {}",
                                            containers(names), quote_each(types))};
}

constexpr std::string_view kSeLinuxTypes[] = {"", "container_t", "container_init_t",
                                              "container_kvm_t"};

std::optional<Violation> se_linux_but(const PodIn& pod, std::string_view also_allowed) {
  Sorted types;
  bool user = false, role = false;
  const auto is_bad = [&](const Value& holder) {
    const Value* options = given(holder, {"securityContext", "seLinuxOptions"});
    if (options == nullptr) return false;
    const std::string_view type = string_at(*options, {"type"});
    const bool bad_type = !is_among(kSeLinuxTypes, type) && type != also_allowed;
    const bool sets_user = !string_at(*options, {"user"}).empty(),
               sets_role = !string_at(*options, {"role"}).empty();
    if (bad_type) types.emplace(type);
    user = user || sets_user;
    role = role || sets_role;
    return bad_type || sets_user || sets_role;
  };
  const bool by_pod = is_bad(*pod.spec);
  const Names names = containers_that(pod, is_bad);
  if (!by_pod && names.empty()) return std::nullopt;
  std::vector<std::string> bad;
  if (!types.empty())
    bad.push_back(fmt::format("{} {}", plural(types.size(), "type", "types"), quote_each(types)));
  if (user) bad.emplace_back("user may not be set");
  if (role) bad.emplace_back("role may not be set");
  return Violation{"seLinuxOptions",
                   fmt::format("{} set forbidden securityContext.seLinuxOptions: {}",
                               setters(by_pod, names), join(bad, "; "))};
}

std::optional<Violation> se_linux(const PodIn& pod) { return se_linux_but(pod, ""); }
std::optional<Violation> se_linux_31(const PodIn& pod) {
  return se_linux_but(pod, "container_engine_t");
}

/// Until there was a field.
std::optional<Violation> seccomp_annotations(const PodIn& pod) {
  Sorted bad;
  const auto look = [&](const std::string& name) {
    const Value* value = model::find(*pod.metadata, {"annotations", name});
    if (value == nullptr) return;
    const std::string_view text = string_at(*value, {});
    if (text != "runtime/default" && text != "docker/default" && !text.starts_with("localhost/"))
      bad.insert(fmt::format("{}={}", name, quoted(text)));
  };
  look(std::string(pod::kSeccompPod));
  each_container(pod, [&](const Value& container) {
    look(fmt::format("{}{}", pod::kSeccompContainer, string_at(container, {"name"})));
  });
  if (bad.empty()) return std::nullopt;
  return Violation{"seccompProfile",
                   fmt::format("forbidden {} {}", plural(bad.size(), "annotation", "annotations"),
                               fmt::join(bad, ", "))};
}

std::optional<Violation> seccomp(const PodIn& pod) { return forbidden_seccomp(pod); }

struct Sysctl {
  int64_t since;
  std::string_view name;
};
constexpr Sysctl kSafeSysctls[] = {{0, "kernel.shm_rmid_forced"},
                                   {0, "net.ipv4.ip_local_port_range"},
                                   {0, "net.ipv4.tcp_syncookies"},
                                   {0, "net.ipv4.ping_group_range"},
                                   {0, "net.ipv4.ip_unprivileged_port_start"},
                                   {27, "net.ipv4.ip_local_reserved_ports"},
                                   {29, "net.ipv4.tcp_keepalive_time"},
                                   {29, "net.ipv4.tcp_fin_timeout"},
                                   {29, "net.ipv4.tcp_keepalive_intvl"},
                                   {29, "net.ipv4.tcp_keepalive_probes"},
                                   {32, "net.ipv4.tcp_rmem"},
                                   {32, "net.ipv4.tcp_wmem"}};

template <int64_t Version>
std::optional<Violation> sysctls(const PodIn& pod) {
  std::vector<std::string> bad;
  for (const Value& each : array_at(*pod.spec, {"securityContext", "sysctls"})) {
    const std::string_view name = string_at(each, {"name"});
    if (std::none_of(std::begin(kSafeSysctls), std::end(kSafeSysctls), [name](const Sysctl& safe) {
          return safe.since <= Version && safe.name == name;
        }))
      bad.emplace_back(name);
  }
  if (bad.empty()) return std::nullopt;
  return Violation{"forbidden sysctls", join(bad, ", ")};
}

std::optional<Violation> windows_host_process(const PodIn& pod) {
  const auto is_bad = [](const Value& holder) {
    return bool_at(holder, {"securityContext", "windowsOptions", "hostProcess"}, false);
  };
  const std::string who = setters(is_bad(*pod.spec), containers_that(pod, is_bad));
  if (who.empty()) return std::nullopt;
  return Violation{"hostProcess",
                   who + " must not set securityContext.windowsOptions.hostProcess=true"};
}

constexpr CheckRow kBaselineRows[] = {
    {"appArmorProfile", 0, app_armor},
    {"capabilities_baseline", 0, capabilities},
    {"hostNamespaces", 0, host_namespaces},
    {"hostPathVolumes", 0, host_path_volumes},
    {"hostPorts", 0, host_ports},
    {"hostProbesAndHostLifecycle", 34, probe_hosts},
    {"privileged", 0, privileged},
    {"procMount", 0, proc_mount},
    {"seLinuxOptions", 0, se_linux},
    {"seLinuxOptions", 31, se_linux_31},
    {"seccompProfile_baseline", 0, seccomp_annotations},
    {"seccompProfile_baseline", 19, seccomp},
    {"sysctls", 0, sysctls<0>},
    {"sysctls", 27, sysctls<27>},
    {"sysctls", 29, sysctls<29>},
    {"sysctls", 32, sysctls<32>},
    {"windowsHostProcess", 0, windows_host_process},
};

}  // namespace

std::span<const CheckRow> baseline_checks() { return kBaselineRows; }

}  // namespace holdfast::apiserver::pod_security
