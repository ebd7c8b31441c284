#include "pods/identity.h"

#include <holdfast/base/text.h>
#include <holdfast/base/walls.h>

#include <fmt/format.h>
#include <linux/capability.h>

#include <array>
#include <charconv>

namespace holdfast::node {
namespace {

using model::Value;

// In the order of their numbers.
constexpr std::array<std::string_view, 41> kNames = {"CHOWN",
                                                     "DAC_OVERRIDE",
                                                     "DAC_READ_SEARCH",
                                                     "FOWNER",
                                                     "FSETID",
                                                     "KILL",
                                                     "SETGID",
                                                     "SETUID",
                                                     "SETPCAP",
                                                     "LINUX_IMMUTABLE",
                                                     "NET_BIND_SERVICE",
                                                     "NET_BROADCAST",
                                                     "NET_ADMIN",
                                                     "NET_RAW",
                                                     "IPC_LOCK",
                                                     "IPC_OWNER",
                                                     "SYS_MODULE",
                                                     "SYS_RAWIO",
                                                     "SYS_CHROOT",
                                                     "SYS_PTRACE",
                                                     "SYS_PACCT",
                                                     "SYS_ADMIN",
                                                     "SYS_BOOT",
                                                     "SYS_NICE",
                                                     "SYS_RESOURCE",
                                                     "SYS_TIME",
                                                     "SYS_TTY_CONFIG",
                                                     "MKNOD",
                                                     "LEASE",
                                                     "AUDIT_WRITE",
                                                     "AUDIT_CONTROL",
                                                     "SETFCAP",
                                                     "MAC_OVERRIDE",
                                                     "MAC_ADMIN",
                                                     "SYSLOG",
                                                     "WAKE_ALARM",
                                                     "BLOCK_SUSPEND",
                                                     "AUDIT_READ",
                                                     "PERFMON",
                                                     "BPF",
                                                     "CHECKPOINT_RESTORE"};
// What container runtimes leave to root, but for two: with NET_RAW a pod would hear all others,
// since they share the machine's network; device nodes (MKNOD) are of use on no mount of ours.
constexpr std::array<std::string_view, 12> kDefault = {
    "CHOWN",   "DAC_OVERRIDE", "FSETID",           "FOWNER",     "SETGID", "SETUID",
    "SETFCAP", "SETPCAP",      "NET_BIND_SERVICE", "SYS_CHROOT", "KILL",   "AUDIT_WRITE"};

uint64_t bit(std::string_view name) {
  if (name.starts_with("CAP_")) name.remove_prefix(4);
  const auto* at = std::find(kNames.begin(), kNames.end(), name);
  return at == kNames.end() ? 0 : uint64_t(1) << (at - kNames.begin());
}

constexpr uint64_t kAll = (uint64_t(1) << kNames.size()) - 1;

uint64_t named(const model::Array& names) {
  uint64_t mask = 0;
  for (const Value& name : names)
    if (name.is_string())
      mask |= model::view(name.get_string()) == "ALL" ? kAll : bit(model::view(name.get_string()));
  return mask;
}

uint64_t capabilities_of(const ContainerDef& container, bool privileged) {
  if (privileged) return kAll;
  uint64_t mask = 0;
  for (const std::string_view name : kDefault) mask |= bit(name);
  if (!wall_stands("NET_RAW and MKNOD are asked for by name"))
    mask |= bit("NET_RAW") | bit("MKNOD");
  const uint64_t add =
      named(model::array_at(*container.object, {"securityContext", "capabilities", "add"}));
  const uint64_t drop =
      named(model::array_at(*container.object, {"securityContext", "capabilities", "drop"}));
  // Who drops ALL and adds one has that one.
  return (mask & ~drop) | add;
}

/// The container's own word, or the pod's.
std::optional<int64_t> chosen(const Pod& pod, const ContainerDef& container,
                              std::string_view member) {
  if (model::find(*container.object, {"securityContext", member}) != nullptr)
    return model::int_at(*container.object, {"securityContext", member}, 0);
  if (model::find(*pod.object, {"spec", "securityContext", member}) != nullptr)
    return model::int_at(*pod.object, {"spec", "securityContext", member}, 0);
  return std::nullopt;
}

bool chosen_flag(const Pod& pod, const ContainerDef& container, std::string_view member) {
  if (model::find(*container.object, {"securityContext", member}) != nullptr)
    return model::bool_at(*container.object, {"securityContext", member}, false);
  return model::bool_at(*pod.object, {"spec", "securityContext", member}, false);
}

/// RuntimeDefault is also what a pod has that says nothing.
Result<bool> is_unconfined(const Pod& pod, const ContainerDef& container, bool privileged) {
  std::string_view type =
      model::string_at(*container.object, {"securityContext", "seccompProfile", "type"});
  if (type.empty())
    type = model::string_at(*pod.object, {"spec", "securityContext", "seccompProfile", "type"});
  if (privileged || type == "Unconfined") return true;
  if (type.empty() || type == "RuntimeDefault") return false;
  return Error(
      Fault::Invalid,
      fmt::format("seccompProfile {} is not served by this node: it has RuntimeDefault and "
                  "Unconfined (pod: \"{}\", container: {})",
                  type, pod.text(), container.name));
}

Result<void> check(const Pod& pod, std::string_view what, int64_t id, Ids ids) {
  constexpr int64_t kLast = 65535;
  if (ids == Ids::OfMachine || id <= kLast) return {};
  return Error(
      Fault::Invalid,
      fmt::format("{} {} is beyond the ids of the pod's user namespace: choose one up to {}, "
                  "or hostUsers: true, which only those may ask for who may reach for the "
                  "machine (pod: \"{}\")",
                  what, id, kLast, pod.text()));
}

int64_t number(std::string_view text) {
  int64_t value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

void add_group(std::vector<int64_t>& groups, int64_t group) {
  if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
}

}  // namespace

std::optional<int64_t> fs_group_of(const Pod& pod) {
  if (model::find(*pod.object, {"spec", "securityContext", "fsGroup"}) == nullptr)
    return std::nullopt;
  return model::int_at(*pod.object, {"spec", "securityContext", "fsGroup"}, 0);
}

bool wants_host_users(const Pod& pod) {
  return model::bool_at(*pod.object, {"spec", "hostUsers"}, false);
}

Result<void> check_fs_group(const Pod& pod, Ids ids) {
  return check(pod, "fsGroup", fs_group_of(pod).value_or(0), ids);
}

Result<PersonOf> person_of(const Pod& pod, const ContainerDef& container, std::string_view passwd,
                           std::string_view group, Ids ids) {
  PersonOf person;
  person.privileged = model::bool_at(*container.object, {"securityContext", "privileged"}, false);
  person.capabilities = fmt::format("{:x}", capabilities_of(container, person.privileged));
  person.unconfined = HF_TRY(is_unconfined(pod, container, person.privileged));
  person.uid = chosen(pod, container, "runAsUser").value_or(0);
  if (chosen_flag(pod, container, "runAsNonRoot") && person.uid == 0) {
    const std::string_view what = chosen(pod, container, "runAsUser")
                                      ? "container's runAsUser breaks non-root policy"
                                      : "container has runAsNonRoot and image will run as root";
    return Error(Fault::Invalid,
                 fmt::format("{} (pod: \"{}\", container: {})", what, pod.text(), container.name));
  }
  std::string name;
  for (const std::string_view line : split(passwd, '\n')) {
    const std::vector<std::string_view> parts = split(line, ':');
    if (parts.size() < 6 || number(parts[2]) != person.uid || !name.empty()) continue;
    name = parts[0];
    person.gid = number(parts[3]);
    person.home = parts[5];
  }
  if (const std::optional<int64_t> gid = chosen(pod, container, "runAsGroup")) person.gid = *gid;
  const bool merge = model::string_at(*pod.object, {"spec", "securityContext",
                                                    "supplementalGroupsPolicy"}) != "Strict";
  add_group(person.groups, person.gid);
  for (const std::string_view line : split(group, '\n')) {
    const std::vector<std::string_view> parts = split(line, ':');
    if (!merge || name.empty() || parts.size() < 4) continue;
    for (const std::string_view member : split(parts[3], ','))
      if (member == name) add_group(person.groups, number(parts[2]));
  }
  if (const std::optional<int64_t> shared = fs_group_of(pod)) add_group(person.groups, *shared);
  for (const Value& each :
       model::array_at(*pod.object, {"spec", "securityContext", "supplementalGroups"}))
    if (each.is_int64()) add_group(person.groups, each.get_int64());
  HF_TRY(check(pod, "the user", person.uid, ids));
  for (const int64_t each : person.groups) HF_TRY(check(pod, "the group", each, ids));
  return person;
}

}  // namespace holdfast::node
