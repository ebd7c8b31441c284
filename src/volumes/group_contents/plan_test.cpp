#include "group_contents/plan.h"

#include "objects_for_tests.h"
#include "words.h"

namespace holdfast::volumes::group_contents {
namespace {

using control::Outcome;

const std::string kMade = std::string(kProvisionedBy) + ": " + std::string(kDriver);
const std::string kGuarded = "finalizers: [" + std::string(kGroupContentBound) + "]";
constexpr const char* kGoing = ", deletionTimestamp: '2026-01-01T00:00:00Z'";
constexpr const char* kTwo = "volumeHandles: [pvc-1, pvc-2]";

GroupContent content(const std::string& source, const std::string& status = "",
                     const std::string& meta = kGuarded) {
  return read_group_content(cached_yaml(
      "{metadata: {name: gc, uid: u1, resourceVersion: '5', " + meta +
      "}, spec: {driver: " + std::string(kDriver) + ", deletionPolicy: Delete, source: {" + source +
      "}, volumeGroupSnapshotRef: {namespace: shop, name: g, uid: g1}}, status: {" + status +
      "}}"));
}

Source source(const std::string& name, const std::string& ns = "shop") {
  Source out;
  out.volume = a_volume(name, "capacity: {storage: 1Gi}", "phase: Bound", kMade);
  out.folder = VolumeFolder{ns, name};
  return out;
}

Seen seen(GroupContent of) {
  Seen out{.content = std::move(of)};
  out.group = read_group(cached_yaml(
      "{metadata: {namespace: shop, name: g, uid: g1, resourceVersion: '6'}, spec: {source: {}}}"));
  out.sources = {{"pvc-1", source("pvc-1")}, {"pvc-2", source("pvc-2")}};
  out.node = "n1";
  out.provider = "btrfs";
  out.cuts_groups = true;
  return out;
}

std::string refusal(const Seen& of) {
  const Outcome outcome = plan(of);
  if (outcome.write() == nullptr) return "";
  return std::string(model::string_at(outcome.write()->body, {"status", "error", "message"}));
}

TEST(GroupContentsPlan, CutAllVolumesUnderTheGroupsUid) {
  const Seen now = seen(content(kTwo));

  EXPECT_EQ(plan(now).asked(), kCut);
  const Target target = target_of(now);
  EXPECT_EQ(target.cut, "groupsnapshot-g1");
  EXPECT_EQ(target.ns, "shop");
  EXPECT_EQ(target.sizes, (std::map<std::string, int64_t>{{"pvc-1", 1 << 30}, {"pvc-2", 1 << 30}}));
}

TEST(GroupContentsPlan, RefuseWhatCannotBeOneInstant) {
  Seen copying = seen(content(kTwo));
  copying.cuts_groups = false;
  copying.provider = "copy";
  EXPECT_NE(refusal(copying).find("provider copy of node n1"), std::string::npos);

  Seen moved = seen(content(kTwo));
  moved.sources.at("pvc-2") = source("pvc-2", "other");
  EXPECT_NE(refusal(moved).find("share no subvolume"), std::string::npos);

  Seen missing = seen(content(kTwo));
  missing.sources.erase("pvc-2");
  EXPECT_NE(refusal(missing).find("pvc-2 is gone"), std::string::npos);

  Seen elsewhere = seen(content(kTwo));
  elsewhere.sources.at("pvc-2").folder.reset();
  EXPECT_NE(refusal(elsewhere).find("does not lie on node n1"), std::string::npos);

  Seen going = seen(content(kTwo));
  going.sources.at("pvc-1").claim_going = true;
  EXPECT_NE(refusal(going).find("is being deleted"), std::string::npos);
}

TEST(GroupContentsPlan, CutNothingForAGroupThatIsGone) {
  Seen of = seen(content(kTwo));
  of.group.reset();

  EXPECT_EQ(plan(of).reason, "GroupGone");
}

TEST(GroupContentsPlan, LookAtWhatWasGivenOnTheirOwnNode) {
  const std::string given =
      "groupSnapshotHandles: {volumeGroupSnapshotHandle: n1/groupsnapshot-9, "
      "volumeSnapshotHandles: [n1/groupsnapshot-9/pvc-9]}";
  Seen here = seen(content(given));
  EXPECT_EQ(plan(here).asked(), kInspect);
  EXPECT_EQ(target_of(here).cut, "groupsnapshot-9");
  here.cut = Error(Fault::NotFound, "none");
  EXPECT_EQ(refusal(here), "Failed to create group snapshot: none");

  Seen there = seen(content(given));
  there.node = "n2";
  EXPECT_EQ(plan(there).reason, "Elsewhere");
}

TEST(GroupContentsPlan, TellTheHandlesForClientsOfEachVersion) {
  Seen of = seen(content(kTwo));
  of.cut = Cut{.sizes = {{"pvc-1", 1}, {"pvc-2", 2}}};
  const Outcome told = plan(of);
  ASSERT_NE(told.write(), nullptr);
  for (const char* list : {"volumeSnapshotInfoList", "volumeSnapshotHandlePairList"}) {
    const model::Array& members = model::array_at(told.write()->body, {"status", list});
    ASSERT_EQ(members.size(), 2U) << list;
    EXPECT_EQ(model::string_at(members[1], {"volumeHandle"}), "pvc-2");
    EXPECT_EQ(model::string_at(members[1], {"snapshotHandle"}), "n1/groupsnapshot-g1/pvc-2");
  }
}

TEST(GroupContentsPlan, FindTheirMembersInTheListOfTheirVersion) {
  for (const char* list : {"volumeSnapshotInfoList", "volumeSnapshotHandlePairList"}) {
    const GroupContent read =
        content(kTwo, std::string(list) + ": [{volumeHandle: pvc-1, snapshotHandle: h}]");
    ASSERT_EQ(read.members.size(), 1U) << list;
    EXPECT_EQ(read.members[0].volume + " " + read.members[0].handle, "pvc-1 h");
  }
}

TEST(GroupContentsPlan, ReleaseOnlyWithTheirGroupsWill) {
  const std::string cut = "readyToUse: true, volumeGroupSnapshotHandle: n1/groupsnapshot-g1";
  EXPECT_EQ(plan(seen(content(kTwo, cut, kGuarded + kGoing))).kind, Outcome::Kind::Done);

  const std::string marked = ", annotations: {" + std::string(kGroupBeingDeleted) + ": 'yes'}";
  Seen willing = seen(content(kTwo, cut, kGuarded + kGoing + marked));
  EXPECT_EQ(plan(willing).asked(), kRelease);
  EXPECT_EQ(target_of(willing).cut, "groupsnapshot-g1");
  willing.released = Error(Fault::Unavailable, "busy");
  EXPECT_EQ(plan(willing).reason, "GroupSnapshotDeleteError")
      << "the finalizer stays until it is gone";
  willing.released = ok();
  ASSERT_NE(plan(willing).write(), nullptr);
  EXPECT_EQ(plan(willing).write()->verb, control::Write::Verb::Patch);
}

}  // namespace
}  // namespace holdfast::volumes::group_contents
