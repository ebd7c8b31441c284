// Records of claims and pods: what is kept, and what would be wrong on another object.
#include <holdfast/protect/cut/records.h>

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

using model::Array;
using model::Object;
using model::Value;
using Texts = std::map<std::string, std::string>;

Value claim() {
  return Object{
      {"metadata",
       Object{{"namespace", "shop"},
              {"name", "data"},
              {"uid", "c-1"},
              {"labels", Object{{"app", "db"}, {"cut.holdfast.dev/1f", "true"}}},
              {"annotations", Object{{"team", "orders"},
                                     {"pv.kubernetes.io/bind-completed", "yes"},
                                     {"volume.kubernetes.io/selected-node", "n1"},
                                     {"kubectl.kubernetes.io/last-applied-configuration", "{}"},
                                     {"holdfast.dev/restored-by", "staged"}}}}},
      {"spec", Object{{"storageClassName", "fast"},
                      {"volumeMode", "Filesystem"},
                      {"accessModes", Array{"ReadWriteOnce"}},
                      {"resources", Object{{"requests", Object{{"storage", "1Gi"}}}}}}},
      {"status", Object{{"capacity", Object{{"storage", "2Gi"}}}}}};
}

Value volume(Object spec, Object annotations = {}) {
  return Object{{"metadata", Object{{"name", "pv-1"}, {"annotations", std::move(annotations)}}},
                {"spec", std::move(spec)}};
}

TEST(Records, AClaimIsRecordedWithWhatItTakesToMakeItAnew) {
  const ClaimRecord record = claim_record(
      claim(), volume({{"csi", Object{{"driver", "csi.example"}, {"volumeHandle", "v-9"}}}}));

  EXPECT_EQ(record.size, "2Gi") << "what it has, not what it asked for";
  EXPECT_EQ(record.driver, "csi.example");
  EXPECT_EQ(record.volume_handle, "v-9");
  EXPECT_EQ(record.access_modes, std::vector<std::string>{"ReadWriteOnce"});
}

TEST(Records, ABackupOfALogIsNotTakenForOneOfTheClaim) {
  ClaimRecord record{.ns = "shop", .name = "data"};
  EXPECT_EQ(claim_tag(record), "pvc=shop/data");
  record.log.emplace();
  EXPECT_EQ(claim_tag(record), "log=shop/data");
}

// A claim that says it is bound already, or which node was chosen, is never bound anew.
TEST(Records, WhatControllersWroteOnAClaimIsLeftOut) {
  const ClaimRecord record = claim_record(claim(), volume({}));
  EXPECT_EQ(record.labels, (Texts{{"app", "db"}}));
  EXPECT_EQ(record.annotations, (Texts{{"team", "orders"}}));

  ClaimRecord foreign;
  foreign.labels = {{"app", "db"}, {"holdfast.dev/volume-group-action", "u"}};
  foreign.annotations = {{"pv.kubernetes.io/bound-by-controller", "yes"}};
  drop_marks(foreign);
  EXPECT_EQ(foreign.labels, (Texts{{"app", "db"}}));
  EXPECT_TRUE(foreign.annotations.empty());
}

TEST(Records, AVolumeWithoutCsiIsKnownByItsProvisioner) {
  const ClaimRecord record =
      claim_record(claim(), volume({}, {{"pv.kubernetes.io/provisioned-by", "volumes.holdfast.dev"},
                                        {"volumes.holdfast.dev/provider", "copy"}}));
  EXPECT_EQ(record.driver, "volumes.holdfast.dev");
  EXPECT_EQ(record.volume_handle, "pv-1");
  EXPECT_FALSE(is_cut_at_once(record)) << "copied file by file";

  ClaimRecord btrfs = record;
  btrfs.provider = "btrfs-subvolume";
  EXPECT_TRUE(is_cut_at_once(btrfs));
}

Value pod(Object annotations = {}) {
  const Object data{{"name", "d"}, {"persistentVolumeClaim", Object{{"claimName", "data"}}}};
  return Object{
      {"metadata",
       Object{{"name", "db-0"}, {"uid", "p-1"}, {"annotations", std::move(annotations)}}},
      {"spec",
       Object{
           {"volumes", Array{data, Object{{"name", "scratch"}, {"ephemeral", Object{}}},
                             Object{{"name", "c"}, {"configMap", Object{}}}}},
           {"containers",
            Array{
                Object{{"name", "proxy"}},
                Object{
                    {"name", "db"},
                    {"volumeMounts",
                     Array{Object{{"name", "d"}, {"mountPath", "/data"}, {"subPath", "a"}},
                           Object{{"name", "d"}, {"mountPath", "/each"}, {"subPathExpr", "$(POD)"}},
                           Object{{"name", "c"}, {"mountPath", "/etc"}}}}}}}}},
      {"status",
       Object{{"containerStatuses", Array{Object{{"name", "proxy"}, {"containerID", "x-1"}},
                                          Object{{"name", "db"}, {"containerID", "x-2"}}}}}}};
}

TEST(Records, APodsClaimsAreThoseOfItsVolumesEphemeralOnesToo) {
  EXPECT_EQ(claims_of(pod()), (std::vector<std::string>{"data", "db-0-scratch"}));
}

TEST(Records, TheContainerIsTheOneThatKubectlWouldTake) {
  const auto container = [](const Value& object, const std::string& named) {
    return pod_record(kube::Cached::from_value(object).take(), named).container;
  };
  const Object marked{{"kubectl.kubernetes.io/default-container", "db"}};
  EXPECT_EQ(container(pod(), ""), "proxy") << "the first";
  EXPECT_EQ(container(pod(marked), ""), "db");
  EXPECT_EQ(container(pod(marked), "proxy"), "proxy");
}

TEST(Records, MountsSayWhichFolderOfWhichClaimAsFarAsItIsKnown) {
  const PodRecord record = pod_record(kube::Cached::from_value(pod()).take(), "db");

  EXPECT_EQ(record.container_id, "x-2");
  EXPECT_EQ(record.mount_paths, (std::vector<std::string>{"/data", "/each"}));
  ASSERT_EQ(record.mounts.size(), 3U);
  EXPECT_EQ(record.mounts[0].claim, "data");
  EXPECT_EQ(record.mounts[0].directory, "a");
  EXPECT_EQ(record.mounts[1].claim, "") << "what the node makes of an expression is not known";
  EXPECT_EQ(record.mounts[2].claim, "");
}

}  // namespace
}  // namespace holdfast::protect
