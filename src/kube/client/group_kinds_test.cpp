#include <holdfast/kube/group_kinds.h>
#include <holdfast/model/json.h>

#include "scripted_transport.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace holdfast::kube {
namespace {

using Versions = std::vector<std::string_view>;

model::Value value(std::string_view yaml) { return model::parse_yaml(yaml).take().value; }

TEST(GroupKinds, TheNewestVersionThatIsServedComesFirst) {
  EXPECT_EQ(usable_versions(value("versions: [{version: v1beta1}, {version: v1beta2}, {version: "
                                  "v1}]\npreferredVersion: {version: v1beta1}")),
            (Versions{"v1", "v1beta2", "v1beta1"}));
  EXPECT_EQ(usable_versions(value("versions: [{version: v1beta1}, {version: v1beta2}]")),
            (Versions{"v1beta2", "v1beta1"}));
}

TEST(GroupKinds, VersionsThatWeDoNotKnowAreNotUsed) {
  EXPECT_EQ(usable_versions(value("versions: [{version: v1alpha1}, {version: v2}]")), Versions());
  EXPECT_EQ(usable_versions(value("{}")), Versions());
}

TEST(GroupKinds, AVersionWithoutOneOfTheKindsIsNotWhole) {
  EXPECT_TRUE(has_all_kinds(
      value("resources: [{name: volumegroupsnapshots}, {name: volumegroupsnapshots/status}, {name: "
            "volumegroupsnapshotcontents}, {name: volumegroupsnapshotclasses}]")));
  EXPECT_FALSE(
      has_all_kinds(value("resources: [{name: volumegroupsnapshots/status}, {name: "
                          "volumegroupsnapshotcontents}, {name: volumegroupsnapshotclasses}]")));
  EXPECT_FALSE(has_all_kinds(value("{}")));
}

TEST(GroupKinds, AllAreOfTheVersionChosen) {
  const GroupKinds kinds = kinds_in(std::string("v1beta1"));
  EXPECT_EQ(kinds.snapshots.path("shop", "cut"),
            "/apis/groupsnapshot.storage.k8s.io/v1beta1/namespaces/shop/volumegroupsnapshots/cut");
  EXPECT_EQ(kinds.contents.path("", "c"),
            "/apis/groupsnapshot.storage.k8s.io/v1beta1/volumegroupsnapshotcontents/c");
  EXPECT_EQ(kinds.classes.api_version(), "groupsnapshot.storage.k8s.io/v1beta1");
  EXPECT_NE(kinds, GroupKinds());
}

struct AskedServer : testing::Test {
  ManualClock clock{WallTime(std::chrono::seconds(1'700'000'000))};
  SeededRandom random{1};
  ScriptedTransport transport;
  Client client{transport, clock, random, [](auto, const auto&) {}};

  void has(std::initializer_list<std::string_view> plurals) {
    std::string all;
    for (const std::string_view each : plurals)
      all += fmt::format(R"({}{{"name":"{}"}})", all.empty() ? "" : ",", each);
    transport.then(200, fmt::format(R"({{"resources":[{}]}})", all));
  }
};

TEST_F(AskedServer, WithoutTheGroupIsNotAskedFurther) {
  transport.then(404, "404 page not found");
  const auto found = served_group_kinds(client);
  ASSERT_TRUE(found) << found.error().what();
  EXPECT_FALSE(*found);
  EXPECT_EQ(transport.calls().size(), 1U);
}

TEST_F(AskedServer, GivesTheNewestVersionThatIsWhole) {
  transport.then(200,
                 R"({"versions":[{"version":"v1"},{"version":"v1beta2"},{"version":"v1beta1"}]})");
  has({"volumegroupsnapshotclasses"});
  has({"volumegroupsnapshots", "volumegroupsnapshotcontents", "volumegroupsnapshotclasses"});
  const auto found = served_group_kinds(client);
  ASSERT_TRUE(found) << found.error().what();
  ASSERT_TRUE(*found);
  EXPECT_EQ((*found)->snapshots.version, "v1beta2");
}

TEST_F(AskedServer, ThatRefusesIsAFailureAndNotAServerWithoutTheGroup) {
  transport.then(403, R"({"kind":"Status","code":403,"reason":"Forbidden","message":"no"})");
  EXPECT_FALSE(served_group_kinds(client));
}

}  // namespace
}  // namespace holdfast::kube
