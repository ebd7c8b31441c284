// Claims on the embedded server: from the default class to a folder, and back to nothing.
#include <holdfast/base/files.h>

#include "cluster.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace holdfast::suite {
namespace {

using kube::kClaims;
using kube::kVolumes;
using model::string_at;

class LocalClaims : public testing::Test {
 protected:
  std::string phase(const kube::Resource& resource, const std::string& name) {
    return std::string(string_at(cluster_.get(resource, name), {"status", "phase"}));
  }
  std::string volume_of(const std::string& claim) {
    return std::string(string_at(cluster_.get(kClaims, claim), {"spec", "volumeName"}));
  }
  Folder folder_;
  Cluster cluster_{folder_.path()};
};

TEST_F(LocalClaims, TheClassIsTheDefaultOneAndTellsItsProvider) {
  const model::Value made = cluster_.get(kube::kStorageClasses, "holdfast-local");

  EXPECT_EQ(string_at(made, {"provisioner"}), "volumes.holdfast.dev");
  EXPECT_EQ(
      string_at(made, {"metadata", "annotations", "storageclass.kubernetes.io/is-default-class"}),
      "true");
  EXPECT_TRUE(string_at(made, {"metadata", "annotations", "n1.volumes.holdfast.dev/provider"})
                  .starts_with("copy: "));
}

TEST_F(LocalClaims, TheClassIsNoDefaultWhereThereIsOne) {
  cluster_.remove(kube::kStorageClasses, "holdfast-local");
  cluster_.create(kube::kStorageClasses,
                  "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: theirs, "
                  "annotations: {storageclass.kubernetes.io/is-default-class: 'true'}}, "
                  "provisioner: other.io}");

  cluster_.restart();

  EXPECT_EQ(string_at(cluster_.get(kube::kStorageClasses, "holdfast-local"),
                      {"metadata", "annotations", "storageclass.kubernetes.io/is-default-class"}),
            "false");
}

TEST_F(LocalClaims, GetAFolderThatAnyUserOfAPodCanWriteTo) {
  const model::Value claim = cluster_.claim("data");

  EXPECT_EQ(string_at(claim, {"status", "phase"}), "Bound");
  EXPECT_EQ(string_at(claim, {"status", "capacity", "storage"}), "1Gi");
  EXPECT_EQ(volume_of("data"), "pvc-" + std::string(string_at(claim, {"metadata", "uid"})));
  EXPECT_EQ(phase(kVolumes, volume_of("data")), "Bound");
  struct stat found {};
  ASSERT_EQ(stat(cluster_.path_of("data").c_str(), &found), 0);
  EXPECT_TRUE(S_ISDIR(found.st_mode));
  EXPECT_EQ(found.st_mode & 07777U, 0777U);
  EXPECT_TRUE(cluster_.has_event("data", "ProvisioningSucceeded: Successfully provisioned volume"));
}

TEST_F(LocalClaims, WaitForTheirFirstPod) {
  cluster_.create(kClaims,
                  "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {namespace: "
                  "default, name: early}, spec: {accessModes: [ReadWriteOnce], resources: "
                  "{requests: {storage: 1Gi}}}}");
  cluster_.settle();
  EXPECT_EQ(phase(kClaims, "early"), "Pending");
  EXPECT_TRUE(cluster_.has_event("early", "WaitForFirstConsumer: waiting for first consumer"));
  EXPECT_TRUE(cluster_.list(kVolumes).empty());

  cluster_.patch(kClaims, "early",
                 "{metadata: {annotations: {volume.kubernetes.io/selected-node: n1}}}");
  cluster_.settle();

  EXPECT_EQ(phase(kClaims, "early"), "Bound");
}

TEST_F(LocalClaims, OnAnotherNodeAreLeftToIt) {
  cluster_.create(kClaims,
                  "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {namespace: "
                  "default, name: far, annotations: {volume.kubernetes.io/selected-node: "
                  "n2}}, spec: {accessModes: [ReadWriteOnce], resources: {requests: "
                  "{storage: 1Gi}}}}");
  cluster_.settle();

  EXPECT_EQ(phase(kClaims, "far"), "Pending");
  EXPECT_TRUE(cluster_.list(kVolumes).empty());
}

TEST_F(LocalClaims, TakeTheirFolderWithThem) {
  cluster_.claim("data");
  const std::filesystem::path path = cluster_.path_of("data");
  ASSERT_TRUE(write_file(path / "file", "text", 0644));

  cluster_.remove(kClaims, "data");
  cluster_.settle();

  EXPECT_TRUE(cluster_.get(kClaims, "data").is_null());
  EXPECT_TRUE(cluster_.list(kVolumes).empty());
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(path.parent_path())) << "the namespace's folder is empty";
}

