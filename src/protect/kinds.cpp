#include <holdfast/protect/data_move.h>
#include <holdfast/protect/driver_record.h>
#include <holdfast/protect/kinds.h>
#include <holdfast/protect/mover_object.h>
#include <holdfast/protect/repository.h>

namespace holdfast::protect {

std::span<const std::pair<DataMove::Direction, const char*>> words(DataMove::Direction) {
  static constexpr std::pair<DataMove::Direction, const char*> kWords[] = {
      {DataMove::Direction::Backup, "Backup"},
      {DataMove::Direction::Restore, "Restore"},
      {DataMove::Direction::Forget, "Forget"}};
  return kWords;
}

std::span<const std::pair<DataMove::Chunking, const char*>> words(DataMove::Chunking) {
  static constexpr std::pair<DataMove::Chunking, const char*> kWords[] = {
      {DataMove::Chunking::Auto, "Auto"},
      {DataMove::Chunking::Rabin, "Rabin"},
      {DataMove::Chunking::Fixed, "Fixed"}};
  return kWords;
}

std::span<const std::pair<DataMove::Phase, const char*>> words(DataMove::Phase) {
  using Phase = DataMove::Phase;
  static constexpr std::pair<Phase, const char*> kWords[] = {{Phase::New, "New"},
                                                             {Phase::Accepted, "Accepted"},
                                                             {Phase::Prepared, "Prepared"},
                                                             {Phase::InProgress, "InProgress"},
                                                             {Phase::Canceling, "Canceling"},
                                                             {Phase::Canceled, "Canceled"},
                                                             {Phase::Completed, "Completed"},
                                                             {Phase::Failed, "Failed"}};
  return kWords;
}

bool is_internal(const model::Value& definition) {
  return !model::string_at(definition, {"metadata", "labels", kInternalLabel}).empty();
}

namespace {

/// Not for people: `holdfast rbac` puts it into no role of theirs.
model::Value internal(model::Value definition) {
  model::ensure_object(definition, {"metadata", "labels"})[kInternalLabel] = "true";
  return definition;
}

}  // namespace

std::vector<model::Value> definitions() {
  const model::Definition::Column age{"Age", "date", ".metadata.creationTimestamp"};
  return {
      model::definition_manifest<BackupLocation>(
          {.doc = "Storage for backups: a bucket, or a folder on one machine. The backups of each "
                  "namespace are encrypted with a password of their own.",
           .short_names = {"bl"},
           .categories = {"holdfast"},
           .columns = {{"Phase", "string", ".status.phase"},
                       {"Default", "boolean", ".spec.default"},
                       {"Checked", "date", ".status.lastChecked"},
                       age}}),
      model::definition_manifest<DataMove>(
          {.doc = "Transfer of data between a volume, pod or document and a repository, done by a "
                  "mover pod next to the data.",
           .short_names = {"dm"},
           .categories = {"holdfast"},
           .columns = {{"Direction", "string", ".spec.direction"},
                       {"Phase", "string", ".status.phase"},
                       {"Done", "integer", ".status.progress.bytesDone"},
                       {"Total", "integer", ".status.progress.totalBytes"},
                       {"Snapshot", "string", ".status.snapshotID", "", 1},
                       age}}),
      model::definition_manifest<DriverRecord>(
          {.doc = "Driver of the operator and its state. Created and maintained by the operator.",
           .cluster_scoped = true,
           .categories = {"holdfast"},
           .columns = {{"Running", "string", R"(.status.conditions[?(@.type=="Running")].status)"},
                       {"Reason", "string", R"(.status.conditions[?(@.type=="Running")].reason)"},
                       {"Message", "string", R"(.status.conditions[?(@.type=="Running")].message)",
                        "", 1},
                       age}}),
      internal(model::definition_manifest<Mover>(
          {.doc = "Working side of a DataMove: what its mover pods read and report. Created and "
                  "removed by the operator; only the move's own account writes its status.",
           .columns = {{"Move", "string", ".spec.move.name"},
                       {"Pod", "string", ".status.pod"},
                       {"Done", "integer", ".status.progress.bytesDone"},
                       age}})),
      model::definition_manifest<Repository>(
          {.doc = "Repository in a location, and its maintenance. Only the operator prunes it.",
           .plural = "repositories",
           .short_names = {"repo"},
           .categories = {"holdfast"},
           .columns = {{"Location", "string", ".spec.location.name"},
                       {"Size", "string", ".status.size"},
                       {"Snapshots", "integer", ".status.snapshots"},
                       {"Checked", "date", ".status.lastCheck"},
                       age}}),
  };
}

}  // namespace holdfast::protect
