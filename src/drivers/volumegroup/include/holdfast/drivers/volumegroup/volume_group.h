/// VolumeGroup: volumes that belong to one application, and how the application is quiesced while
/// they are cut. The design's own fields stand as it has them.
#pragma once

#include <holdfast/protect/cut/members.h>
#include <holdfast/protect/retention.h>
#include <holdfast/protect/schedule.h>
#include <holdfast/protect/steps.h>

namespace holdfast::drivers::volumegroup {

using protect::Quiescing;
using State = protect::RunState;

struct Backing : Quiescing {
  std::optional<protect::Reference> location{};
  template <class V>
  void fields(V& v) {
    Quiescing::fields(v);
    v.optional("location", location, "BackupLocation; absent: the default one");
  }
};

/// Which operation a label or a schedule asks for.
enum class GroupAction { Snapshot, Backup };
constexpr auto words(GroupAction) {
  return std::array{std::pair{GroupAction::Snapshot, "snapshot"},
                    std::pair{GroupAction::Backup, "backup"}};
}

struct VolumeGroup {
  static constexpr model::Kind kKind{"longhorn.io", "v1beta2", "VolumeGroup"};

  struct Schedule : protect::CronSchedule {
    GroupAction action = GroupAction::Snapshot;
    template <class V>
    void fields(V& v) {
      v.required("action", action, "operation: snapshot or backup");
      CronSchedule::fields(v);
    }
  };
  struct Retention {
    protect::RetentionPolicy snapshot{}, backup{};
    template <class V>
    void fields(V& v) {
      v.optional("snapshot", snapshot, "retention of snapshots");
      v.optional("backup", backup,
                 "retention of backups; what expires is removed from the repository too");
    }
  };
  struct Spec {
    protect::Members group{};
    Quiescing snapshot{};
    Backing backup{};
    std::vector<Schedule> schedules{};
    Retention retention{};
    std::string snapshot_class{}, group_snapshot_class{}, account{};
    bool allow_unguarded = false;
    template <class V>
    void fields(V& v) {
      v.required("group", group, "objects whose volumes belong to the group");
      v.optional("snapshot", snapshot,
                 "profile and actions that quiesce the application for a snapshot");
      v.optional("backup", backup,
                 "profile and actions that quiesce the application for a backup, and its location");
      v.optional("schedules", schedules, "schedules of snapshots and backups");
      v.optional("retention", retention,
                 "retention of actions; the last successful one always stays");
      v.optional("volumeSnapshotClassName", snapshot_class,
                 "VolumeSnapshotClass; empty: the CSI driver's");
      v.optional("volumeGroupSnapshotClassName", group_snapshot_class,
                 "VolumeGroupSnapshotClass; empty: the CSI driver's");
      v.optional("serviceAccountName", account,
                 "ServiceAccount of the group's namespace whose rights the commands have");
      v.defaulted("allowUnguarded", allow_unguarded, false,
                  "true: quiesce also where no guard can run in the container");
    }
  } spec{};

  struct Status {
    std::optional<State> state{};
    std::string running{}, last{}, started{}, stopped{}, request{};
    std::vector<protect::ScheduleTime> schedules{};
    std::optional<int64_t> runs{};
    std::vector<model::Condition> conditions{};
    template <class V>
    void fields(V& v) {
      v.optional("state", state, "Pending, Started, Completed or Error");
      v.optional("running", running, "name of the running VolumeGroupAction");
      v.optional("last", last, "name of the VolumeGroupAction that ended last");
      v.optional("started", started, "start of the last action", {.format = "date-time"});
      v.optional("stopped", stopped, "end of the last action", {.format = "date-time"});
      v.optional("schedules", schedules, "times up to which the schedules were evaluated");
      v.optional("runs", runs, "number of actions created");
      v.optional("request", request, "request that the running action was created for");
      v.optional("conditions", conditions, "conditions of the group");
    }
  } status{};
};

}  // namespace holdfast::drivers::volumegroup
