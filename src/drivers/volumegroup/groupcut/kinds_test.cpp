#include "volumegroup/groupcut/kinds.h"

#include <holdfast/model/json.h>

#include <gtest/gtest.h>

namespace holdfast::drivers::volumegroup {
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

}  // namespace
}  // namespace holdfast::drivers::volumegroup
