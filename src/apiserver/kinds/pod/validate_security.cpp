/// Security contexts of pods and containers, and the operating system.
#include <holdfast/base/text.h>

#include "kinds/pod/annotations.h"
#include "kinds/pod/pod.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace holdfast::apiserver::pod {

using model::Value;

namespace {

constexpr int64_t kMaxId = std::numeric_limits<int32_t>::max();
constexpr size_t kMaxProfilePath = 4095;

void check_seccomp(const Place& profile) {
  if (!profile.present()) return;
  const Place type = profile["type"];
  if (type.need("type is required when seccompProfile is set"))
    type.one_of({"Localhost", "RuntimeDefault", "Unconfined"});
  const Place local = profile["localhostProfile"];
  if (type.text() == "Localhost") {
    if (!local.present()) return local.required("must be set when seccomp type is Localhost");
    check_relative_path(local);
  } else if (local.present()) {
    local.invalid(go_form(profile.value(), {"Type", "LocalhostProfile"}),
                  "can only be set when seccomp type is Localhost");
  }
}

void check_app_armor(const Place& profile) {
  if (!profile.present()) return;
  const Place type = profile["type"];
  const Place local = profile["localhostProfile"];
  if (!type.need("type is required when appArmorProfile is set")) return;
  type.one_of({"Localhost", "RuntimeDefault", "Unconfined"});
  if (type.text() == "Localhost") {
    if (!local.present()) return local.required("must be set when AppArmor type is Localhost");
    if (trim(local.text()) != local.text())
      local.invalid("must not be padded with whitespace");
    else if (local.text().empty())
      local.required("must be set when AppArmor type is Localhost");
    if (local.text().size() > kMaxProfilePath) local.too_long(int64_t{kMaxProfilePath});
  } else if (local.present() && (type.text() == "RuntimeDefault" || type.text() == "Unconfined")) {
    local.invalid("can only be set when AppArmor type is Localhost");
  }
}

void check_windows_options(const Place& options) {
  if (options["gmsaCredentialSpecName"].present())
    options["gmsaCredentialSpecName"].dns_subdomain();
  for (std::string_view name : {"gmsaCredentialSpec", "runAsUserName"})
    if (options[name].present() && options[name].text().empty())
      options[name].invalid(fmt::format("{} cannot be an empty string", name));
}

/// `[a-z0-9]([-_a-z0-9]*[a-z0-9])?` parts, joined by "." or "/".
bool is_sysctl(std::string_view name) {
  const auto alnum = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  if (name.size() > 253) return false;
  std::string dotted(name);
  std::replace(dotted.begin(), dotted.end(), '/', '.');
  for (std::string_view part : split(dotted, '.')) {
    if (part.empty() || !alnum(part.front()) || !alnum(part.back())) return false;
    for (char c : part)
      if (!alnum(c) && c != '-' && c != '_') return false;
  }
  return true;
}

bool is_ipc_sysctl(std::string_view name) {
  constexpr std::string_view kNames[] = {"kernel.sem",    "kernel.shmall",          "kernel.shmmax",
                                         "kernel.shmmni", "kernel.shm_rmid_forced", "kernel.msgmax",
                                         "kernel.msgmnb", "kernel.msgmni"};
  return name.starts_with("fs.mqueue.") ||
         std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

void check_sysctls(const Place& spec) {
  std::set<std::string, std::less<>> seen;
  spec["securityContext"]["sysctls"].each([&](const Place& sysctl) {
    const Place name = sysctl["name"];
    const bool again = !seen.emplace(name.text()).second;
    if (name.need()) {
      if (!is_sysctl(name.text()))
        name.invalid(
            "must have at most 253 characters and match regex "
            "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$");
      else if (again)
        name.duplicate();
    }
    std::string dotted(name.text());
    std::replace(dotted.begin(), dotted.end(), '/', '.');
    if (spec["hostNetwork"].flag() && dotted.starts_with("net."))
      name.invalid("may not be specified when 'hostNetwork' is true");
    else if (spec["hostIPC"].flag() && is_ipc_sysctl(dotted))
      name.invalid("may not be specified when 'hostIPC' is true");
  });
}

Value shown_context(const Place& context) {
  Value shown =
      go_form(context.value(),
              {"Capabilities", "Privileged", "SELinuxOptions", "WindowsOptions", "RunAsUser",
               "RunAsGroup", "RunAsNonRoot", "ReadOnlyRootFilesystem", "AllowPrivilegeEscalation",
               "ProcMount", "SeccompProfile", "AppArmorProfile"});
  model::Object& members = shown.get_object();
  const auto reshape = [&](std::string_view member, std::string_view name,
                           std::initializer_list<std::string_view> names) {
    if (context[name].present()) members[member] = go_form(context[name].value(), names);
  };
  reshape("Capabilities", "capabilities", {"Add", "Drop"});
  reshape("SELinuxOptions", "seLinuxOptions", {"User", "Role", "Type", "Level"});
  reshape("SeccompProfile", "seccompProfile", {"Type", "LocalhostProfile"});
  reshape("AppArmorProfile", "appArmorProfile", {"Type", "LocalhostProfile"});
  return shown;
}

void check_escalation(const Place& context) {
  if (context["allowPrivilegeEscalation"].flag(true)) return;
  if (context["privileged"].flag())
    context.invalid(shown_context(context),
                    "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
  for (const Value& capability : context["capabilities"]["add"].items())
    if (model::string_at(capability, {}) == "CAP_SYS_ADMIN")
      context.invalid(
          shown_context(context),
          "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN");
}

/// What a Windows node cannot do, in the pod's and the containers' contexts.
constexpr std::string_view kNotOnWindowsPod[] = {"appArmorProfile",     "seLinuxOptions",
                                                 "seccompProfile",      "fsGroup",
                                                 "fsGroupChangePolicy", "sysctls",
                                                 "runAsUser",           "runAsGroup",
                                                 "supplementalGroups",  "supplementalGroupsPolicy",
                                                 "seLinuxChangePolicy"};
constexpr std::string_view kNotOnWindowsContainer[] = {"appArmorProfile",
                                                       "seLinuxOptions",
                                                       "seccompProfile",
                                                       "capabilities",
                                                       "readOnlyRootFilesystem",
                                                       "privileged",
                                                       "allowPrivilegeEscalation",
                                                       "procMount",
                                                       "runAsUser",
                                                       "runAsGroup"};

void check_windows(const Place& spec) {
  const auto refuse = [](const Place& member) {
    if (member.present()) member.forbidden("cannot be set for a windows pod");
  };
  for (std::string_view name : {"hostUsers", "shareProcessNamespace"}) refuse(spec[name]);
  for (std::string_view name : {"hostPID", "hostIPC"})
    if (spec[name].flag()) refuse(spec[name]);
  for (std::string_view name : kNotOnWindowsPod) refuse(spec["securityContext"][name]);
  each_container(spec, [&](const Place& container) {
    for (std::string_view name : kNotOnWindowsContainer) refuse(container["securityContext"][name]);
  });
}

void check_linux(const Place& spec) {
  const auto refuse = [](const Place& context) {
    if (context["windowsOptions"].present())
      context["windowsOptions"].forbidden("windows options cannot be set for a linux pod");
  };
  refuse(spec["securityContext"]);
  each_container(spec, [&](const Place& container) { refuse(container["securityContext"]); });
}

/// One annotation of old against the field that replaced it.
void check_profile_matches(const Value* annotation, const Place& profile, std::string_view what,
                           std::string_view default_word) {
  if (annotation == nullptr || !profile.present()) return;
  const std::string_view said = model::string_at(*annotation, {});
  const std::string_view type = profile["type"].text();
  const bool local = said.starts_with("localhost/");
  bool same = true;
  if (type == "Unconfined") same = said == "unconfined";
  if (type == "RuntimeDefault")
    same = said == default_word || (what == "seccomp" && said == "docker/default");
  if (type == "Localhost") same = local;
  if (!same)
    return profile["type"].forbidden(
        fmt::format("{} type in annotation and field must match", what));
  if (type == "Localhost" && said.substr(10) != profile["localhostProfile"].text())
    profile["localhostProfile"].forbidden(
        fmt::format("{} profile in annotation and field must match", what));
}

}  // namespace

void check_pod_security(const Place& spec) {
  const Place context = spec["securityContext"];
  for (std::string_view name : {"fsGroup", "runAsUser", "runAsGroup"})
    context[name].between(0, kMaxId);
  context["supplementalGroups"].each([](const Place& group) { group.between(0, kMaxId); });
  if (spec["hostPID"].flag() && spec["shareProcessNamespace"].flag())
    context["shareProcessNamespace"].invalid(
        Value(true), "ShareProcessNamespace and HostPID cannot both be enabled");
  check_sysctls(spec);
  context["fsGroupChangePolicy"].one_of_if_present({"Always", "OnRootMismatch"});
  check_seccomp(context["seccompProfile"]);
  check_windows_options(context["windowsOptions"]);
  check_app_armor(context["appArmorProfile"]);
  context["supplementalGroupsPolicy"].one_of_if_present({"Merge", "Strict"});
  context["seLinuxChangePolicy"].one_of_if_present({"Recursive"});
}

void check_container_security(const Place& context, const Surroundings& around) {
  if (!context.present()) return;
  context["runAsUser"].between(0, kMaxId);
  context["runAsGroup"].between(0, kMaxId);
  const Place mount = context["procMount"];
  mount.one_of_if_present({"Default", "Unmasked"});
  if (around.host_users && mount.text() == "Unmasked")
    mount.invalid("`hostUsers` must be false to use `Unmasked`");
  check_seccomp(context["seccompProfile"]);
  check_escalation(context);
  check_windows_options(context["windowsOptions"]);
  check_app_armor(context["appArmorProfile"]);
}

void check_host_process(const Place& spec) {
  const Place own = spec["securityContext"]["windowsOptions"]["hostProcess"];
  size_t all = 0;
  size_t on_host = 0;
  each_container(spec, [&](const Place& container) {
    ++all;
    const Place its = container["securityContext"]["windowsOptions"]["hostProcess"];
    if (own.present() && its.present() && own.flag() != its.flag())
      its.invalid(fmt::format(
          "pod hostProcess value must be identical if both are specified, was {}", own.flag()));
    if (its.flag(own.flag())) ++on_host;
  });
  if (on_host == 0) return;
  if (on_host != all)
    spec.invalid(Value(""),
                 "If pod contains any hostProcess containers then all containers must be "
                 "HostProcess containers");
  if (!spec["hostNetwork"].flag())
    spec["hostNetwork"].invalid(
        Value(false), "hostNetwork must be true if pod contains any hostProcess containers");
}

void check_os(const Place& spec) {
  const Place os = spec["os"];
  if (!os.present() || !os["name"].need()) return;
  const std::string_view name = os["name"].text();
  if (name == "linux") return check_linux(spec);
  if (name == "windows") return check_windows(spec);
  os["name"].as(os.path()).unsupported({"linux", "windows"});
}

void check_profiles_match_annotations(const Value& annotations, const Place& spec) {
  if (!annotations.is_object()) return;
  const Place pod_context = spec["securityContext"];
  check_profile_matches(model::find(annotations, {kSeccompPod}), pod_context["seccompProfile"],
                        "seccomp", "runtime/default");
  each_container(spec, [&](const Place& container) {
    const std::string key = fmt::format("{}{}", kSeccompContainer, container["name"].text());
    check_profile_matches(model::find(annotations, {key}),
                          container["securityContext"]["seccompProfile"], "seccomp",
                          "runtime/default");
  });
  if (spec["os"]["name"].text() == "windows") return;
  each_container(spec, [&](const Place& container) {
    const std::string key = fmt::format("{}{}", kAppArmor, container["name"].text());
    const Place own = container["securityContext"]["appArmorProfile"];
    const Place used = own.present() ? own : pod_context["appArmorProfile"].as(own.path());
    check_profile_matches(model::find(annotations, {key}), used, "apparmor", "runtime/default");
  });
}

}  // namespace holdfast::apiserver::pod
