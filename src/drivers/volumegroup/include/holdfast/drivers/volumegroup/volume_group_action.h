/// VolumeGroupAction: one run over a VolumeGroup.
#pragma once

#include <holdfast/drivers/volumegroup/volume_group_run.h>

namespace holdfast::drivers::volumegroup {

struct VolumeGroupAction {
  static constexpr model::Kind kKind{"longhorn.io", "v1beta2", "VolumeGroupAction"};

  enum class Conflict { Fail, Rename, Replace };
  enum class Deletion { Delete, Retain };

  struct Restore {
    std::string ns{}, suffix{};
    Conflict conflict = Conflict::Fail;
    std::map<std::string, std::string> storage_classes{};
    template <class V>
    void fields(V& v) {
      v.optional("namespace", ns, "where claims are made; empty: where they were");
      v.defaulted("conflict", conflict, Conflict::Fail,
                  "if a claim is there already: Fail; Rename: under its name with the suffix; "
                  "Replace: in its place, its old volume is kept");
      v.optional("suffix", suffix, "of Rename; empty: -restored");
      v.optional("storageClasses", storage_classes, "classes of the backup by other names here");
    }
  };
  /// A backup that is known from the repository alone.
  struct Source {
    std::optional<protect::Reference> location{};
    std::string group{}, ns{}, id{}, before{};
    template <class V>
    void fields(V& v) {
      v.optional("location", location, "BackupLocation; absent: the default one");
      v.required("group", group, "NAMESPACE/NAME of the group that was backed up");
      v.optional("namespace", ns,
                 "whose repository holds it; empty: this one's, another only for admins");
      v.optional("id", id, "of its backup: the uid of the action; empty: the newest");
      v.optional("before", before, "the newest that is not younger", {.format = "date-time"});
    }
  };
  /// Read once: an action goes by it to its end, whatever becomes of its spec.
  struct Asked {
    std::string group{};
    GroupAction action = GroupAction::Snapshot;
    bool dry_run = false;
    std::vector<std::string> members{};
    std::optional<Source> source{};
    template <class V>
    void fields(V& v) {
      v.optional("volumeGroup", group, "name of the VolumeGroup, in the same namespace");
      v.required("action", action, "what is done");
      v.defaulted("dryRun", dry_run, false, "only look: members, containers, rights, commands");
      v.optional("members", members, "names of claims; empty: all of the group");
      v.optional("source", source, "in place of a run: a backup that a repository holds");
    }
  };
  struct Spec : Asked {
    std::optional<Restore> restore{};
    std::optional<Deletion> deletion_policy{};
    template <class V>
    void fields(V& v) {
      Asked::fields(v);
      v.optional("restore", restore, "how a restore goes; read when the label is set");
      v.optional("deletionPolicy", deletion_policy,
                 "what becomes of snapshots and backups with this object; default: snapshots are "
                 "deleted, backups stay");
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
      v.optional("started", started, "when it began", {.format = "date-time"});
      v.optional("stopped", stopped, "when it was last at rest", {.format = "date-time"});
      v.optional("consistency", consistency, "whether the cut is what the application would want");
      v.optional("consistencyReason", consistency_reason, "why, in one word");
      v.optional("consistencyMessage", consistency_message, "why");
      v.optional("inputs", inputs, "inputs recorded at the start: members, pods, commands");
      v.optional("triggered", triggered, "the run itself");
      v.optional("restored", restored, "the last revert or restore");
      v.optional("owed", owed, "post actions that are still owed");
      v.optional("restores", restores, "how often a revert or restore was begun");
      v.optional("restoring", restoring, "revert or restore, while it runs");
      v.optional("restore", restore, "spec.restore as it stood when it began");
      v.optional("catalogue", catalogue, "of a backup: the repository's snapshot that lists it");
      v.optional("operations", operations, "effects outside the API server, begun and ended");
      v.optional("conditions", conditions, "what is known of it");
    }
  } status{};
};

constexpr auto words(VolumeGroupAction::Conflict) {
  using Conflict = VolumeGroupAction::Conflict;
  return std::array{std::pair{Conflict::Fail, "Fail"}, std::pair{Conflict::Rename, "Rename"},
                    std::pair{Conflict::Replace, "Replace"}};
}
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
