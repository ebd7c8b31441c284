// Group snapshots on the embedded server: one cut of all members on btrfs, a reason elsewhere.
#include <holdfast/base/files.h>
#include <holdfast/kube/group_kinds.h>

#include "cluster.h"
#include "volume-cuts/mounts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

namespace holdfast::suite {
namespace {

using kube::kClaims;
using model::string_at;

void take(Cluster& cluster, const std::string& name, const std::string& selector,
          const kube::Resource& groups = kube::kGroupSnapshots) {
  cluster.create(groups, fmt::format("{{apiVersion: {}, kind: "
                                     "VolumeGroupSnapshot, metadata: {{namespace: default, name: "
                                     "{}}}, spec: {{source: {{selector: {{{}}}}}}}}}",
                                     groups.api_version(), name, selector));
  cluster.settle();
}

std::string error(Cluster& cluster, const std::string& name) {
  return std::string(
      string_at(cluster.get(kube::kGroupSnapshots, name), {"status", "error", "message"}));
}

/// From now on the server has the kinds of groups in this version alone.
void serve_only(Cluster& cluster, std::string_view version) {
  const kube::GroupKinds kinds;
  for (const kube::Resource& each : {kinds.snapshots, kinds.contents, kinds.classes}) {
    const std::string name = fmt::format("{}.{}", each.plural, each.group);
    model::Value found = cluster.get(kube::kDefinitions, name);
    model::Value* versions = model::find(found, {"spec", "versions"});
    ASSERT_NE(versions, nullptr);
    for (model::Value& one : versions->as_array())
      one.as_object()["served"] = string_at(one, {"name"}) == version;
    cluster.patch(kube::kDefinitions, name,
                  model::to_json(model::Object{{"spec", model::Object{{"versions", *versions}}}}));
  }
}

bool ready(const model::Value& object) {
  return model::bool_at(object, {"status", "readyToUse"}, false);
}

TEST(RefusedGroups, SayWhyAndWhatToDo) {
  const Folder folder;
  Cluster cluster(folder.path(), "copy");
  cluster.claim("a", "", "app: db");

  take(cluster, "g", "matchLabels: {app: db}");

  EXPECT_FALSE(ready(cluster.get(kube::kGroupSnapshots, "g")));
  EXPECT_NE(error(cluster, "g").find("provider copy of node n1 cannot cut several volumes"),
            std::string::npos)
      << error(cluster, "g");
  EXPECT_NE(error(cluster, "g").find("one VolumeSnapshot per claim"), std::string::npos);
  EXPECT_TRUE(cluster.list(kube::kVolumeSnapshots).empty());
  cluster.remove(kube::kGroupSnapshots, "g");
  cluster.settle();
  EXPECT_TRUE(cluster.get(kube::kGroupSnapshots, "g").is_null());
  EXPECT_TRUE(cluster.list(kube::kGroupSnapshotContents).empty());
}

class GroupSnapshots : public testing::Test {
 protected:
  void SetUp() override {
    if (!mounted_.missing().empty()) GTEST_SKIP() << mounted_.missing();
    cluster_ = std::make_unique<Cluster>(mounted_.path(), "btrfs");
    for (const char* name : {"a", "b", "c"}) {
      cluster_->claim(name, "", fmt::format("app: db, part: {}", name));
      write(name, fmt::format("{} before", name));
    }
  }
  void write(const std::string& claim, std::string_view text) {
    ASSERT_TRUE(write_file(cluster_->path_of(claim) / "file", text, 0644));
  }
  std::string read(const std::string& claim) {
    auto text = read_file(cluster_->path_of(claim) / "file");
    return text ? text.take() : "(none)";
  }
  size_t cuts() {
    const std::filesystem::path cuts = mounted_.path() / "volumes/cuts";
    return size_t(std::distance(std::filesystem::directory_iterator(cuts),
                                std::filesystem::directory_iterator()));
  }
  /// The member that was cut of that claim's volume.
  std::string member_of(const std::string& claim) {
    const std::string volume(string_at(cluster_->get(kClaims, claim), {"spec", "volumeName"}));
    for (const model::Value& content : cluster_->list(kube::kVolumeSnapshotContents))
      if (string_at(content, {"spec", "source", "snapshotHandle"}).ends_with("/" + volume))
        return std::string(string_at(content, {"spec", "volumeSnapshotRef", "name"}));
    return "";
  }

