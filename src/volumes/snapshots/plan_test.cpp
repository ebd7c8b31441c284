#include "snapshots/plan.h"

#include "objects_for_tests.h"
#include "words.h"

namespace holdfast::volumes::snapshots {
namespace {

using control::Outcome;
using control::Write;

const std::string kMade = std::string(kProvisionedBy) + ": " + std::string(kDriver);
const std::string kGuards =
    ", finalizers: [" + std::string(kSnapshotBound) + ", " + std::string(kSnapshotSource) + "]";
constexpr const char* kGoing = ", deletionTimestamp: '2026-01-01T00:00:00Z'";

Snapshot snapshot(const std::string& spec, const std::string& status = "",
                  const std::string& meta = kGuards) {
  return read_snapshot(
      cached_yaml("{metadata: {namespace: shop, name: one, uid: s1, "
                  "resourceVersion: '6'" +
                  meta + "}, spec: {" + spec + "}, status: {" + status + "}}"));
}

Content content(const std::string& status, const std::string& policy = "Delete",
                const std::string& meta = "") {
  return read_content(cached_yaml(
      "{metadata: {name: snapcontent-s1, uid: u1, resourceVersion: '5'" + meta +
      "}, spec: {driver: " + std::string(kDriver) + ", deletionPolicy: " + policy +
      ", source: {volumeHandle: pvc-1}, volumeSnapshotRef: {namespace: shop, name: one, uid: s1}}, "
      "status: {" +
      status + "}}"));
}

constexpr const char* kOfClaim =
    "source: {persistentVolumeClaimName: data}, volumeSnapshotClassName: local";
constexpr const char* kReady =
    "readyToUse: true, creationTime: 1767225600000000000, restoreSize: 5368709120, snapshotHandle: "
    "n1/snapshot-s1/pvc-1";

Seen seen(Snapshot of) {
  Seen out{.snapshot = std::move(of)};
  out.classes = {{.name = "local",
                  .driver = std::string(kDriver),
                  .deletion_policy = "Delete",
                  .is_default = true}};
  out.claim = a_claim("volumeName: pvc-1", "phase: Bound");
  out.volume = a_volume("pvc-1", "capacity: {storage: 5Gi}", "phase: Bound", kMade);
  return out;
}

std::string error_written(const Outcome& outcome) {
  if (outcome.write() == nullptr) return "";
  return std::string(model::string_at(outcome.write()->body, {"status", "error", "message"}));
}

TEST(SnapshotsPlan, GuardTheClaimBeforeTheContentIsMade) {
  Seen of = seen(snapshot(kOfClaim));
  Outcome step = plan(of);
  ASSERT_NE(step.write(), nullptr);
  EXPECT_EQ(step.write()->resource, kube::kClaims);

  of.claim_guarded = true;
  step = plan(of);
  ASSERT_NE(step.write(), nullptr);
  EXPECT_EQ(step.write()->verb, Write::Verb::Create);
  EXPECT_EQ(step.write()->key.name, "snapcontent-s1");
  EXPECT_EQ(model::string_at(step.write()->body, {"spec", "source", "volumeHandle"}), "pvc-1");
  EXPECT_EQ(model::string_at(step.write()->body, {"spec", "volumeSnapshotRef", "uid"}), "s1");
}

TEST(SnapshotsPlan, TellWhatTheContentTells) {
  Seen of = seen(snapshot(kOfClaim));
  of.content = content(kReady);

  const Outcome step = plan(of);

  ASSERT_NE(step.write(), nullptr);
  const model::Value& body = step.write()->body;
  EXPECT_TRUE(model::bool_at(body, {"status", "readyToUse"}, false));
  EXPECT_EQ(model::string_at(body, {"status", "creationTime"}), "2026-01-01T00:00:00Z");
  EXPECT_EQ(model::string_at(body, {"status", "restoreSize"}), "5Gi");
}

TEST(SnapshotsPlan, ThatAreReadyLetTheClaimGoUnlessAnotherNeedsIt) {
  Seen of = seen(snapshot(kOfClaim,
                          "readyToUse: true, boundVolumeSnapshotContentName: snapcontent-s1, "
                          "creationTime: '2026-01-01T00:00:00Z', restoreSize: 5Gi"));
  of.content = content(kReady);
  of.claim_guarded = true;
  of.claim_needed = true;
  EXPECT_EQ(plan(of).kind, Outcome::Kind::Done);

  of.claim_needed = false;
  ASSERT_NE(plan(of).write(), nullptr);
  EXPECT_EQ(plan(of).write()->resource, kube::kClaims);
}

TEST(SnapshotsPlan, NameWhatIsInTheWay) {
  Seen gone = seen(snapshot(kOfClaim));
  gone.claim.reset();
  EXPECT_NE(error_written(plan(gone)).find("data does not exist"), std::string::npos);

  Seen going = seen(snapshot(kOfClaim));
  going.claim = a_claim("volumeName: pvc-1", "phase: Bound", "", kGoing);
  EXPECT_NE(error_written(plan(going)).find("is being deleted"), std::string::npos);

  Seen unbound = seen(snapshot(kOfClaim));
  unbound.volume.reset();
  EXPECT_NE(error_written(plan(unbound)).find("not bound"), std::string::npos);

  Seen foreign = seen(snapshot(kOfClaim));
  foreign.volume = a_volume("pvc-1", "", "phase: Bound");
  EXPECT_NE(error_written(plan(foreign)).find("another driver"), std::string::npos);

  Seen classless = seen(snapshot(kOfClaim));
  classless.classes.clear();
  EXPECT_NE(error_written(plan(classless)).find("\"local\" not found"), std::string::npos);
}

TEST(SnapshotsPlan, AnErrorThatStandsThereIsTriedAgainNotWrittenAgain) {
  Seen of = seen(snapshot(kOfClaim));
  of.claim.reset();
  const std::string message = error_written(plan(of));
  of.snapshot = snapshot(kOfClaim, "error: {message: '" + message + "'}");

  EXPECT_EQ(plan(of).kind, Outcome::Kind::Wait);
}

TEST(SnapshotsPlan, EndWithMarkThenContentThenFinalizers) {
  Seen of = seen(snapshot(kOfClaim, "", kGuards + kGoing));
  of.content = content(kReady);
  Outcome step = plan(of);
  ASSERT_NE(step.write(), nullptr);
  EXPECT_EQ(step.write()->verb, Write::Verb::Patch);

  const std::string marked = ", annotations: {" + std::string(kBeingDeleted) + ": 'yes'}";
  of.content = content(kReady, "Delete", marked);
  step = plan(of);
  ASSERT_NE(step.write(), nullptr);
  EXPECT_EQ(step.write()->verb, Write::Verb::Delete);

  of.content = content(kReady, "Delete", marked + kGoing);
  EXPECT_EQ(plan(of).kind, Outcome::Kind::Done) << "until the data is gone";

  of.content = content(kReady, "Retain", marked);
  ASSERT_NE(plan(of).write(), nullptr);
  EXPECT_EQ(plan(of).write()->resource, kube::kVolumeSnapshots)
      << "what is retained is not waited for";
}

TEST(SnapshotsPlan, StayWhileSomebodyNeedsThem) {
  Seen restoring = seen(snapshot(kOfClaim, "", kGuards + kGoing));
  restoring.restoring = "new";
  EXPECT_EQ(plan(restoring).kind, Outcome::Kind::Done);
  EXPECT_EQ(plan(restoring).notes.size(), 1U);

  Seen member = seen(snapshot(kOfClaim, "volumeGroupSnapshotName: g", kGuards + kGoing));
  member.group_stays = true;
  EXPECT_EQ(plan(member).kind, Outcome::Kind::Done);
}

TEST(SnapshotsPlan, TakeOnlyAContentThatIsMeantForThem) {
  Seen of = seen(snapshot("source: {volumeSnapshotContentName: given}"));
  EXPECT_NE(error_written(plan(of)).find("given is missing"), std::string::npos);

  of.content = content(kReady);
  of.content->given_handle = "n1/a/b";
  of.content->ref_uid = "s2";
  EXPECT_NE(error_written(plan(of)).find("bound to a different snapshot"), std::string::npos);
  of.content->ref_uid = "s1";
  of.content->ref_ns = "other";
  EXPECT_NE(error_written(plan(of)).find("bound to a different snapshot"), std::string::npos)
      << "a tenant cannot take another's";
}

}  // namespace
}  // namespace holdfast::volumes::snapshots
