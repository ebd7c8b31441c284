#include "data/movers.h"

#include <holdfast/kube/typed.h>
#include <holdfast/protect/mover.h>
#include <holdfast/protect/mover_object.h>

#include "data/pods_for_tests.h"
#include "oracles/goals.h"

#include <fmt/format.h>

namespace holdfast::sim {
namespace {

using model::Array;
using model::Object;
using model::string_at;
using model::Value;
using protect::DataMove;
using protect::MoveReport;
using protect::MoveTask;

const kube::Resource& moves() {
  static const kube::Resource resource = kube::resource_of<DataMove>();
  return resource;
}

const kube::Resource& movers_kind() {
  static const kube::Resource resource = kube::resource_of<protect::Mover>();
  return resource;
}

/// An application that has written as many versions as the test says.
class Writer final : public DriverPart {
 public:
  std::optional<std::string> written(const Value& pod) override {
    if (!string_at(pod, {"metadata", "labels", kMoveLabel}).empty()) return std::nullopt;
    return std::to_string(version);
  }
  int version = 1;
};

struct MoversTest : WorldOfPods {
  void SetUp() override {
    WorldOfPods::SetUp();
    auto writing = std::make_unique<Writer>();
    writer = writing.get();
    parts.push_back(std::move(writing));
    parts.push_back(
        make_movers(*world->server, *world->history, *network, world->clock, storage->volumes()));
    create(kube::kServiceAccounts, "metadata: {name: mover}");
  }
  void create(const kube::Resource& resource, const std::string& yaml) {
    const auto parsed = model::parse_yaml(
        fmt::format("apiVersion: {}\nkind: {}\n{}", resource.api_version(), resource.kind, yaml));
    ASSERT_TRUE(parsed) << parsed.error().what();
    send("POST", resource.path(resource.namespaced ? kNamespace : "", ""), parsed->value);
  }
  void create_claim(const std::string& name, const std::string& snapshot = "") {
    create(kube::kClaims,
           fmt::format("metadata: {{name: {}}}\nspec: {{accessModes: [ReadWriteOnce], "
                       "resources: {{requests: {{storage: 1Gi}}}}{}}}",
                       name,
                       snapshot.empty() ? ""
                                        : ", dataSource: {apiGroup: snapshot.storage.k8s.io, kind: "
                                          "VolumeSnapshot, name: " +
                                              snapshot + "}"));
  }
  /// A pod that mounts the claim; a mover if it is told something.
  void create_pod(const std::string& name, const std::string& claim, const Object& labels,
                  const std::string& told) {
    send(
        "POST", kube::kPods.path(kNamespace, ""),
        Object{{"apiVersion", "v1"},
               {"kind", "Pod"},
               {"metadata", Object{{"name", name},
                                   {"labels", labels},
                                   {"annotations", Object{{"sim.holdfast.dev/volumes", "yes"}}}}},
               {"spec",
                Object{{"restartPolicy", "Never"},
                       {"serviceAccountName", told.empty() ? "default" : "mover"},
                       {"containers", Array{Object{{"name", "main"},
                                                   {"image", "i"},
                                                   {"env", Array{Object{{"name", "HOLDFAST_MOVE"},
                                                                        {"value", told}}}}}}},
                       {"volumes",
                        Array{Object{{"name", "data"},
                                     {"persistentVolumeClaim", Object{{"claimName", claim}}}}}}}}});
  }
  /// What the mover with this task says in the end.
  MoveReport move(MoveTask task, const std::string& claim = "data") {
    task.ns = task.mover_ns = kNamespace;
    task.mover = task.name;
    task.access.repository = "s3:somewhere";
    task.access.may_init = true;
    const std::string name = fmt::format("mover-{}", ++movers);
    create_pod(name, claim, {{kMoveLabel, "uid"}}, protect::to_text(task));
    play();
    return report_of(name);
  }
  MoveReport report_of(const std::string& mover) {
    const ObjectPtr pod = world->history->get("pods", kNamespace, mover);
    for (const Value& each : model::array_at(*pod, {"status", "containerStatuses"})) {
      auto report = protect::parse_move_report(string_at(each, {"state", "terminated", "message"}));
      if (report) return std::move(*report);
    }
    return {.message = "it has not ended"};
  }
  Value status_of(const std::string& name) const {
    const Value* status =
        model::find(*world->history->get(movers_kind().plural, kNamespace, name), {"status"});
    return status == nullptr ? Value() : *status;
  }
  /// As the controller of moves gives it to the account of a mover.
  void grant() {
    create(kube::kRoles,
           "metadata: {name: mover}\nrules: [{apiGroups: [holdfast.dev], resources: "
           "[movers/status], verbs: [patch]}]");
    create(kube::kRoleBindings,
           "metadata: {name: mover}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: "
           "Role, name: mover}\nsubjects: [{kind: ServiceAccount, name: mover, "
           "namespace: default}]");
  }
  std::string on(const std::string& claim) {
    return storage->volumes().on({std::string(kNamespace), claim});
  }