  Mounted mounted_{"btrfs"};
  std::unique_ptr<Cluster> cluster_;
};

TEST_F(GroupSnapshots, CutAllMembersAtOnceAndEachCanBeRestored) {
  take(*cluster_, "g", "matchLabels: {app: db}");
  for (const char* name : {"a", "b", "c"}) write(name, "after");

  const model::Value group = cluster_->get(kube::kGroupSnapshots, "g");
  ASSERT_TRUE(ready(group)) << model::to_json(group);
  EXPECT_EQ(string_at(group, {"status", "boundVolumeGroupSnapshotContentName"}),
            "groupsnapcontent-" + std::string(string_at(group, {"metadata", "uid"})));
  const std::vector<model::Value> members = cluster_->list(kube::kVolumeSnapshots);
  ASSERT_EQ(members.size(), 3U);
  std::set<std::string> times;
  for (const model::Value& member : members) {
    EXPECT_TRUE(ready(member));
    EXPECT_TRUE(string_at(member, {"metadata", "name"}).starts_with("snap-"));
    EXPECT_EQ(string_at(member, {"status", "volumeGroupSnapshotName"}), "g");
    times.insert(std::string(string_at(member, {"status", "creationTime"})));
  }
  EXPECT_EQ(times, std::set{std::string(string_at(group, {"status", "creationTime"}))});
  EXPECT_EQ(cuts(), 1U) << "one instant";

  for (const std::string name : {"a", "b", "c"}) {
    cluster_->claim("restored-" + name,
                    fmt::format("dataSource: {{apiGroup: snapshot.storage.k8s.io, kind: "
                                "VolumeSnapshot, name: {}}}",
                                member_of(name)));
    EXPECT_EQ(read("restored-" + name), name + " before");
  }
}

TEST_F(GroupSnapshots, TakeExpressionsOfTheSelectorAtTheirWord) {
  take(*cluster_, "g", "matchExpressions: [{key: part, operator: In, values: [a, b]}]");

  ASSERT_TRUE(ready(cluster_->get(kube::kGroupSnapshots, "g"))) << error(*cluster_, "g");
  EXPECT_EQ(cluster_->list(kube::kVolumeSnapshots).size(), 2U);
  EXPECT_EQ(member_of("c"), "");
}

TEST_F(GroupSnapshots, AreTheSameForClientsOfOlderVersions) {
  take(*cluster_, "g", "matchLabels: {app: db}", kube::kinds_in("v1beta2").snapshots);

  for (const char* version : {"v1", "v1beta2", "v1beta1"}) {
    const kube::GroupKinds kinds = kube::kinds_in(version);
    EXPECT_TRUE(ready(cluster_->get(kinds.snapshots, "g"))) << version;
    const std::vector<model::Value> contents = cluster_->list(kinds.contents);
    ASSERT_EQ(contents.size(), 1U) << version;
    const char* list = std::string_view(version) == "v1beta1" ? "volumeSnapshotHandlePairList"
                                                              : "volumeSnapshotInfoList";
    EXPECT_EQ(model::array_at(contents.front(), {"status", list}).size(), 3U) << version;
  }
}

TEST_F(GroupSnapshots, AreCutInTheOneVersionThatTheServerHas) {
  for (const char* version : {"v1beta1", "v1beta2"}) {
    const kube::GroupKinds kinds = kube::kinds_in(version);
    serve_only(*cluster_, version);
    cluster_->restart();
    take(*cluster_, "g", "matchLabels: {app: db}", kinds.snapshots);

    const model::Value group = cluster_->get(kinds.snapshots, "g");
    ASSERT_TRUE(ready(group)) << model::to_json(group);
    EXPECT_EQ(cuts(), 1U) << version;
    const std::vector<model::Value> members = cluster_->list(kube::kVolumeSnapshots);
    ASSERT_EQ(members.size(), 3U);
    EXPECT_EQ(model::meta_of(members.front()).owners.front().api_version,
              kinds.snapshots.api_version());

    cluster_->remove(kinds.snapshots, "g");
    cluster_->settle();
    EXPECT_TRUE(cluster_->list(kube::kVolumeSnapshots).empty()) << version;
    EXPECT_TRUE(cluster_->list(kinds.contents).empty()) << version;
    EXPECT_EQ(cuts(), 0U) << version;
  }
}

TEST_F(GroupSnapshots, GoWithAllTheirMembers) {
  take(*cluster_, "g", "matchLabels: {app: db}");
  ASSERT_EQ(cuts(), 1U);

  cluster_->remove(kube::kGroupSnapshots, "g");
  cluster_->settle();

  EXPECT_TRUE(cluster_->get(kube::kGroupSnapshots, "g").is_null());
  EXPECT_TRUE(cluster_->list(kube::kVolumeSnapshots).empty());
  EXPECT_TRUE(cluster_->list(kube::kVolumeSnapshotContents).empty());
  EXPECT_TRUE(cluster_->list(kube::kGroupSnapshotContents).empty());
  EXPECT_EQ(cuts(), 0U);
}

TEST_F(GroupSnapshots, AMemberCannotGoAlone) {
  take(*cluster_, "g", "matchLabels: {app: db}");
  const std::string member = member_of("a");

  cluster_->remove(kube::kVolumeSnapshots, member);
  cluster_->settle();

  EXPECT_FALSE(cluster_->get(kube::kVolumeSnapshots, member).is_null());
  EXPECT_TRUE(cluster_->has_event(member, "SnapshotDeletePending"));
  EXPECT_EQ(cuts(), 1U);
}

TEST_F(GroupSnapshots, ThatMatchNothingSaySo) {
  take(*cluster_, "g", "matchLabels: {app: nobody}");

  EXPECT_NE(error(*cluster_, "g").find("no claim of the namespace matches"), std::string::npos)
      << error(*cluster_, "g");
}

TEST_F(GroupSnapshots, AreCutOnceWhateverDiesMeanwhile) {
  cluster_->cut_before([](const net::Call& call) {
    return call.method == "PATCH" &&
           call.target.find("volumegroupsnapshotcontents") != call.target.npos &&
           call.target.find("/status") != call.target.npos;
  });
  take(*cluster_, "g", "matchLabels: {app: db}");
  ASSERT_EQ(cuts(), 1U);
  ASSERT_FALSE(ready(cluster_->get(kube::kGroupSnapshots, "g")));
  write("a", "after");
  cluster_->cut_before({});
  cluster_->restart();
  cluster_->settle(std::chrono::seconds(60));

  ASSERT_TRUE(ready(cluster_->get(kube::kGroupSnapshots, "g"))) << error(*cluster_, "g");
  EXPECT_EQ(cuts(), 1U);
  cluster_->claim("restored", fmt::format("dataSource: {{apiGroup: snapshot.storage.k8s.io, kind: "
                                          "VolumeSnapshot, name: {}}}",
                                          member_of("a")));
  EXPECT_EQ(read("restored"), "a before");
}

}  // namespace
}  // namespace holdfast::suite
