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
    v.required("path", path, "path in the container");
    v.optional("claim", claim, "claim of the mounted volume; empty: none, or not known");
    v.optional("directory", directory, "mounted folder of the volume; empty: its root");
  }
};

/// A claim as it was when it was cut: enough to make it anew anywhere.
struct ClaimRecord {
  std::string ns{}, name{}, uid{}, volume{}, volume_handle{}, driver{}, storage_class{}, size{},
      volume_mode{}, provider{}, snapshot_class{};
  std::vector<std::string> access_modes{};
  std::map<std::string, std::string> labels{}, annotations{};
  std::string snapshot_uid{}, snapshot_id{};
  std::optional<int64_t> bytes{};
  std::optional<LogRecord> log{};
  template <class V>
  void fields(V& v) {
    v.required("namespace", ns, "namespace of the claim");
    v.required("name", name, "name of the claim");
    v.optional("uid", uid, "uid of the claim");
    v.optional("volume", volume, "PersistentVolume that the claim was bound to");
    v.optional("volumeHandle", volume_handle, "CSI driver's name for the volume");
    v.optional("driver", driver, "CSI driver of the volume");
    v.optional("provider", provider, "provider of a local volume: btrfs, reflink or copy");
    v.optional("storageClassName", storage_class, "StorageClass of the claim");
    v.optional("volumeSnapshotClassName", snapshot_class, "VolumeSnapshotClass of its snapshot");
    v.optional("size", size, "capacity of the claim");
    v.optional("volumeMode", volume_mode, "Filesystem or Block");
    v.optional("accessModes", access_modes, "access modes that the claim asks for");
    v.optional("labels", labels, "labels of the claim");
    v.optional("annotations", annotations,
               "annotations of the claim, without those of controllers");
    v.optional("volumeSnapshotUID", snapshot_uid,
               "uid of the VolumeSnapshot that the claim was cut by");
    v.optional("snapshotID", snapshot_id, "id of the repository's snapshot, if this is a backup");
    v.optional("bytes", bytes, "size of the backup in bytes");
    v.optional("log", log,
               "log record; present if this is a second cut of the claim, made for a server's log");
  }
};

/// A container in which commands run.
struct PodRecord {
  std::string name{}, uid{}, container{}, container_id{};
  std::vector<std::string> mount_paths{};
  std::vector<MountRecord> mounts{};
  template <class V>
  void fields(V& v) {
    v.required("name", name, "name of the pod");
    v.required("uid", uid, "uid of the pod");
    v.required("container", container, "container of actions that name none");
    v.optional("containerID", container_id,
               "id of the container; a restarted one owes no post actions");
    v.optional("mountPaths", mount_paths, "mount paths of the volumes of the cut");
    v.optional("mounts", mounts, "all mounts of the container, with their claims");
  }
};

/// Names of the claims that a pod has as volumes, generic ephemeral ones among them.
std::vector<std::string> claims_of(const model::Value& pod);
std::vector<std::string> container_names(const model::Value& pod);
bool has_container(const model::Value& pod, std::string_view name);
/// With the container named, or the one that `kubectl exec` would take.
PodRecord pod_record(const kube::Cached& pod, const std::string& container);
ClaimRecord claim_record(const model::Value& claim, const model::Value& volume);

/// "pvc=shop/data": the tag by which the snapshot of a backup of this claim is known.
std::string claim_tag(const ClaimRecord& claim);

/// Takes off what a claim carries for its controllers' sake.
void drop_marks(ClaimRecord& claim);

/// A snapshot of this volume is of one instant; local volumes that are copied file by file are not.
bool is_cut_at_once(const ClaimRecord& claim);
/// Longhorn cuts volumes one after the other, whatever the specification of group snapshots says.
bool cuts_groups_at_once(std::string_view driver);

}  // namespace holdfast::protect
