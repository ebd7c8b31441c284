#include "contents/plan.h"

#include "objects_for_tests.h"
#include "words.h"

namespace holdfast::volumes::contents {
namespace {

using control::Outcome;
using Do = Step::Do;

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
  EXPECT_EQ(plan(seen(content(kVolume, "", "labels: {}"))).what, Do::Leave);
  EXPECT_NE(plan(seen(content(kVolume, "", "labels: {}"))).outcome.write(), nullptr);

  const Step step = plan(seen(content(kVolume)));

  EXPECT_EQ(step.what, Do::Cut);
  EXPECT_EQ(step.member.handle(), "snapshot-s1/pvc-1");
}

TEST(ContentsPlan, CutOnlyForASnapshotThatIsThere) {
  Seen gone = seen(content(kVolume));
  gone.snapshot.reset();
  EXPECT_EQ(plan(gone).what, Do::Leave);

  Seen going = seen(content(kVolume));
  going.snapshot = snapshot(kGoing);
  EXPECT_EQ(plan(going).what, Do::Leave);

  Seen claim_going = seen(content(kVolume));
  claim_going.claim = a_claim("", "phase: Bound", "", kGoing);
  const Step refused = plan(claim_going);
  EXPECT_EQ(refused.what, Do::Leave);
  ASSERT_NE(refused.outcome.write(), nullptr);
  EXPECT_NE(model::string_at(refused.outcome.write()->body, {"status", "error", "message"})
                .find("is being deleted"),
            std::string_view::npos);
}

TEST(ContentsPlan, AreDoneOnceReady) {
  EXPECT_EQ(plan(seen(content(kVolume, "readyToUse: true, snapshotHandle: n1/snapshot-s1/pvc-1")))
                .outcome.kind,
            Outcome::Kind::Done);
}

TEST(ContentsPlan, ThatWereGivenAreLookedAtWhereTheyLie) {
  const Step here = plan(seen(content("snapshotHandle: n1/snapshot-s9/pvc-9")));
  EXPECT_EQ(here.what, Do::Inspect);
  EXPECT_EQ(here.member.handle(), "snapshot-s9/pvc-9");

  EXPECT_EQ(plan(seen(content("snapshotHandle: n2/snapshot-s9/pvc-9"))).what, Do::Leave);
}

TEST(ContentsPlan, ReleaseOnlyWithTheirSnapshotsWill) {
  const std::string cut = "readyToUse: true, snapshotHandle: n1/snapshot-s1/pvc-1";
  EXPECT_EQ(plan(seen(content(kVolume, cut, kGuarded + kGoing))).what, Do::Leave)
      << "deleted by hand while its snapshot lives";

  const std::string announced = ", annotations: {" + std::string(kBeingDeleted) + ": 'yes'}";
  const Step step = plan(seen(content(kVolume, cut, kGuarded + kGoing + announced)));
  EXPECT_EQ(step.what, Do::Release);
  EXPECT_EQ(step.member.handle(), "snapshot-s1/pvc-1");

  Seen orphan = seen(content(kVolume, "", kGuarded + kGoing));
  orphan.snapshot.reset();
  EXPECT_EQ(plan(orphan).what, Do::Release) << "cut, but the word of it was lost";
  EXPECT_EQ(plan(orphan).member.handle(), "snapshot-s1/pvc-1");
}

TEST(ContentsPlan, KeepWhatIsRetained) {
  const std::string announced = ", annotations: {" + std::string(kBeingDeleted) + ": 'yes'}";
  const Step step = plan(seen(content(kVolume, "snapshotHandle: n1/snapshot-s1/pvc-1",
                                      kGuarded + kGoing + announced, "Retain")));

  EXPECT_EQ(step.what, Do::Leave);
  EXPECT_NE(step.outcome.write(), nullptr) << "only the finalizer goes";
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
