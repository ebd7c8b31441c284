// Cells of the kinds that run pods.
#include <holdfast/base/text.h>
#include <holdfast/model/selector.h>
#include <holdfast/model/time.h>

#include "tables/cell_text.h"
#include "tables/printers.h"

namespace holdfast::apiserver {
namespace {

using model::Array;
using model::Value;

constexpr std::string_view kApps = "apps";
constexpr std::string_view kBatch = "batch";

int64_t status_count(const Value& object, std::string_view field) {
  return model::int_at(object, {"status", field}, 0);
}

int64_t wanted_replicas(const Value& object) {
  return model::int_at(object, {"spec", "replicas"}, 0);
}

std::string fraction(int64_t done, int64_t wanted) {
  return std::to_string(done) + "/" + std::to_string(wanted);
}

// The first five cells of both kinds that hold a number of equal pods.
ContainerCells replica_cells(const Value& object, WallTime now, Array& cells) {
  add_cells(cells, name_of(object), wanted_replicas(object), status_count(object, "replicas"),
            status_count(object, "readyReplicas"), age_of(object, now));
  return container_cells(object, {"spec", "template", "spec", "containers"});
}

void replication_controller(const Value& object, WallTime now, Array& cells) {
  const ContainerCells containers = replica_cells(object, now, cells);
  add_cells(cells, containers.names, containers.images,
            labels_text(model::object_at(object, {"spec", "selector"})));
}

void replica_set(const Value& object, WallTime now, Array& cells) {
  const ContainerCells containers = replica_cells(object, now, cells);
  add_cells(cells, containers.names, containers.images,
            selector_text(model::find(object, {"spec", "selector"})));
}

// Unlike elsewhere, a selector that says nothing is an empty cell here.
std::string deployment_selector(const Value& object) {
  const Value* selector = model::find(object, {"spec", "selector"});
  if (selector == nullptr) return "";
  const Result<model::LabelSelector> parsed = model::LabelSelector::from_object(*selector);
  return parsed ? parsed->text() : "<invalid>";
}

void deployment(const Value& object, WallTime now, Array& cells) {
  const ContainerCells containers =
      container_cells(object, {"spec", "template", "spec", "containers"});
  add_cells(cells, name_of(object),
            fraction(status_count(object, "readyReplicas"), wanted_replicas(object)),
            status_count(object, "updatedReplicas"), status_count(object, "availableReplicas"),
            age_of(object, now), containers.names, containers.images, deployment_selector(object));
}

void stateful_set(const Value& object, WallTime now, Array& cells) {
  const ContainerCells containers =
      container_cells(object, {"spec", "template", "spec", "containers"});
  add_cells(cells, name_of(object),
            fraction(status_count(object, "readyReplicas"), wanted_replicas(object)),
            age_of(object, now), containers.names, containers.images);
}

void daemon_set(const Value& object, WallTime now, Array& cells) {
  const ContainerCells containers =
      container_cells(object, {"spec", "template", "spec", "containers"});
  add_cells(cells, name_of(object), status_count(object, "desiredNumberScheduled"),
            status_count(object, "currentNumberScheduled"), status_count(object, "numberReady"),
            status_count(object, "updatedNumberScheduled"), status_count(object, "numberAvailable"),
            labels_text(model::object_at(object, {"spec", "template", "spec", "nodeSelector"})),
            age_of(object, now), containers.names, containers.images,
            selector_text(model::find(object, {"spec", "selector"})));
}

// "statefulset.apps/db": the owner that controls the revision.
std::string controller_cell(const Value& object) {
  for (const Value& owner : model::array_at(object, {"metadata", "ownerReferences"})) {
    if (!model::bool_at(owner, {"controller"}, false)) continue;
    const std::string_view version = model::string_at(owner, {"apiVersion"});
    const size_t slash = version.find('/');
    std::string kind(model::string_at(owner, {"kind"}));
    if (slash != std::string_view::npos) kind += "." + std::string(version.substr(0, slash));
    return to_lower(kind) + "/" + std::string(model::string_at(owner, {"name"}));
  }
  return "<none>";
}

void controller_revision(const Value& object, WallTime now, Array& cells) {
  add_cells(cells, name_of(object), controller_cell(object), model::int_at(object, {"revision"}, 0),
            age_of(object, now));
}

std::string job_status(const Value& object) {
  if (condition_true(object, "Complete")) return "Complete";
  if (condition_true(object, "Failed")) return "Failed";
  if (being_deleted(object)) return "Terminating";
  if (condition_true(object, "Suspended")) return "Suspended";
  if (condition_true(object, "FailureTarget")) return "FailureTarget";
  if (condition_true(object, "SuccessCriteriaMet")) return "SuccessCriteriaMet";
  return "Running";
}

std::string job_completions(const Value& object) {
  const int64_t succeeded = status_count(object, "succeeded");
  const Value* wanted = model::find(object, {"spec", "completions"});
  if (wanted != nullptr && wanted->is_number())
    return fraction(succeeded, model::int_at(object, {"spec", "completions"}, 0));
  const int64_t parallelism = model::int_at(object, {"spec", "parallelism"}, 0);
  const std::string one = fraction(succeeded, 1);
  return parallelism > 1 ? one + " of " + std::to_string(parallelism) : one;
}

std::string job_duration(const Value& object, WallTime now) {
  const auto start = model::parse_rfc3339(model::string_at(object, {"status", "startTime"}));
  if (!start) return "";
  const auto end = model::parse_rfc3339(model::string_at(object, {"status", "completionTime"}));
  return model::human_duration(end.value_or(now) - *start);
}

void job(const Value& object, WallTime now, Array& cells) {
  const ContainerCells containers =
      container_cells(object, {"spec", "template", "spec", "containers"});
  add_cells(cells, name_of(object), job_status(object), job_completions(object),
            job_duration(object, now), age_of(object, now), containers.names, containers.images,
            selector_text(model::find(object, {"spec", "selector"})));
}

// The column says boolean, the cell is a text: so the real server has it.
std::string_view suspend_cell(const Value& object) {
  const Value* suspend = model::find(object, {"spec", "suspend"});
  if (suspend == nullptr || !suspend->is_bool()) return "<unset>";
  return suspend->get_bool() ? "True" : "False";
}

void cron_job(const Value& object, WallTime now, Array& cells) {
  const std::string_view last = model::string_at(object, {"status", "lastScheduleTime"});
  const ContainerCells containers =
      container_cells(object, {"spec", "jobTemplate", "spec", "template", "spec", "containers"});
  add_cells(cells, name_of(object), model::string_at(object, {"spec", "schedule"}),
            text_at(object, {"spec", "timeZone"}, "<none>"), suspend_cell(object),
            count_at(object, {"status", "active"}), last.empty() ? "<none>" : age(last, now),
            age_of(object, now), containers.names, containers.images,
            selector_text(model::find(object, {"spec", "jobTemplate", "spec", "selector"})));
}

const std::vector<Column> kReplicaColumns = {kNameColumn,
                                             integer_column("Desired"),
                                             integer_column("Current"),
                                             integer_column("Ready"),
                                             kAgeColumn,
                                             kContainersColumn,
                                             kImagesColumn,
                                             kSelectorColumn};
const std::vector<Column> kDeploymentColumns = {kNameColumn,   {"Ready"},      {"Up-to-date"},
                                                {"Available"}, kAgeColumn,     kContainersColumn,
                                                kImagesColumn, kSelectorColumn};
const std::vector<Column> kDaemonSetColumns = {kNameColumn,
                                               integer_column("Desired"),
                                               integer_column("Current"),
                                               integer_column("Ready"),
                                               integer_column("Up-to-date"),
                                               integer_column("Available"),
                                               {"Node Selector"},
                                               kAgeColumn,
                                               kContainersColumn,
                                               kImagesColumn,
                                               kSelectorColumn};
const std::vector<Column> kJobColumns = {kNameColumn,   {"Status"},     {"Completions"},
                                         {"Duration"},  kAgeColumn,     kContainersColumn,
                                         kImagesColumn, kSelectorColumn};
const std::vector<Column> kCronJobColumns = {kNameColumn,
                                             {"Schedule"},
                                             {"Timezone"},
                                             boolean_column("Suspend"),
                                             integer_column("Active"),
                                             {"Last Schedule"},
                                             kAgeColumn,
                                             kContainersColumn,
                                             kImagesColumn,
                                             kSelectorColumn};

}  // namespace

void add_workload_printers(Printers& printers) {
  printers.push_back({"", "ReplicationController", kReplicaColumns, replication_controller});
  printers.push_back({kApps, "ReplicaSet", kReplicaColumns, replica_set});
  printers.push_back({kApps, "Deployment", kDeploymentColumns, deployment});
  printers.push_back({kApps, "DaemonSet", kDaemonSetColumns, daemon_set});
  printers.push_back({kApps,
                      "StatefulSet",
                      {kNameColumn, {"Ready"}, kAgeColumn, kContainersColumn, kImagesColumn},
                      stateful_set});
  printers.push_back({kApps,
                      "ControllerRevision",
                      {kNameColumn, {"Controller"}, {"Revision"}, kAgeColumn},
                      controller_revision});
  printers.push_back({kBatch, "Job", kJobColumns, job});
  printers.push_back({kBatch, "CronJob", kCronJobColumns, cron_job});
}

}  // namespace holdfast::apiserver
