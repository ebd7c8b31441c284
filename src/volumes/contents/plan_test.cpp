#include "contents/plan.h"

#include "objects_for_tests.h"
#include "words.h"

namespace holdfast::volumes::contents {
namespace {

using control::Outcome;

const std::string kMade = std::string(kProvisionedBy) + ": " + std::string(kDriver);
const std::string kGuarded = "finalizers: [" + std::string(kContentBound) + "]";

Content content(const std::string& source, const std::string& status = "",
                const std::string& meta = kGuarded, const std::string& policy = "Delete") {
  return read_content(cached_yaml(
      "{metadata: {name: sc, uid: u1, resourceVersion: '5', " + meta + "}, spec: {driver: " +
      std::string(kDriver) + ", deletionPolicy: " + policy + ", source: {" + source +
      "}, volumeSnapshotRef: {namespace: shop, name: one, uid: s1}}, status: {" + status + "}}"));
}

Snapshot snapshot(const std::string& meta = "") {
  return read_snapshot(
      cached_yaml("{metadata: {namespace: shop, name: one, uid: s1, "
                  "resourceVersion: '6'" +
                  meta + "}, spec: {source: {persistentVolumeClaimName: data}}}"));
}

Seen seen(Content of) {
  Seen out{.content = std::move(of)};
  out.snapshot = snapshot();
  out.volume = a_volume("pvc-1", "capacity: {storage: 1Gi}", "phase: Bound", kMade);
  out.claim = a_claim("");
  out.node = "n1";
  return out;
}

constexpr const char* kVolume = "volumeHandle: pvc-1";
constexpr const char* kGoing = ", deletionTimestamp: '2026-01-01T00:00:00Z'";

TEST(ContentsPlan, GuardThenCutUnderTheSnapshotsUid) {
  const Outcome guarding = plan(seen(content(kVolume, "", "labels: {}")));
  ASSERT_NE(guarding.write(), nullptr);
  EXPECT_EQ(guarding.write()->subresource, "");

  Seen now = seen(content(kVolume));
  EXPECT_EQ(plan(now).asked(), kCut);
  EXPECT_EQ(member_of(now.content).handle(), "snapshot-s1/pvc-1");

  now.cut = Cut{.sizes = {{"pvc-1", 7}}};
  const Outcome told = plan(now);
  ASSERT_NE(told.write(), nullptr);
  EXPECT_EQ(model::string_at(told.write()->body, {"status", "snapshotHandle"}),
            "n1/snapshot-s1/pvc-1");
}

TEST(ContentsPlan, CutOnlyForASnapshotThatIsThere) {
  Seen gone = seen(content(kVolume));
  gone.snapshot.reset();
  EXPECT_EQ(plan(gone).reason, "SnapshotGone");

  Seen going = seen(content(kVolume));
  going.snapshot = snapshot(kGoing);
  EXPECT_EQ(plan(going).reason, "SnapshotGone");

  Seen claim_going = seen(content(kVolume));
  claim_going.claim = a_claim("", "phase: Bound", "", kGoing);
  const Outcome refused = plan(claim_going);
  ASSERT_NE(refused.write(), nullptr);
  EXPECT_NE(model::string_at(refused.write()->body, {"status", "error", "message"})
                .find("is being deleted"),
            std::string_view::npos);
}

TEST(ContentsPlan, AreDoneOnceReady) {
  EXPECT_EQ(
      plan(seen(content(kVolume, "readyToUse: true, snapshotHandle: n1/snapshot-s1/pvc-1"))).kind,
      Outcome::Kind::Done);
}

TEST(ContentsPlan, ThatWereGivenAreLookedAtWhereTheyLie) {
  Seen here = seen(content("snapshotHandle: n1/snapshot-s9/pvc-9"));
  EXPECT_EQ(plan(here).asked(), kInspect);
  EXPECT_EQ(member_of(here.content).handle(), "snapshot-s9/pvc-9");
  here.cut = Error(Fault::NotFound, "none");
  const Outcome told = plan(here);
  ASSERT_NE(told.write(), nullptr);
  EXPECT_EQ(model::string_at(told.write()->body, {"status", "error", "message"}),
            "Failed to create snapshot: none");

  EXPECT_EQ(plan(seen(content("snapshotHandle: n2/snapshot-s9/pvc-9"))).reason, "Elsewhere");
}

TEST(ContentsPlan, ReleaseOnlyWithTheirSnapshotsWill) {
  const std::string cut = "readyToUse: true, snapshotHandle: n1/snapshot-s1/pvc-1";
  EXPECT_EQ(plan(seen(content(kVolume, cut, kGuarded + kGoing))).kind, Outcome::Kind::Done)
      << "deleted by hand while its snapshot lives";

  const std::string announced = ", annotations: {" + std::string(kBeingDeleted) + ": 'yes'}";
  Seen willing = seen(content(kVolume, cut, kGuarded + kGoing + announced));
  EXPECT_EQ(plan(willing).asked(), kRelease);
  EXPECT_EQ(member_of(willing.content).handle(), "snapshot-s1/pvc-1");
  willing.released = Error(Fault::Unavailable, "busy");
  EXPECT_EQ(plan(willing).reason, "SnapshotDeleteError") << "the finalizer stays until it is gone";
  willing.released = ok();
  ASSERT_NE(plan(willing).write(), nullptr);
  EXPECT_EQ(plan(willing).write()->text(),
            "patch volumesnapshotcontents.snapshot.storage.k8s.io sc");

  Seen orphan = seen(content(kVolume, "", kGuarded + kGoing));
  orphan.snapshot.reset();
  EXPECT_EQ(plan(orphan).asked(), kRelease) << "cut, but the word of it was lost";
  EXPECT_EQ(member_of(orphan.content).handle(), "snapshot-s1/pvc-1");
}

TEST(ContentsPlan, KeepWhatIsRetained) {
  const std::string announced = ", annotations: {" + std::string(kBeingDeleted) + ": 'yes'}";
  const Outcome outcome = plan(seen(content(kVolume, "snapshotHandle: n1/snapshot-s1/pvc-1",
                                            kGuarded + kGoing + announced, "Retain")));

  EXPECT_NE(outcome.write(), nullptr) << "only the finalizer goes";
}

TEST(SnapshotHandles, SayWhereAndWhat) {
  const auto handle = SnapshotHandle::parse("n1/snapshot-1/pvc-1");
  ASSERT_TRUE(handle);
  EXPECT_EQ(handle->node, "n1");
  EXPECT_EQ(handle->text(), "n1/snapshot-1/pvc-1");
  for (const char* bad : {"", "n1", "n1/a", "/a/b", "n1/../b", "n1/a/..", "n1/a/b/c", "n1//b"})
    EXPECT_FALSE(SnapshotHandle::parse(bad)) << bad;
}

}  // namespace
}  // namespace holdfast::volumes::contents
