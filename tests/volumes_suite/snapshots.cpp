// Snapshots with CSI's semantics on the embedded server: from a claim to a restored claim.
#include <holdfast/base/files.h>

#include "cluster.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace holdfast::suite {
namespace {

using kube::kClaims;
using kube::kVolumes;
using model::string_at;

constexpr const char* kFromSnapshot =
    "dataSource: {apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: one}";

class LocalSnapshots : public testing::Test {
 protected:
  void write(const std::string& claim, std::string_view text) {
    ASSERT_TRUE(write_file(cluster_.path_of(claim) / "file", text, 0644));
  }
  std::string read(const std::string& claim) {
    auto text = read_file(cluster_.path_of(claim) / "file");
    return text ? text.take() : "(none)";
  }
  model::Value take(const std::string& name, const std::string& claim) {
    cluster_.create(kube::kVolumeSnapshots,
                    fmt::format("{{apiVersion: snapshot.storage.k8s.io/v1, kind: "
                                "VolumeSnapshot, metadata: {{namespace: default, name: "
                                "{}}}, spec: {{source: {{persistentVolumeClaimName: "
                                "{}}}}}}}",
                                name, claim));
    cluster_.settle();
    return cluster_.get(kube::kVolumeSnapshots, name);
  }
  static bool ready(const model::Value& object) {
    return model::bool_at(object, {"status", "readyToUse"}, false);
  }
  std::string error(const std::string& name) {
    return std::string(
        string_at(cluster_.get(kube::kVolumeSnapshots, name), {"status", "error", "message"}));
  }
  std::string content_of(const std::string& name) {
    return std::string(string_at(cluster_.get(kube::kVolumeSnapshots, name),
                                 {"status", "boundVolumeSnapshotContentName"}));
  }
  size_t cuts() {
    const std::filesystem::path cuts = folder_.path() / "volumes/cuts";
    return size_t(std::distance(std::filesystem::directory_iterator(cuts),
                                std::filesystem::directory_iterator()));
  }
  Folder folder_;
  Cluster cluster_{folder_.path()};
};

TEST_F(LocalSnapshots, KeepWhatTheClaimHeldAndSayWhen) {
  cluster_.claim("data");
  write("data", "one");

  const model::Value snapshot = take("one", "data");
  write("data", "two");

  ASSERT_TRUE(ready(snapshot)) << model::to_json(snapshot);
  const std::string uid(string_at(snapshot, {"metadata", "uid"}));
  EXPECT_EQ(content_of("one"), "snapcontent-" + uid);
  EXPECT_EQ(string_at(snapshot, {"status", "restoreSize"}), "1Gi");
  EXPECT_EQ(string_at(snapshot, {"spec", "volumeSnapshotClassName"}), "holdfast-local");
  EXPECT_FALSE(string_at(snapshot, {"status", "creationTime"}).empty());
  const model::Value content = cluster_.get(kube::kVolumeSnapshotContents, content_of("one"));
  EXPECT_EQ(string_at(content, {"status", "snapshotHandle"}),
            fmt::format("n1/snapshot-{}/{}", uid,
                        string_at(cluster_.get(kClaims, "data"), {"spec", "volumeName"})));
  EXPECT_GT(model::int_at(content, {"status", "creationTime"}, 0), int64_t{1} << 60);
  EXPECT_TRUE(cluster_.has_event("one", "SnapshotReady"));

  const model::Value restored = cluster_.claim("restored", kFromSnapshot);
  EXPECT_EQ(string_at(restored, {"status", "phase"}), "Bound");
  EXPECT_EQ(read("restored"), "one");
  EXPECT_EQ(read("data"), "two");
}

TEST_F(LocalSnapshots, LetTheirClaimGoOnceTheyAreCut) {
  cluster_.claim("data");
  take("one", "data");
  EXPECT_EQ(model::to_json(cluster_.get(kClaims, "data")).find("pvc-as-source-protection"),
            std::string::npos);

  cluster_.remove(kClaims, "data");
  cluster_.settle();

  EXPECT_TRUE(cluster_.get(kClaims, "data").is_null());
  EXPECT_EQ(cuts(), 1U) << "a snapshot outlives its source";
}

TEST_F(LocalSnapshots, GoWithTheirContentAndTheirData) {
  cluster_.claim("data");
  take("one", "data");
  const std::string content = content_of("one");

  cluster_.remove(kube::kVolumeSnapshots, "one");
  cluster_.settle();

  EXPECT_TRUE(cluster_.get(kube::kVolumeSnapshots, "one").is_null());
  EXPECT_TRUE(cluster_.get(kube::kVolumeSnapshotContents, content).is_null());
  EXPECT_EQ(cuts(), 0U);
}

TEST_F(LocalSnapshots, LeaveTheirDataWhereItIsRetained) {
  cluster_.claim("data");
  write("data", "one");
  take("one", "data");
  const std::string content = content_of("one");
  const std::string handle(string_at(cluster_.get(kube::kVolumeSnapshotContents, content),
                                     {"status", "snapshotHandle"}));
  cluster_.patch(kube::kVolumeSnapshotContents, content, "{spec: {deletionPolicy: Retain}}");
  cluster_.remove(kube::kVolumeSnapshots, "one");
  cluster_.settle();
  EXPECT_TRUE(cluster_.get(kube::kVolumeSnapshots, "one").is_null());
  EXPECT_FALSE(cluster_.get(kube::kVolumeSnapshotContents, content).is_null());
  EXPECT_EQ(cuts(), 1U);

  // What was kept is bound again, by its handle.
  cluster_.create(kube::kVolumeSnapshotContents,
                  fmt::format("{{apiVersion: snapshot.storage.k8s.io/v1, kind: "
                              "VolumeSnapshotContent, metadata: {{name: kept}}, spec: "
                              "{{deletionPolicy: Delete, driver: volumes.holdfast.dev, source: "
                              "{{snapshotHandle: {}}}, volumeSnapshotRef: {{namespace: default, "
                              "name: one}}}}}}",
                              handle));
  cluster_.create(kube::kVolumeSnapshots,
                  "{apiVersion: snapshot.storage.k8s.io/v1, kind: VolumeSnapshot, metadata: "
                  "{namespace: default, name: one}, spec: {source: {volumeSnapshotContentName: "
                  "kept}}}");
  cluster_.settle();
  ASSERT_TRUE(ready(cluster_.get(kube::kVolumeSnapshots, "one"))) << error("one");
  cluster_.claim("restored", kFromSnapshot);
  EXPECT_EQ(read("restored"), "one");

  cluster_.remove(kube::kVolumeSnapshots, "one");
  cluster_.settle();
  EXPECT_EQ(cuts(), 0U);
}

TEST_F(LocalSnapshots, OfAClaimThatIsBeingDeletedSaySo) {
  cluster_.claim("data");
  cluster_.create(kube::kPods,
                  "{apiVersion: v1, kind: Pod, metadata: {namespace: default, name: user}, spec: "
                  "{nodeName: n1, containers: [{name: c, image: i}], volumes: [{name: v, "
                  "persistentVolumeClaim: "
                  "{claimName: data}}]}}");
  cluster_.remove(kClaims, "data");
  cluster_.settle();

  take("one", "data");

  EXPECT_NE(error("one").find("is being deleted: it cannot be snapshotted"), std::string::npos)
      << error("one");
  EXPECT_FALSE(ready(cluster_.get(kube::kVolumeSnapshots, "one")));
  EXPECT_EQ(cuts(), 0U);
  cluster_.remove(kube::kVolumeSnapshots, "one");
  cluster_.settle();
  EXPECT_TRUE(cluster_.get(kube::kVolumeSnapshots, "one").is_null()) << "it can be given up";
}

TEST_F(LocalSnapshots, WaitForTheirClaimAndRecover) {
  take("one", "data");
  EXPECT_NE(error("one").find("source claim data does not exist"), std::string::npos)
      << error("one");

  cluster_.claim("data");
  cluster_.settle(std::chrono::seconds(20));

  EXPECT_TRUE(ready(cluster_.get(kube::kVolumeSnapshots, "one"))) << error("one");
  EXPECT_EQ(error("one"), "");
}

TEST_F(LocalSnapshots, CannotBeRestoredIntoLess) {
  cluster_.claim("data");
  take("one", "data");

  cluster_.create(kClaims,
                  fmt::format("{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: "
                              "{{namespace: default, name: small, annotations: "
                              "{{volume.kubernetes.io/selected-node: n1}}}}, spec: {{accessModes: "
                              "[ReadWriteOnce], resources: {{requests: {{storage: 1Mi}}}}, {}}}}}",
                              kFromSnapshot));
  cluster_.settle();

  EXPECT_TRUE(cluster_.has_event("small", "is less than the size 1073741824 of the source"));
}

TEST_F(LocalSnapshots, AreKeptForAClaimThatIsMadeOfThem) {
  cluster_.claim("data");
  take("one", "data");
  // Its pod is to run elsewhere, so that its volume is not made here.
  cluster_.create(kClaims,
                  fmt::format("{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: "
                              "{{namespace: default, name: later, annotations: "
                              "{{volume.kubernetes.io/selected-node: n2}}}}, spec: {{accessModes: "
                              "[ReadWriteOnce], resources: {{requests: {{storage: 1Gi}}}}, {}}}}}",
                              kFromSnapshot));
  cluster_.settle();

  cluster_.remove(kube::kVolumeSnapshots, "one");
  cluster_.settle();
  EXPECT_FALSE(cluster_.get(kube::kVolumeSnapshots, "one").is_null());
  EXPECT_TRUE(cluster_.has_event("one", "SnapshotDeletePending"));
  cluster_.remove(kClaims, "later");
  cluster_.settle();

  EXPECT_TRUE(cluster_.get(kube::kVolumeSnapshots, "one").is_null());
}

TEST_F(LocalSnapshots, OfOtherDriversAreLeftAlone) {
  cluster_.create(kube::kVolumeSnapshotClasses,
                  "{apiVersion: snapshot.storage.k8s.io/v1, kind: VolumeSnapshotClass, metadata: "
                  "{name: other}, driver: other.io, deletionPolicy: Delete}");
  cluster_.claim("data");
  cluster_.create(kube::kVolumeSnapshots,
                  "{apiVersion: snapshot.storage.k8s.io/v1, kind: VolumeSnapshot, metadata: "
                  "{namespace: default, name: one}, spec: {volumeSnapshotClassName: other, source: "
                  "{persistentVolumeClaimName: data}}}");
  cluster_.settle();

  EXPECT_EQ(model::find(cluster_.get(kube::kVolumeSnapshots, "one"), {"status"}), nullptr);
}

TEST_F(LocalSnapshots, AreTakenOnceWhateverDiesMeanwhile) {
  cluster_.claim("data");
  write("data", "one");
  cluster_.create(kube::kVolumeSnapshots,
                  "{apiVersion: snapshot.storage.k8s.io/v1, kind: VolumeSnapshot, metadata: "
                  "{namespace: default, name: one}, spec: {source: {persistentVolumeClaimName: "
                  "data}}}");
  // The cut is there, but the word of it is lost with the controllers.
  cluster_.cut_before([](const net::Call& call) {
    return call.method == "PATCH" &&
           call.target.find("volumesnapshotcontents") != call.target.npos &&
           call.target.find("/status") != call.target.npos;
  });
  cluster_.settle();
  ASSERT_EQ(cuts(), 1U);
  ASSERT_FALSE(ready(cluster_.get(kube::kVolumeSnapshots, "one")));
  write("data", "two");
  cluster_.cut_before({});
  cluster_.restart();
  cluster_.settle(std::chrono::seconds(60));

  ASSERT_TRUE(ready(cluster_.get(kube::kVolumeSnapshots, "one"))) << error("one");
  EXPECT_EQ(cuts(), 1U);
  cluster_.claim("restored", kFromSnapshot);
  EXPECT_EQ(read("restored"), "one");
}

TEST_F(LocalSnapshots, AreLeftToASnapshotControllerThatRunsHere) {
  cluster_.claim("data");
  cluster_.create(
      kube::kLeases,
      "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {namespace: default, "
      "name: snapshot-controller-leader}, spec: {holderIdentity: other-1}}");
  cluster_.restart();
  take("one", "data");

  EXPECT_EQ(model::find(cluster_.get(kube::kVolumeSnapshots, "one"), {"status"}), nullptr);
  EXPECT_TRUE(string_at(cluster_.get(kube::kStorageClasses, "holdfast-local"),
                        {"metadata", "annotations", "n1.volumes.holdfast.dev/trouble"})
                  .starts_with("SnapshotControllerConflict: Lease default/"));
  EXPECT_TRUE(cluster_.has_event("holdfast-local", "SnapshotControllerConflict: "));
  EXPECT_EQ(string_at(cluster_.claim("more"), {"status", "phase"}), "Bound");
}

TEST_F(LocalSnapshots, AClaimCanBeMadeOfAnother) {
  cluster_.claim("data");
  write("data", "one");

  cluster_.claim("twin", "dataSource: {kind: PersistentVolumeClaim, name: data}");
  write("data", "two");

  EXPECT_EQ(read("twin"), "one");
}

}  // namespace
}  // namespace holdfast::suite
