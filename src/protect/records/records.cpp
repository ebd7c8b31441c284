#include <holdfast/protect/cut/records.h>
#include <holdfast/protect/data_move.h>

#include <fmt/format.h>

namespace holdfast::protect {

using model::array_at;
using model::string_at;
using model::Value;

namespace {

constexpr std::string_view kLocalDriver = "volumes.holdfast.dev";
constexpr std::string_view kProvider = "volumes.holdfast.dev/provider";
constexpr std::string_view kProvisionedBy = "pv.kubernetes.io/provisioned-by";
constexpr std::string_view kDefaultContainer = "kubectl.kubernetes.io/default-container";

/// What a claim carries for its controllers' sake, and would be wrong on another one.
bool is_of_controllers(std::string_view key) {
  for (const std::string_view prefix :
       {"pv.kubernetes.io/", "volume.kubernetes.io/", "volume.beta.kubernetes.io/",
        "kubectl.kubernetes.io/", "holdfast.dev/", "cut.holdfast.dev/"})
    if (key.starts_with(prefix)) return true;
  return false;
}

std::map<std::string, std::string> kept(const Value& object, std::string_view which) {
  std::map<std::string, std::string> out;
  for (const auto& each : model::object_at(object, {"metadata", which}))
    if (each.value().is_string() && !is_of_controllers(each.key()))
      out[std::string(each.key())] = std::string(each.value().as_string());
  return out;
}

/// Of one volume of a pod; empty if it is of another kind.
std::string claim_of(const Value& pod, const Value& volume) {
  if (model::find(volume, {"ephemeral"}) != nullptr)
    return fmt::format("{}-{}", string_at(pod, {"metadata", "name"}), string_at(volume, {"name"}));
  return std::string(string_at(volume, {"persistentVolumeClaim", "claimName"}));
}

}  // namespace

std::vector<std::string> claims_of(const Value& pod) {
  std::vector<std::string> out;
  for (const Value& volume : array_at(pod, {"spec", "volumes"}))
    if (std::string claim = claim_of(pod, volume); !claim.empty()) out.push_back(std::move(claim));
  return out;
}

std::vector<std::string> container_names(const Value& pod) {
  std::vector<std::string> out;
  for (const Value& each : array_at(pod, {"spec", "containers"}))
    out.emplace_back(string_at(each, {"name"}));
  return out;
}

bool has_container(const Value& pod, std::string_view name) {
  const std::vector<std::string> all = container_names(pod);
  return std::find(all.begin(), all.end(), name) != all.end();
}

PodRecord pod_record(const kube::Cached& cached, const std::string& container) {
  const auto shared = cached.shared_value();
  const Value& pod = *shared;
  PodRecord out;
  out.name = cached.name();
  out.uid = cached.uid();
  out.container = container;
  if (out.container.empty())
    out.container = string_at(pod, {"metadata", "annotations", kDefaultContainer});
  if (!has_container(pod, out.container))
    for (const Value& each : array_at(pod, {"spec", "containers"})) {
      out.container = string_at(each, {"name"});
      break;
    }
  for (const Value& each : array_at(pod, {"status", "containerStatuses"}))
    if (string_at(each, {"name"}) == out.container)
      out.container_id = string_at(each, {"containerID"});
  std::map<std::string, std::string, std::less<>> claims;
  for (const Value& volume : array_at(pod, {"spec", "volumes"}))
    if (std::string claim = claim_of(pod, volume); !claim.empty())
      claims[std::string(string_at(volume, {"name"}))] = std::move(claim);
  for (const Value& each : array_at(pod, {"spec", "containers"}))
    if (string_at(each, {"name"}) == out.container)
      for (const Value& mount : array_at(each, {"volumeMounts"})) {
        const auto found = claims.find(string_at(mount, {"name"}));
        const std::string path(string_at(mount, {"mountPath"}));
        if (found != claims.end()) out.mount_paths.push_back(path);
        // What the node makes of an expression is not known here.
        const bool known = found != claims.end() && string_at(mount, {"subPathExpr"}).empty();
        out.mounts.push_back(
            {path, known ? found->second : "", std::string(string_at(mount, {"subPath"}))});
      }
  return out;
}

ClaimRecord claim_record(const Value& claim, const Value& volume) {
  ClaimRecord out;
  out.ns = string_at(claim, {"metadata", "namespace"});
  out.name = string_at(claim, {"metadata", "name"});
  out.uid = string_at(claim, {"metadata", "uid"});
  out.volume = string_at(volume, {"metadata", "name"});
  out.driver = string_at(volume, {"spec", "csi", "driver"});
  out.volume_handle = string_at(volume, {"spec", "csi", "volumeHandle"});
  if (out.driver.empty()) {
    out.driver = string_at(volume, {"metadata", "annotations", kProvisionedBy});
    out.volume_handle = out.volume;
  }
  out.provider = string_at(volume, {"metadata", "annotations", kProvider});
  out.storage_class = string_at(claim, {"spec", "storageClassName"});
  out.size = string_at(claim, {"status", "capacity", "storage"});
  if (out.size.empty()) out.size = string_at(claim, {"spec", "resources", "requests", "storage"});
  out.volume_mode = string_at(claim, {"spec", "volumeMode"});
  for (const Value& mode : array_at(claim, {"spec", "accessModes"}))
    out.access_modes.emplace_back(mode.as_string());
  out.labels = kept(claim, "labels");
  out.annotations = kept(claim, "annotations");
  return out;
}

std::string claim_tag(const ClaimRecord& claim) {
  return fmt::format("{}{}/{}", claim.log ? kLogTag : kClaimTag, claim.ns, claim.name);
}

void drop_marks(ClaimRecord& claim) {
  for (auto* each : {&claim.labels, &claim.annotations})
    std::erase_if(*each, [](const auto& entry) { return is_of_controllers(entry.first); });
}

bool is_cut_at_once(const ClaimRecord& claim) {
  return claim.driver != kLocalDriver || claim.provider.starts_with("btrfs");
}

bool cuts_groups_at_once(std::string_view driver) { return driver != "driver.longhorn.io"; }

}  // namespace holdfast::protect
