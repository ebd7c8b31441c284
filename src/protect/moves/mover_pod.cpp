#include "moves/mover_pod.h"

#include "locations/location_mounts.h"

#include <fmt/format.h>

namespace holdfast::protect {
namespace {

using model::Array;
using model::Object;
using model::Value;

constexpr std::string_view kData = "/data";

PodMounts mounts_of(const MoveSeen& seen) {
  PodMounts out;
  const DataMove::Spec& move = seen.move.spec;
  const bool reads = move.direction == DataMove::Direction::Backup;
  out.add(
      "data", kData,
      {{"persistentVolumeClaim", Object{{"claimName", move.volume->claim}, {"readOnly", reads}}}},
      reads);
  add_location(out, seen.location->location.spec);
  return out;
}

}  // namespace

std::string mover_name(const MoveSeen& seen, int64_t attempt) {
  return control::child_name(seen.name, seen.uid, fmt::format("mover-{}", attempt));
}

MoveTask task_of(const MoveSeen& seen, int64_t attempt) {
  const DataMove::Spec& move = seen.move.spec;
  const BackupLocation::Spec& location = seen.location->location.spec;
  MoveTask task;
  task.ns = seen.ns;
  task.name = seen.name;
  task.attempt = attempt;
  task.direction = move.direction == DataMove::Direction::Backup ? "Backup" : "Restore";
  task.folder = kData;
  task.repository = repository_of(location, seen.ns);
  if (location.s3) {
    task.region = location.s3->region;
    task.ca_bundle = location.s3->ca_bundle;
    task.path_style = location.s3->force_path_style;
  }
  if (location.password) task.password_key = location.password->key;
  if (seen.location->ns != seen.ns) task.derived_for = seen.ns;
  task.snapshot = move.snapshot;
  for (const auto& [value, word] : words(DataMove::Chunking()))
    if (value == move.chunking) task.chunking = word;
  if (move.limits) task.bytes_per_second = move.limits->bytes_per_second.value_or(0);
  task.host = move.volume->claim;
  task.tags = {fmt::format("pvc={}/{}", seen.ns, move.volume->claim),
               fmt::format("dm={}", seen.uid)};
  for (int64_t earlier = 1; earlier < attempt; ++earlier)
    task.earlier_movers.push_back(mover_name(seen, earlier));
  return task;
}

Value mover_pod(const MoveSeen& seen, int64_t attempt, const MoverSettings& settings,
                const Value& owner) {
  PodMounts mounts = mounts_of(seen);
  Array command;
  for (const std::string& word : settings.command) command.emplace_back(word);
  command.emplace_back("mover");
  const Object labels{{kMoveLabel, seen.uid},
                      {kAttemptLabel, std::to_string(attempt)},
                      {"app.kubernetes.io/managed-by", "holdfast"}};
  const Object container{
      {"name", "mover"},
      {"image", settings.image},
      {"imagePullPolicy", "IfNotPresent"},
      {"command", std::move(command)},
      {"env",
       Array{Value(Object{{"name", "HOLDFAST_MOVE"}, {"value", to_text(task_of(seen, attempt))}})}},
      {"terminationMessagePolicy", "File"},
      {"volumeMounts", std::move(mounts.mounts)}};
  return Value(Object{{"apiVersion", "v1"},
                      {"kind", "Pod"},
                      {"metadata", Object{{"name", mover_name(seen, attempt)},
                                          {"namespace", seen.ns},
                                          {"labels", labels},
                                          {"ownerReferences", Array{owner}}}},
                      {"spec", Object{{"restartPolicy", "Never"},
                                      {"serviceAccountName", kMoverAccount},
                                      {"terminationGracePeriodSeconds", 30},
                                      {"containers", Array{Value(container)}},
                                      {"volumes", std::move(mounts.volumes)}}}});
}

std::vector<std::pair<kube::Resource, Value>> account_of(const std::string& ns) {
  const Object metadata{{"name", kMoverAccount},
                        {"namespace", ns},
                        {"labels", Object{{"app.kubernetes.io/managed-by", "holdfast"}}}};
  return {
      {kube::kServiceAccounts,
       Value(Object{{"apiVersion", "v1"}, {"kind", "ServiceAccount"}, {"metadata", metadata}})},
      {kRoles, Value(Object{{"apiVersion", "rbac.authorization.k8s.io/v1"},
                            {"kind", "Role"},
                            {"metadata", metadata},
                            {"rules", Array{Value(Object{{"apiGroups", Array{"holdfast.dev"}},
                                                         {"resources", Array{"datamoves"}},
                                                         {"verbs", Array{"get"}}}),
                                            Value(Object{{"apiGroups", Array{"holdfast.dev"}},
                                                         {"resources", Array{"datamoves/status"}},
                                                         {"verbs", Array{"patch"}}})}}})},
      {kRoleBindings, Value(Object{{"apiVersion", "rbac.authorization.k8s.io/v1"},
                                   {"kind", "RoleBinding"},
                                   {"metadata", metadata},
                                   {"roleRef", Object{{"apiGroup", "rbac.authorization.k8s.io"},
                                                      {"kind", "Role"},
                                                      {"name", kMoverAccount}}},
                                   {"subjects", Array{Value(Object{{"kind", "ServiceAccount"},
                                                                   {"name", kMoverAccount},
                                                                   {"namespace", ns}})}}})},
  };
}

}  // namespace holdfast::protect