  Writer* writer = nullptr;
  int movers = 0;
};

TEST_F(MoversTest, ACutHoldsWhatWasWrittenAtItsMoment) {
  create_claim("data");
  create_pod("app", "data", {}, "");
  play();
  create(kube::kVolumeSnapshots,
         "metadata: {name: cut}\nspec: {source: {persistentVolumeClaimName: data}}");
  play();
  writer->version = 2;
  create(kube::kVolumeSnapshots,
         "metadata: {name: later}\nspec: {source: {persistentVolumeClaimName: data}}");
  play();

  create_claim("of-cut", "cut");
  create_claim("of-later", "later");
  storage->provide({std::string(kNamespace), "of-cut"});
  storage->provide({std::string(kNamespace), "of-later"});

  EXPECT_EQ(on("of-cut"), "data: 1");
  EXPECT_EQ(on("of-later"), "data: 2");
}

TEST_F(MoversTest, AClaimWaitsForTheSnapshotThatItIsMadeOf) {
  create_claim("data", "cut");

  EXPECT_FALSE(storage->provide({std::string(kNamespace), "data"}));
}

TEST_F(MoversTest, AVolumeComesBackAsItWasSaved) {
  create_claim("data");
  create_claim("back");
  create_pod("app", "data", {}, "");
  play();

  const MoveReport saved = move({.direction = "Backup"});
  writer->version = 2;
  const MoveReport restored = move({.direction = "Restore", .snapshot = saved.snapshot_id}, "back");

  EXPECT_EQ(saved.verified, "Structure");
  EXPECT_EQ(restored.verified, "Content");
  EXPECT_EQ(restored.snapshot_id, saved.snapshot_id);
  EXPECT_EQ(on("back"), "data: 1");
}

TEST_F(MoversTest, AVolumeThatHoldsDataIsNotWrittenOver) {
  create_claim("data");
  create_pod("app", "data", {}, "");
  play();
  const MoveReport saved = move({.direction = "Backup"});

  const MoveReport again = move({.direction = "Restore", .snapshot = saved.snapshot_id});

  EXPECT_EQ(again.reason, "VolumeNotEmpty");
  EXPECT_EQ(on("data"), "data: 1");
}

TEST_F(MoversTest, ABucketThatDoesNotAnswerIsAskedAgain) {
  create_claim("data");
  network->cut_off(true);

  EXPECT_EQ(move({.direction = "Backup"}).message, "it has not ended");
  network->cut_off(false);
  play();

  EXPECT_EQ(report_of("mover-1").verified, "Structure");
}

TEST_F(MoversTest, AMoverOfAMoveThatIsToFailSaysWhy) {
  create(moves(),
         "metadata: {name: m, annotations: {sim.holdfast.dev/exit: '1,0'}}\nspec: {direction: "
         "Backup, volume: {persistentVolumeClaim: data}}");
  const std::string uid(
      string_at(*world->history->get(moves().plural, kNamespace, "m"), {"metadata", "uid"}));
  create_claim("data");
  MoveTask task{.ns = std::string(kNamespace), .name = "m"};
  task.access.may_init = true;

  for (const char* attempt : {"1", "2"})
    create_pod(fmt::format("attempt-{}", attempt), "data",
               {{kMoveLabel, uid}, {"holdfast.dev/attempt", attempt}}, protect::to_text(task));
  play();

  EXPECT_EQ(report_of("attempt-1").reason, "Unavailable");
  EXPECT_TRUE(report_of("attempt-1").again);
  EXPECT_EQ(report_of("attempt-2").verified, "Structure");
}

TEST_F(MoversTest, DocumentsAreFoundUntilTheyAreForgotten) {
  for (const char* name : {"save", "find", "forget"})
    create(movers_kind(),
           fmt::format("metadata: {{name: {}}}\nspec: {{move: {{name: m}}, location: l, "
                       "repository: r, document: {{name: d, content: text}}}}",
                       name));
  create_claim("data");
  const MoveTask find{.name = "find",
                      .direction = "Restore",
                      .document = "d",
                      .find = protect::data_move::Find{.tags = {"of=me"}}};

  const MoveReport saved =
      move({.name = "save", .direction = "Backup", .tags = {"of=me"}, .document = "d"});
  EXPECT_EQ(saved.verified, "Content");
  EXPECT_NE(move(find).message, "") << "its account may not write that yet";
  grant();
  EXPECT_EQ(move(find).count, 1);
  const Value status = status_of("find");
  const Array& found = model::array_at(status, {"documents"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(string_at(found[0], {"content"}), "text");

  const MoveTask forget{.name = "forget",
                        .direction = "Forget",
                        .tags = {"of=you"},
                        .snapshots = {saved.snapshot_id}};
  EXPECT_EQ(move(forget).reason, "TagMissing");
  MoveTask ours = forget;
  ours.tags = {"of=me"};
  EXPECT_EQ(move(ours).verified, "Listing");
  EXPECT_EQ(model::array_at(status_of("forget"), {"forgotten"}).size(), 1U);
  EXPECT_EQ(move(find).count, 0);
}

TEST_F(MoversTest, ABackupIsListedOnlyIfItsVolumesAreThere) {
  create_claim("data");
  create_pod("app", "data", {}, "");
  play();
  grant();
  const MoveReport saved = move({.direction = "Backup", .tags = {"vga=1"}});
  const auto list = [&](const std::string& name, const std::string& expects) {
    create(movers_kind(),
           fmt::format("metadata: {{name: {}}}\nspec: {{move: {{name: m}}, location: l, "
                       "repository: r, document: {{name: d, content: text}}, expects: [{}]}}",
                       name, expects));
    return move({.name = name, .direction = "Backup", .document = "d"}).reason;
  };
  const std::string good = fmt::format("{{snapshotID: {}, tags: [vga=1], files: 1, bytes: {}}}",
                                       saved.snapshot_id, saved.bytes_done);

  EXPECT_EQ(list("good", good), "");
  EXPECT_EQ(list("gone", "{snapshotID: none, files: 1, bytes: 7}"), "SnapshotMissing");
  EXPECT_EQ(list("small", fmt::format("{{snapshotID: {}, files: 1, bytes: 1}}", saved.snapshot_id)),
            "SnapshotDiffers");
  EXPECT_EQ(list("other", fmt::format("{{snapshotID: {}, tags: [vga=2], files: 1, bytes: {}}}",
                                      saved.snapshot_id, saved.bytes_done)),
            "SnapshotDiffers");
}

TEST_F(MoversTest, ALaterAttemptTakesUpWhatAnEarlierOneSaved) {
  create_claim("data");
  create_pod("app", "data", {}, "");
  play();
  const MoveReport saved = move({.direction = "Backup", .tags = {"dm=1"}});

  const MoveReport again = move({.direction = "Backup",
                                 .tags = {"dm=1"},
                                 .own_tags = {"dm=1"},
                                 .earlier_movers = {"mover-1"}});

  EXPECT_EQ(again.snapshot_id, saved.snapshot_id);
}

TEST_F(MoversTest, AnotherRepositoryIsNotTakenForTheOneThatWas) {
  create_claim("data");
  MoveTask task{.direction = "Backup"};
  task.access.repository_id = "another";
  EXPECT_EQ(move(task).reason, "RepositoryChanged");
}

}  // namespace
}  // namespace holdfast::sim
