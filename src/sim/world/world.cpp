#include "world/world.h"

#include <holdfast/kube/typed.h>
#include <holdfast/protect/data_move.h>
#include <holdfast/protect/kinds.h>
#include <holdfast/protect/mover_object.h>
#include <holdfast/protect/repository.h>

#include "world/kubelet.h"
#include "world/ledger.h"
#include "world/storage.h"

#include <fmt/format.h>

namespace holdfast::sim {
namespace {

using model::Array;
using model::Object;
using model::Value;

constexpr WallTime kBeginning{std::chrono::seconds(1767225600)};  // 2026-01-01T00:00:00Z

const std::vector<kube::Resource> kFollowed = {kube::kPods,
                                               kube::kServices,
                                               kube::kEndpoints,
                                               kube::kEndpointSlices,
                                               kube::kClaims,
                                               kube::kReplicaSets,
                                               kube::kDeployments,
                                               kube::kStatefulSets,
                                               kube::kRevisions,
                                               kube::kJobs,
                                               kube::kSecrets,
                                               kLedgers,
                                               kube::kVolumes,
                                               kube::kVolumeSnapshots,
                                               kube::kVolumeSnapshotContents,
                                               kube::resource_of<protect::DataMove>(),
                                               kube::resource_of<protect::Mover>(),
                                               kube::resource_of<protect::BackupLocation>(),
                                               kube::resource_of<protect::Repository>(),
                                               group_kinds().snapshots};

constexpr std::string_view kBindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";

/// Edits that a server refuses by the definitions' own rules reach controllers here: there are
/// clusters whose definitions are older.
void drop_rules(Value& part) {
  if (part.is_array())
    for (Value& each : part.get_array()) drop_rules(each);
  if (!part.is_object()) return;
  part.get_object().erase("x-kubernetes-validations");
  for (auto& each : part.get_object()) drop_rules(each.value());
}

Value node(std::string_view name) {
  return Object{{"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", Object{{"name", name}}}};
}

Value namespace_of(std::string_view name) {
  return Object{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", Object{{"name", name}}}};
}

Value snapshot_class(const kube::Resource& resource) {
  return Object{{"apiVersion", resource.api_version()},
                {"kind", resource.kind},
                {"metadata", Object{{"name", "sim"}}},
                {"driver", "sim"},
                {"deletionPolicy", "Delete"}};
}

Value binding() {
  return Object{{"apiVersion", "rbac.authorization.k8s.io/v1"},
                {"kind", "ClusterRoleBinding"},
                {"metadata", Object{{"name", kOperator}}},
                {"roleRef", Object{{"apiGroup", "rbac.authorization.k8s.io"},
                                   {"kind", "ClusterRole"},
                                   {"name", "cluster-admin"}}},
                {"subjects", Array{Object{{"kind", "User"},
                                          {"apiGroup", "rbac.authorization.k8s.io"},
                                          {"name", kOperator}}}}};
}

}  // namespace

World::World() : clock(kBeginning) {}

Result<std::unique_ptr<World>> World::make(Models models) {
  auto world = std::make_unique<World>();
  world->models = std::move(models);
  world->server = HF_TRY(Server::make(world->clock, world->random));
  world->settle();
  const Caller admin = administrator("world");
  for (const std::string_view name : kNodes)
    HF_TRY(world->server->ask(admin, "POST", "/api/v1/nodes", node(name)));
  HF_TRY(world->server->ask(admin, "POST", "/api/v1/namespaces", namespace_of("admins")));
  std::vector<Value> definitions = protect::definitions();
  std::vector<kube::Resource> followed = kFollowed;
  for (const DriverModel& model : world->models) {
    for (const Value& each : model.driver.definitions) definitions.push_back(each);
    followed.insert(followed.end(), model.followed.begin(), model.followed.end());
  }
  for (Value& each : snapshot_definitions()) definitions.push_back(std::move(each));
  definitions.push_back(ledger_definition());
  for (Value& each : definitions) {
    drop_rules(each);
    HF_TRY(world->server->ask(admin, "POST",
                              "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", each));
  }
  world->settle();
  HF_TRY(world->server->ask(admin, "POST", kube::kStorageClasses.path("", ""),
                            Object{{"apiVersion", kube::kStorageClasses.api_version()},
                                   {"kind", kube::kStorageClasses.kind},
                                   {"metadata", Object{{"name", "sim"}}},
                                   {"provisioner", "sim"}}));
  for (const kube::Resource& each : {kube::kVolumeSnapshotClasses, group_kinds().classes})
    HF_TRY(world->server->ask(admin, "POST", each.path("", ""), snapshot_class(each)));
  world->grant();
  world->settle();
  world->history = HF_TRY(History::make(*world->server, std::move(followed)));
  return world;
}

void World::settle() {
  while (server->step()) {
  }
}

void World::grant() {
  static_cast<void>(server->ask(administrator("world"), "POST", std::string(kBindings), binding()));
}

void World::revoke() {
  static_cast<void>(server->ask(administrator("world"), "DELETE",
                                fmt::format("{}/{}", kBindings, kOperator), nullptr));
}

}  // namespace holdfast::sim
