/// VolumeGroupAction: one run over a VolumeGroup.
#pragma once

#include <holdfast/drivers/volumegroup/volume_group_run.h>
#include <holdfast/protect/cut/filling.h>

namespace holdfast::drivers::volumegroup {

struct VolumeGroupAction {
  static constexpr model::Kind kKind{"longhorn.io", "v1beta2", "VolumeGroupAction"};

  enum class Deletion { Delete, Retain };

  using Restore = protect::RestoreOptions;
  /// A backup that is known from the repository alone.
  struct Source {
    std::optional<protect::Reference> location{};
    std::string group{}, ns{}, id{}, before{};
    template <class V>
    void fields(V& v) {
      v.optional("location", location, "BackupLocation; absent: the default one");
      v.required("group", group, "NAMESPACE/NAME of the group that was backed up");
      v.optional("namespace", ns,
                 "repository that holds the backup: NAMESPACE, or ADMINS.NAMESPACE; empty: this "
                 "namespace's; another one only for admins. NAMESPACE alone, of a group of another "
                 "namespace ADMINS: ADMINS.NAMESPACE is searched first");
      v.optional("id", id, "uid of the action that made the backup; empty: the newest backup");
      v.optional("before", before, "latest time of the backup: the newest one up to it is taken",
                 {.format = "date-time"});
    }
  };
  /// Read once: an action goes by it to its end, whatever becomes of its spec.
  struct Asked {
    static constexpr model::FieldLimits kFixed{.immutable = true};
    std::string group{};
    GroupAction action = GroupAction::Snapshot;
    bool dry_run = false;
    std::vector<std::string> members{};
    std::optional<Source> source{};
    template <class V>
    void fields(V& v) {
      v.optional("volumeGroup", group, "name of the VolumeGroup, in the same namespace", kFixed);
      v.required("action", action, "operation: snapshot or backup", kFixed);
      v.defaulted("dryRun", dry_run, false,
                  "true: check members, containers, rights and commands, and do nothing", kFixed);
      v.optional("members", members, "names of the claims to include; empty: all of the group",
                 kFixed);
      v.optional("source", source,
                 "existing backup in a repository, to restore from, in place of a run", kFixed);
    }
  };
  struct Spec : Asked {
    std::optional<Restore> restore{};
    std::optional<Deletion> deletion_policy{};
    template <class V>
    void fields(V& v) {
      Asked::fields(v);
      v.optional("restore", restore, "options of a restore; read when the label is set");
      v.optional("deletionPolicy", deletion_policy,
                 "policy for snapshots and backups when this object is deleted; default: snapshots "
                 "are deleted, backups stay");
    }
  } spec{};

  struct Status {
    std::optional<State> state{};
    std::optional<Asked> asked{};
    std::string started{}, stopped{};
    std::optional<Consistency> consistency{};
    std::string consistency_reason{}, consistency_message{};
    std::optional<Inputs> inputs{};
    std::optional<RunStatus> triggered{}, restored{};
    std::vector<protect::Owed> owed{};
    std::optional<int64_t> restores{};
    std::string restoring{}, catalogue{};
    std::optional<Restore> restore{};
    std::vector<control::OperationRecord> operations{};
    std::vector<model::Condition> conditions{};
    template <class V>
    void fields(V& v) {
      v.optional("state", state, "Pending, Started, Restoring, Completed or Error");
      v.optional("asked", asked,
                 "copy of the spec fields read at the start; later edits are ignored");
      v.optional("started", started, "start of the run", {.format = "date-time"});
      v.optional("stopped", stopped, "end of the last run, revert or restore",
                 {.format = "date-time"});
      v.optional("consistency", consistency, "consistency of the cut");
      v.optional("consistencyReason", consistency_reason, "reason of the verdict, in one word");
      v.optional("consistencyMessage", consistency_message, "explanation of the verdict");
      v.optional("inputs", inputs, "inputs recorded at the start: members, pods, commands");
      v.optional("triggered", triggered, "snapshot or backup run");
      v.optional("restored", restored, "last revert or restore");
      v.optional("owed", owed, "post actions that still have to run");
      v.optional("restores", restores, "number of reverts and restores begun");
      v.optional("restoring", restoring, "running operation: revert or restore");
      v.optional("restore", restore, "copy of spec.restore, read when the restore began");
      v.optional("catalogue", catalogue, "id of the repository's snapshot that lists the backup");
      v.optional("operations", operations, "journal of effects outside the API server");
      v.optional("conditions", conditions, "conditions of the action");
    }
  } status{};
};

constexpr auto words(VolumeGroupAction::Deletion) {
  using Deletion = VolumeGroupAction::Deletion;
  return std::array{std::pair{Deletion::Delete, "Delete"}, std::pair{Deletion::Retain, "Retain"}};
}

/// The label that asks for an operation: the design's, and ours.
inline constexpr std::string_view kTrigger = "longhornio.volume-group-action";
inline constexpr std::string_view kTriggerAlias = "holdfast.dev/volume-group-action";
/// An annotation that makes a trigger its own, so that the same wish can be made twice in a row.
inline constexpr std::string_view kRequestId = "holdfast.dev/request-id";
/// On an action: the name of its group.
inline constexpr std::string_view kGroupLabel = "holdfast.dev/volume-group";
/// On what an action makes: its uid.
inline constexpr std::string_view kActionLabel = "holdfast.dev/volume-group-action-uid";

}  // namespace holdfast::drivers::volumegroup
