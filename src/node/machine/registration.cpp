#include "machine/registration.h"

#include <holdfast/base/files.h>
#include <holdfast/base/text.h>
#include <holdfast/model/time.h>

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>

namespace holdfast::node {
namespace {

using model::Array;
using model::Object;
using model::Value;

constexpr int64_t kMostPods = 110, kLeaseSeconds = 40;
constexpr std::string_view kVersion = "v1.34.4";
/// A disk with less than either is under pressure. kubelet's tenth would be tens of GiB on a
/// machine that also serves for other things.
constexpr int64_t kLeastRoom = int64_t(1) << 30, kLeastShare = 20;

std::string line_of(const char* file) {
  Result<std::string> text = read_file(file);
  return text ? std::string(trim(*text)) : "";
}

std::string os_name() {
  const Result<std::string> text = read_file("/etc/os-release");
  if (!text) return "Linux";
  for (const std::string_view line : split(*text, '\n'))
    if (line.starts_with("PRETTY_NAME=")) {
      std::string_view name = line.substr(12);
      while (!name.empty() && name.front() == '"') name.remove_prefix(1);
      while (!name.empty() && name.back() == '"') name.remove_suffix(1);
      return std::string(name);
    }
  return "Linux";
}

Value condition(std::string_view type, std::string_view status, std::string_view reason,
                std::string_view message, const Value& before, WallTime now) {
  std::string changed = model::to_rfc3339(now);
  for (const Value& each : model::array_at(before, {"conditions"}))
    if (model::string_at(each, {"type"}) == type && model::string_at(each, {"status"}) == status)
      changed = model::string_at(each, {"lastTransitionTime"});
  return Value(Object{{"type", type},
                      {"status", status},
                      {"lastHeartbeatTime", model::to_rfc3339(now)},
                      {"lastTransitionTime", changed},
                      {"reason", reason},
                      {"message", message}});
}

Object labels_of(const Registration& about) {
  return {{"kubernetes.io/hostname", about.name},
          {"kubernetes.io/os", "linux"},
          {"kubernetes.io/arch", about.facts.architecture},
          {"beta.kubernetes.io/os", "linux"},
          {"beta.kubernetes.io/arch", about.facts.architecture}};
}

Result<void> as_result(const kube::Reply<Value>& reply, std::string_view doing) {
  if (reply) return {};
  return reply.error().error.copy().with_context(doing);
}

/// The server taints every new node as not ready; on a cluster its lifecycle controller lifts that,
/// here nobody else.
Result<void> lift_not_ready(kube::Client& client, const Value& node) {
  Array kept;
  bool found = false;
  for (const Value& taint : model::array_at(node, {"spec", "taints"})) {
    const bool ours = model::string_at(taint, {"key"}) == "node.kubernetes.io/not-ready";
    found = found || ours;
    if (!ours) kept.push_back(taint);
  }
  if (!found) return {};
  const Value patch =
      Object{{"spec", Object{{"taints", kept.empty() ? Value(nullptr) : Value(kept)}}}};
  const std::string name(model::string_at(node, {"metadata", "name"}));
  const kube::Reply<Value> done =
      client.patch(kube::kNodes, "", name, kube::PatchType::Merge, patch);
  return as_result(done, "lift the taint of node " + name);
}

}  // namespace

MachineFacts machine_facts(const std::string& data_dir) {
  MachineFacts facts;
  struct sysinfo system {};
  sysinfo(&system);
  utsname names{};
  uname(&names);
  struct statvfs disk {};
  statvfs(data_dir.c_str(), &disk);
  facts.cpus = sysconf(_SC_NPROCESSORS_ONLN);
  facts.memory_bytes = int64_t(system.totalram) * system.mem_unit;
  facts.disk_bytes = int64_t(disk.f_blocks) * int64_t(disk.f_frsize);
  facts.hostname = names.nodename;
  facts.kernel = names.release;
  const std::string_view machine = names.machine;
  facts.architecture = machine == "x86_64"    ? "amd64"
                       : machine == "aarch64" ? "arm64"
                                              : std::string(machine);
  facts.os_image = os_name();
  facts.machine_id = line_of("/etc/machine-id");
  facts.boot_id = line_of("/proc/sys/kernel/random/boot_id");
  return facts;
}

std::string disk_pressure(const std::string& data_dir) {
  struct statvfs disk {};
  if (statvfs(data_dir.c_str(), &disk) != 0) return "";
  const int64_t left = int64_t(disk.f_bavail) * int64_t(disk.f_frsize);
  const int64_t all = int64_t(disk.f_blocks) * int64_t(disk.f_frsize);
  if (left > std::min(kLeastRoom, all / kLeastShare)) return "";
  return fmt::format("{} MiB are left on the disk of {}: free room there", left >> 20, data_dir);
}

Value node_status(const Registration& about, bool ready, const Value& before, WallTime now) {
  const Object amounts{{"cpu", std::to_string(about.facts.cpus)},
                       {"memory", fmt::format("{}Ki", about.facts.memory_bytes / 1024)},
                       {"ephemeral-storage", fmt::format("{}Ki", about.facts.disk_bytes / 1024)},
                       {"pods", std::to_string(kMostPods)}};
  Array conditions{
      condition("MemoryPressure", "False", "KubeletHasSufficientMemory",
                "kubelet has sufficient memory available", before, now),
      about.disk_pressure.empty() ? condition("DiskPressure", "False", "KubeletHasNoDiskPressure",
                                              "kubelet has no disk pressure", before, now)
                                  : condition("DiskPressure", "True", "KubeletHasDiskPressure",
                                              about.disk_pressure, before, now),
      condition("PIDPressure", "False", "KubeletHasSufficientPID",
                "kubelet has sufficient PID available", before, now),
      about.no_user_namespaces.empty()
          ? condition("UserNamespaces", "True", "PodsHaveTheirOwn",
                      "root in a pod is no user of this machine", before, now)
          : condition(
                "UserNamespaces", "False", "NotOnThisMachine",
                "pods run as users of this machine, root among them: " + about.no_user_namespaces,
                before, now),
      ready ? condition(
                  "Ready", "True", "KubeletReady",
                  about.limits
                      ? "the node takes pods"
                      : "the node takes pods; limits are not enforced: no writable control groups",
                  before, now)
            : condition("Ready", "False", "NodeStopped", "the node was stopped", before, now)};
  return Value(Object{
      {"capacity", amounts},
      {"allocatable", amounts},
      {"conditions", std::move(conditions)},
      {"addresses", Array{Value(Object{{"type", "InternalIP"}, {"address", about.host_ip}}),
                          Value(Object{{"type", "Hostname"}, {"address", about.facts.hostname}})}},
      {"daemonEndpoints", Object{{"kubeletEndpoint", Object{{"Port", about.port}}}}},
      {"nodeInfo",
       Object{{"machineID", about.facts.machine_id},
              {"systemUUID", about.facts.machine_id},
              {"bootID", about.facts.boot_id},
              {"kernelVersion", about.facts.kernel},
              {"osImage", about.facts.os_image},
              {"containerRuntimeVersion", "holdfast://" HOLDFAST_VERSION},
              {"kubeletVersion", fmt::format("{}+holdfast.{}", kVersion, HOLDFAST_VERSION)},
              {"kubeProxyVersion", ""},
              {"operatingSystem", "linux"},
              {"architecture", about.facts.architecture}}}});
}

Result<void> register_node(kube::Client& client, const Registration& about, WallTime now) {
  const Object metadata{
      {"name", about.name},
      {"labels", labels_of(about)},
      {"annotations", Object{{"node.holdfast.dev/serving-certificate", about.certificate}}}};
  const kube::Reply<Value> made = client.create(
      kube::kNodes, "",
      Value(Object{
          {"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", metadata}, {"spec", Object()}}));
  if (!made && !made.error().already_exists())
    return as_result(made, "register node " + about.name);
  if (!made) {
    Object changes = metadata;
    HF_TRY(as_result(client.patch(kube::kNodes, "", about.name, kube::PatchType::Strategic,
                                  Value(Object{{"metadata", changes}})),
                     "update node " + about.name));
  }
  const kube::Reply<Value> found = client.get(kube::kNodes, "", about.name);
  HF_TRY(as_result(found, "read node " + about.name));
  const Value& current = *found;
  const Value* status = model::find(current, {"status"});
  HF_TRY(as_result(
      client.patch(kube::kNodes, "", about.name, kube::PatchType::Strategic,
                   Value(Object{{"status",
                                 node_status(about, true,
                                             status != nullptr ? *status : Value(Object()), now)}}),
                   {.subresource = "status"}),
      "report the status of node " + about.name));
  return lift_not_ready(client, current);
}

Result<void> report_stopped(kube::Client& client, const Registration& about, WallTime now) {
  const Value status = node_status(about, false, Value(Object()), now);
  return as_result(
      client.patch(
          kube::kNodes, "", about.name, kube::PatchType::Strategic,
          Value(Object{{"status", Object{{"conditions", *model::find(status, {"conditions"})}}}}),
          {.subresource = "status"}),
      "report that node " + about.name + " stops");
}

Result<void> renew_lease(kube::Client& client, const std::string& name, WallTime now) {
  const Value spec = Object{{"holderIdentity", name},
                            {"leaseDurationSeconds", kLeaseSeconds},
                            {"renewTime", model::to_rfc3339_micro(now)}};
  const kube::Reply<Value> renewed =
      client.patch(kube::kLeases, "kube-node-lease", name, kube::PatchType::Merge,
                   Value(Object{{"spec", spec}}));
  if (renewed || !renewed.error().not_found())
    return as_result(renewed, "renew the lease of node " + name);
  return as_result(
      client.create(
          kube::kLeases, "kube-node-lease",
          Value(Object{{"apiVersion", "coordination.k8s.io/v1"},
                       {"kind", "Lease"},
                       {"metadata", Object{{"name", name}, {"namespace", "kube-node-lease"}}},
                       {"spec", spec}})),
      "make the lease of node " + name);
}

}  // namespace holdfast::node
