/// VolumeGroup: volumes that belong to one application, and how the application is quiesced while
/// they are cut. The design's own fields stand as it has them.
#pragma once

#include <holdfast/protect/cut/members.h>
#include <holdfast/protect/retention.h>
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

  struct Schedule {
    GroupAction action = GroupAction::Snapshot;
    std::string cron{}, time_zone{};
    bool suspend = false;
    std::optional<int64_t> starting_deadline_seconds{};
    template <class V>
    void fields(V& v) {
      v.required("action", action, "what is done");
      v.required("cron", cron, "when, as CronJobs have it");
      v.optional("timeZone", time_zone, "of the expression, as Europe/Berlin; empty: UTC");
      v.defaulted("suspend", suspend, false, "true: not at all");
      v.optional("startingDeadlineSeconds", starting_deadline_seconds,
                 "one that is later than this is left out", {.minimum = 0});
    }
  };
  struct Retention {
    protect::RetentionPolicy snapshot{}, backup{};
    template <class V>
    void fields(V& v) {
      v.optional("snapshot", snapshot, "of its snapshots");
      v.optional("backup", backup, "of its backups, which leave the repository too");
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
      v.required("group", group, "whose volumes these are");
      v.optional("snapshot", snapshot, "outside a snapshot");
      v.optional("backup", backup, "outside the cut of a backup");
      v.optional("schedules", schedules, "when it is done by itself");
      v.optional("retention", retention, "which of its actions stay; the last good one always");
      v.optional("volumeSnapshotClassName", snapshot_class, "empty: the driver's");
      v.optional("volumeGroupSnapshotClassName", group_snapshot_class, "empty: the driver's");
      v.optional("serviceAccountName", account,
                 "of the group's namespace; commands run with its rights");
      v.defaulted("allowUnguarded", allow_unguarded, false,
                  "go on where no guard can stand in the container");
    }
  } spec{};

  struct Status {
    std::optional<State> state{};
    std::string running{}, last{}, started{}, stopped{}, last_scheduled{}, request{};
    std::optional<int64_t> runs{};
    std::vector<model::Condition> conditions{};
    template <class V>
    void fields(V& v) {
      v.optional("state", state, "Pending, Started, Completed or Error");
      v.optional("running", running, "VolumeGroupAction under way");
      v.optional("last", last, "VolumeGroupAction that ended last");
      v.optional("started", started, "when the last one began", {.format = "date-time"});
      v.optional("stopped", stopped, "when it ended", {.format = "date-time"});
      v.optional("lastScheduled", last_scheduled, "up to when schedules have been seen to",
                 {.format = "date-time"});
      v.optional("runs", runs, "how many actions it has made");
      v.optional("request", request, "what the running action was made for");
      v.optional("conditions", conditions, "what is known of it");
    }
  } status{};
};

}  // namespace holdfast::drivers::volumegroup