TEST_F(LocalClaims, LeaveTheirDataWhereItIsRetained) {
  cluster_.claim("data");
  const std::filesystem::path path = cluster_.path_of("data");
  const std::string volume = volume_of("data");
  ASSERT_TRUE(write_file(path / "file", "text", 0644));
  cluster_.patch(kVolumes, volume, "{spec: {persistentVolumeReclaimPolicy: Retain}}");

  cluster_.remove(kClaims, "data");
  cluster_.settle();

  EXPECT_EQ(phase(kVolumes, volume), "Released");
  EXPECT_TRUE(std::filesystem::exists(path / "file"));
}

TEST_F(LocalClaims, AVolumeDeletedFirstGoesWithItsClaim) {
  cluster_.claim("data");
  const std::filesystem::path path = cluster_.path_of("data");
  const std::string volume = volume_of("data");

  cluster_.remove(kVolumes, volume);
  cluster_.settle();
  EXPECT_TRUE(std::filesystem::exists(path)) << "its claim still needs it";
  cluster_.remove(kClaims, "data");
  cluster_.settle();

  EXPECT_TRUE(cluster_.list(kVolumes).empty());
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(LocalClaims, Grow) {
  cluster_.claim("data");

  cluster_.patch(kClaims, "data", "{spec: {resources: {requests: {storage: 3Gi}}}}");
  cluster_.settle();

  EXPECT_EQ(string_at(cluster_.get(kClaims, "data"), {"status", "capacity", "storage"}), "3Gi");
  EXPECT_EQ(string_at(cluster_.get(kVolumes, volume_of("data")), {"spec", "capacity", "storage"}),
            "3Gi");
  EXPECT_TRUE(cluster_.has_event("data", "VolumeResizeSuccessful"));
}

TEST_F(LocalClaims, OfBlockDevicesAreRefusedWithAReason) {
  cluster_.claim("raw", "volumeMode: Block");

  EXPECT_EQ(phase(kClaims, "raw"), "Pending");
  EXPECT_TRUE(cluster_.has_event("raw", "volumeMode Block is not provided"));
}

TEST_F(LocalClaims, AreBoundToVolumesThatPeopleMade) {
  cluster_.create(kVolumes,
                  "{apiVersion: v1, kind: PersistentVolume, metadata: {name: big}, spec: "
                  "{capacity: {storage: 9Gi}, accessModes: [ReadWriteOnce], hostPath: "
                  "{path: /a}, storageClassName: manual}}");
  cluster_.create(kVolumes,
                  "{apiVersion: v1, kind: PersistentVolume, metadata: {name: small}, "
                  "spec: {capacity: {storage: 2Gi}, accessModes: [ReadWriteOnce], "
                  "hostPath: {path: /b}, storageClassName: manual}}");
  cluster_.settle();

  cluster_.claim("data", "storageClassName: manual");

  EXPECT_EQ(volume_of("data"), "small");
  EXPECT_EQ(phase(kClaims, "data"), "Bound");
  EXPECT_EQ(phase(kVolumes, "big"), "Available");
}

TEST_F(LocalClaims, AreKeptOverARestart) {
  cluster_.claim("data");
  const std::filesystem::path path = cluster_.path_of("data");
  ASSERT_TRUE(write_file(path / "file", "text", 0644));

  cluster_.restart();
  cluster_.settle();

  EXPECT_EQ(phase(kClaims, "data"), "Bound");
  EXPECT_TRUE(std::filesystem::exists(path / "file"));
}

/// A server that has taken a definition and does not serve its kind for a few more requests, as
/// kube-apiserver does for a moment.
class ServingLate final : public net::Client {
 public:
  ServingLate(apiserver::Core& core, std::string path) : inner_(core), path_(std::move(path)) {}
  Result<net::Response> call(const net::Call& call) override {
    if (call.target.starts_with(path_) && late-- > 0)
      return net::Response{.status = 404, .body = "404 page not found\n"};
    return inner_.call(call);
  }
  Result<net::Response> stream(const net::Call& call,
                               const std::function<bool(std::string_view)>& on_data) override {
    return inner_.stream(call, on_data);
  }
  int late = 1;

 private:
  Wire inner_;
  const std::string path_;
};

TEST(InstallingVolumes, IsToBeTriedAgainUntilTheNewKindsAreServed) {
  Folder folder;
  World world;
  const SystemClock clock;
  ServingLate transport(*world.core, kube::kVolumeSnapshotClasses.path("", ""));
  kube::Client client = world.client_on(transport);
  Result<volumes::Machine> machine =
      volumes::Machine::open({.node = "n1", .folder = folder.path(), .provider = "copy"}, clock);
  ASSERT_TRUE(machine) << machine.error().what();

  const Result<void> first = machine->install(client);
  ASSERT_FALSE(first);
  EXPECT_TRUE(first.error().transient()) << first.error().what();
  const Result<void> second = machine->install(client);

  EXPECT_TRUE(second) << second.error().what();
  EXPECT_TRUE(world.client->get(kube::kVolumeSnapshotClasses, "", "holdfast-local"));
}

}  // namespace
}  // namespace holdfast::suite
