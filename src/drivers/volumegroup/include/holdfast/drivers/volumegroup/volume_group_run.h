/// One run over a group of volumes: how it went step by step, what it made, and whether what it
/// holds is what the application would call consistent.
#pragma once

#include <holdfast/control/operation.h>
#include <holdfast/drivers/volumegroup/volume_group.h>
#include <holdfast/drivers/volumegroup/volume_group_log.h>
#include <holdfast/protect/quiesce.h>

namespace holdfast::drivers::volumegroup {

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

enum class Cut { Group, Each };
constexpr auto words(Cut) {
  return std::array{std::pair{Cut::Group, "VolumeGroupSnapshot"},
                    std::pair{Cut::Each, "VolumeSnapshot"}};
}

/// All that a run goes by, as it stood when it began.
struct Frozen {
  std::string ns{}, account{}, group_class{};
  Quiescing quiescing{};
  std::optional<protect::Reference> location{};
  std::vector<PodRecord> pods{};
  std::vector<ClaimRecord> claims{};
  Cut cut = Cut::Each;
  bool atomic = false, allow_unguarded = false;
  template <class V>
  void fields(V& v) {
    v.required("namespace", ns, "of the members");
    v.optional("serviceAccountName", account, "whose rights commands have");
    v.required("quiescing", quiescing, "how the application holds still");
    v.optional("location", location, "where a backup goes");
    v.optional("pods", pods, "in which commands run");
    v.required("claims", claims, "that are cut");
    v.required("cut", cut, "all at once, or each for itself");
    v.optional("volumeGroupSnapshotClassName", group_class, "of the cut");
    v.required("atomic", atomic, "the cut is of one instant");
    v.required("allowUnguarded", allow_unguarded, "also without a guard");
  }
  /// Claims that are cut; those with logs, which are cut once more, stand after them.
  size_t volumes() const {
    return size_t(
        std::count_if(claims.begin(), claims.end(), [](auto& each) { return !each.log; }));
  }
};

/// A step of a run, as the design has it, with times.
struct Step {
  std::string name{}, error{}, started_at{}, finished_at{}, pod{};
  State state = State::Pending;
  template <class V>
  void fields(V& v) {
    v.required("name", name, "of the step");
    v.required("state", state, "Pending, Started, Completed, Error or Skipped");
    v.optional("error", error, "why it failed, or was left out");
    v.optional("pod", pod, "where a command ran");
    v.optional("startedAt", started_at, "MicroTime");
    v.optional("finishedAt", finished_at, "MicroTime");
  }
};

struct ReferenceResource {
  std::string kind = "PersistentVolumeClaim", name{}, ns{};
  std::map<std::string, std::vector<std::string>> items{};
  template <class V>
  void fields(V& v) {
    v.required("kind", kind, "of the member");
    v.required("name", name, "of the member");
    v.required("namespace", ns, "of the member");
    v.optional("items", items, "what was made for it: volume, snapshot, backup, …");
  }
};

struct References {
  std::vector<ReferenceResource> resources{};
  template <class V>
  void fields(V& v) {
    v.optional("resources", resources, "one per claim");
  }
};

struct RunStatus {
  std::vector<Step> running{}, last{};
  References references{};
  std::string started{}, stopped{};
  template <class V>
  void fields(V& v) {
    v.optional("running", running, "steps of the run under way");
    v.optional("last", last, "steps of the run that is over");
    v.optional("references", references, "what it made");
    v.optional("started", started, "when it began", {.format = "date-time"});
    v.optional("stopped", stopped, "when it ended", {.format = "date-time"});
  }
};

enum class Consistency { Application, Crash, Unknown };
constexpr auto words(Consistency) {
  return std::array{std::pair{Consistency::Application, "Application"},
                    std::pair{Consistency::Crash, "Crash"},
                    std::pair{Consistency::Unknown, "Unknown"}};
}

}  // namespace holdfast::drivers::volumegroup
