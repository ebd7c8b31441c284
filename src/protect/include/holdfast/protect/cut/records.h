/// Records of claims and pods: enough to make a claim anew anywhere, and to know a container again.
#pragma once

#include <holdfast/kube/cached.h>
#include <holdfast/protect/cut/server_log.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::protect {

/// A volume in a container.
struct MountRecord {
  std::string path{}, claim{}, directory{};
  template <class V>
  void fields(V& v) {
    v.required("path", path, "in the container");
    v.optional("claim", claim, "whose volume it is; empty: no claim's, or not known");
    v.optional("directory", directory, "of the volume that is mounted; empty: its root");
  }
};

/// A claim as it was when it was cut: enough to make it anew anywhere.
struct ClaimRecord {
  std::string ns{}, name{}, uid{}, volume{}, volume_handle{}, driver{}, storage_class{}, size{},
      volume_mode{}, provider{}, snapshot_class{};
  std::vector<std::string> access_modes{};
  std::map<std::string, std::string> labels{}, annotations{};
  std::string snapshot_id{};
  std::optional<int64_t> bytes{};
  std::optional<LogRecord> log{};
  template <class V>
  void fields(V& v) {
    v.required("namespace", ns, "of the claim");
    v.required("name", name, "of the claim");
    v.optional("uid", uid, "of the claim");
    v.optional("volume", volume, "PersistentVolume it was bound to");
    v.optional("volumeHandle", volume_handle, "the driver's name for that volume");
    v.optional("driver", driver, "who made the volume");
    v.optional("provider", provider, "of a local volume: how it can be cut");
    v.optional("storageClassName", storage_class, "its class");
    v.optional("volumeSnapshotClassName", snapshot_class, "of its snapshot");
    v.optional("size", size, "its capacity");
    v.optional("volumeMode", volume_mode, "Filesystem or Block");
    v.optional("accessModes", access_modes, "as asked for");
    v.optional("labels", labels, "of the claim");
    v.optional("annotations", annotations, "of the claim, without those of controllers");
    v.optional("snapshotID", snapshot_id, "of a backup: the repository's snapshot");
    v.optional("bytes", bytes, "of a backup: how much it holds");
    v.optional("log", log, "the claim's second cut, made after the others for the log on it");
  }
};

/// A container in which commands run.
struct PodRecord {
  std::string name{}, uid{}, container{}, container_id{};
  std::vector<std::string> mount_paths{};
  std::vector<MountRecord> mounts{};
  template <class V>
  void fields(V& v) {
    v.required("name", name, "of the pod");
    v.required("uid", uid, "of the pod");
    v.required("container", container, "where commands run unless they say otherwise");
    v.optional("containerID", container_id, "a restarted container owes nothing");
    v.optional("mountPaths", mount_paths, "where it has the volumes of the group");
    v.optional("mounts", mounts, "all that it has, and whose they are");
  }
};

/// Names of the claims that a pod has as volumes, generic ephemeral ones among them.
std::vector<std::string> claims_of(const model::Value& pod);
std::vector<std::string> container_names(const model::Value& pod);
bool has_container(const model::Value& pod, std::string_view name);
/// With the container named, or the one that `kubectl exec` would take.
PodRecord pod_record(const kube::Cached& pod, const std::string& container);
ClaimRecord claim_record(const model::Value& claim, const model::Value& volume);

/// Takes off what a claim carries for its controllers' sake.
void drop_marks(ClaimRecord& claim);

/// A snapshot of this volume is of one instant; local volumes that are copied file by file are not.
bool is_cut_at_once(const ClaimRecord& claim);
/// Longhorn cuts the volumes of a group one after the other, whatever the specification says.
bool cuts_groups_at_once(std::string_view driver);

}  // namespace holdfast::protect
