/// A group of volumes that belong to one application, and how that application is made to hold
/// still while they are cut. The design's own fields stand as it has them.
#pragma once

#include <holdfast/protect/types.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::drivers::volumegroup {

/// Which operation a label or a schedule asks for.
enum class GroupAction { Snapshot, Backup };
constexpr auto words(GroupAction) {
  return std::array{std::pair{GroupAction::Snapshot, "snapshot"},
                    std::pair{GroupAction::Backup, "backup"}};
}

enum class MemberKind {
  Pod,
  StatefulSet,
  Deployment,
  ReplicaSet,
  DaemonSet,
  PersistentVolumeClaim,
  Namespace
};
constexpr auto words(MemberKind) {
  return std::array{std::pair{MemberKind::Pod, "Pod"},
                    std::pair{MemberKind::StatefulSet, "StatefulSet"},
                    std::pair{MemberKind::Deployment, "Deployment"},
                    std::pair{MemberKind::ReplicaSet, "ReplicaSet"},
                    std::pair{MemberKind::DaemonSet, "DaemonSet"},
                    std::pair{MemberKind::PersistentVolumeClaim, "PersistentVolumeClaim"},
                    std::pair{MemberKind::Namespace, "Namespace"}};
}

enum class State { None, Pending, Started, Restoring, Completed, Error, Skipped };
constexpr auto words(State) {
  return std::array{std::pair{State::None, ""},
                    std::pair{State::Pending, "Pending"},
                    std::pair{State::Started, "Started"},
                    std::pair{State::Restoring, "Restoring"},
                    std::pair{State::Completed, "Completed"},
                    std::pair{State::Error, "Error"},
                    std::pair{State::Skipped, "Skipped"}};
}

/// One command that makes the application hold still, or go on.
struct Action {
  enum class Way { Execute, Session };
  enum class OnError { Fail, Continue };
  enum class Pods { All, One };
  std::string name{}, container{}, timeout = "30s", undo{};
  Way action = Way::Execute;
  std::vector<std::string> args{};
  OnError on_error = OnError::Fail;
  Pods pods = Pods::All;
  template <class V>
  void fields(V& v) {
    v.required("name", name, "shown as the name of its step");
    v.defaulted("action", action, Way::Execute,
                "execute: a command that ends; session: one that prints READY and holds until its "
                "input ends");
    v.required("args", args, "the command and its arguments");
    v.optional("container", container, "empty: the pod's default container, else its first");
    v.defaulted("timeout", timeout, "30s", "how long it may take");
    v.defaulted("onError", on_error, OnError::Fail, "whether the run goes on without it");
    v.defaulted("pods", pods, Pods::All, "in all pods of the group, or in the first by name");
    v.optional("undo", undo, "of a post action: the pre action after which alone it is owed");
  }
};
constexpr auto words(Action::Way) {
  return std::array{std::pair{Action::Way::Execute, "execute"},
                    std::pair{Action::Way::Session, "session"}};
}
constexpr auto words(Action::OnError) {
  return std::array{std::pair{Action::OnError::Fail, "Fail"},
                    std::pair{Action::OnError::Continue, "Continue"}};
}
constexpr auto words(Action::Pods) {
  return std::array{std::pair{Action::Pods::All, "All"}, std::pair{Action::Pods::One, "One"}};
}

/// How the application is made to hold still for one kind of operation.
struct Quiescing {
  std::string profile{}, container{};
  std::vector<Action> pre_actions{}, post_actions{};
  int64_t freeze_deadline_seconds = 10;
  int64_t lock_budget_seconds = 2;
  template <class V>
  void fields(V& v) {
    v.optional("profile", profile, "a built-in way: mariadb, mysql, postgresql, fsfreeze");
    v.optional("container", container, "of the profile; empty: the pod's default one");
    v.optional("preActions", pre_actions, "before the cut, in this order");
    v.optional("postActions", post_actions, "after it, in this order; owed once a pre was tried");
    v.defaulted("freezeDeadlineSeconds", freeze_deadline_seconds, 10,
                "by then the application goes on, whatever happened",
                {.minimum = 1, .maximum = 3600});
    v.defaulted("lockBudgetSeconds", lock_budget_seconds, 2,
                "a profile that has no lock by then gives up", {.minimum = 1, .maximum = 600});
  }
  bool empty() const { return profile.empty() && pre_actions.empty(); }
};

struct Backing : Quiescing {
  std::optional<protect::Reference> location{};
  template <class V>
  void fields(V& v) {
    Quiescing::fields(v);
    v.optional("location", location, "BackupLocation; absent: the default one");
  }
};

struct VolumeGroup {
  static constexpr model::Kind kKind{"longhorn.io", "v1beta2", "VolumeGroup"};

  struct Group {
    MemberKind kind = MemberKind::Pod;
    std::vector<std::string> names{};
    std::string ns{};
    std::optional<model::Value> selector{};
    template <class V>
    void fields(V& v) {
      v.required("kind", kind, "what is named: pods, what makes pods, claims, or a namespace");
      v.optional("names", names, "their names");
      v.optional("namespace", ns, "theirs; another than the group's own only for admins");
      v.optional("selector", selector, "label selector in place of names");
    }
  };
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
  struct Spec {
    Group group{};
    Quiescing snapshot{};
    Backing backup{};
    std::vector<Schedule> schedules{};
    std::string snapshot_class{}, group_snapshot_class{}, account{};
    bool allow_unguarded = false;
    template <class V>
    void fields(V& v) {
      v.required("group", group, "whose volumes these are");
      v.optional("snapshot", snapshot, "around a snapshot");
      v.optional("backup", backup, "around the cut of a backup");
      v.optional("schedules", schedules, "when it is done by itself");
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
