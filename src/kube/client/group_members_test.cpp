#include <holdfast/kube/group_members.h>
#include <holdfast/model/json.h>

#include <gtest/gtest.h>

namespace holdfast::kube {
namespace {

using Told = std::map<std::string, std::string>;

model::Value value(std::string_view yaml) { return model::parse_yaml(yaml).take().value; }

TEST(GroupMembers, TheContentTellsHandlesInTheListOfItsVersion) {
  const Told told{{"s-1", "v-1"}, {"s-2", "v-2"}};
  EXPECT_EQ(volumes_told(
                value("status: {volumeSnapshotInfoList: [{volumeHandle: v-1, snapshotHandle: s-1, "
                      "creationTime: 1767225600000000000, readyToUse: true, restoreSize: 1024}, "
                      "{volumeHandle: v-2, snapshotHandle: s-2}]}")),
            told);
  EXPECT_EQ(volumes_told(value("status: {volumeSnapshotHandlePairList: [{volumeHandle: v-1, "
                               "snapshotHandle: s-1}, {volumeHandle: v-2, snapshotHandle: s-2}]}")),
            told);
  EXPECT_EQ(volumes_told(value("spec: {}")), Told());
}

TEST(GroupMembers, ASnapshotOfAClaimSaysItsContentInTheStatus) {
  EXPECT_EQ(content_of(value("{spec: {source: {persistentVolumeClaimName: data}}, status: "
                             "{boundVolumeSnapshotContentName: c-1}}")),
            "c-1");
  EXPECT_EQ(content_of(value("spec: {source: {volumeSnapshotContentName: c-2}}")), "c-2");
  EXPECT_EQ(content_of(value("spec: {source: {persistentVolumeClaimName: data}}")), "");
}

TEST(GroupMembers, AContentNamesItsVolumeOrASnapshotThatTheGroupKnows) {
  const Told told{{"s-1", "v-1"}};
  EXPECT_EQ(
      volume_of(value("{spec: {source: {volumeHandle: v-7}}, status: {snapshotHandle: s-1}}"), {}),
      "v-7");
  EXPECT_EQ(volume_of(value("spec: {source: {snapshotHandle: s-1}}"), told), "v-1");
  EXPECT_EQ(volume_of(value("status: {snapshotHandle: s-1}"), told), "v-1");
  EXPECT_EQ(volume_of(value("spec: {source: {snapshotHandle: s-9}}"), told), "");
  EXPECT_EQ(volume_of(value("spec: {}"), told), "");
}

TEST(GroupMembers, AContentOfAnotherSnapshotIsNotItsOwn) {
  const model::Value snapshot = value("metadata: {uid: u-1}");
  EXPECT_TRUE(is_bound_to(value("spec: {volumeSnapshotRef: {uid: u-1}}"), snapshot));
  EXPECT_FALSE(is_bound_to(value("spec: {volumeSnapshotRef: {uid: u-2}}"), snapshot));
  EXPECT_FALSE(is_bound_to(value("spec: {volumeSnapshotRef: {name: cut}}"), snapshot));
}

}  // namespace
}  // namespace holdfast::kube
