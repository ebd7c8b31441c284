// Cuts that are made: when they count as ready, gone or replaced, and how they go.
#include <holdfast/protect/cut/cuts.h>

#include "plans_for_tests.h"

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;

CutInputs two_claims() {
  CutInputs out;
  out.claims.resize(2);
  out.claims[0].name = "data";
  out.claims[1].name = "wal";
  return out;
}

SnapshotSeen snapshot(std::string_view name, bool ready) {
  return {.object = cached_object("shop", name), .ready = ready};
}

TEST(StandingCuts, AreReadyWhenAllOfThemAre) {
  const SnapshotSeen ready = snapshot("one", true), slow = snapshot("two", false);
  EXPECT_TRUE(state_of(two_claims(), {.snapshots = {&ready, &ready}}).ready);
  const StandingState state = state_of(two_claims(), {.snapshots = {&ready, &slow}});
  EXPECT_FALSE(state.ready);
  EXPECT_EQ(state.trouble.reason, "");
  EXPECT_FALSE(state_of(two_claims(), {.group = &slow, .snapshots = {&ready, &ready}}).ready);
}

TEST(StandingCuts, OneThatIsGoneNeverWillBe) {
  const SnapshotSeen ready = snapshot("one", true);
  SnapshotSeen going = ready;
  going.deleting = true;
  EXPECT_EQ(state_of(two_claims(), {.snapshots = {&ready, nullptr}}).trouble.message,
            "the snapshot of claim wal was deleted");
  EXPECT_EQ(state_of(two_claims(), {.snapshots = {&going, &ready}}).trouble.reason, "SnapshotGone");
}

TEST(StandingCuts, AnotherInItsPlaceIsNamed) {
  CutInputs inputs = two_claims();
  const SnapshotSeen ready = snapshot("one", true);
  inputs.claims[0].snapshot_uid = std::string(ready.object.uid());
  EXPECT_EQ(replaced_cut(inputs, {}, {.snapshots = {&ready, &ready}}), "");
  inputs.claims[1].snapshot_uid = "u-of-the-cut";
  EXPECT_EQ(replaced_cut(inputs, {}, {.snapshots = {&ready, &ready}}),
            "VolumeSnapshot one of claim wal");
  inputs.cut = Cut::Group;
  EXPECT_EQ(replaced_cut(inputs, {"u-of-the-cut"}, {.group = &ready, .snapshots = {}}),
            "VolumeGroupSnapshot one");
}

TEST(StandingCuts, AreLookedAtLessOftenTheLongerTheyTake) {
  const WallTime cut{60s};
  EXPECT_EQ(cut_patience("1970-01-01T00:01:00Z", cut), 500ms);
  EXPECT_EQ(cut_patience("1970-01-01T00:01:00Z", cut + 16s), 2s);
  EXPECT_EQ(cut_patience("1970-01-01T00:01:00Z", cut + 1h), 30s);
  EXPECT_EQ(cut_patience("", cut), 500ms);
}

TEST(StandingCuts, GoOneAfterTheOther) {
  const kube::GroupKinds kinds;
  const SnapshotSeen one = snapshot("one", true), two = snapshot("two", true);
  SnapshotSeen going = one;
  going.deleting = true;
  EXPECT_EQ(written(*remove_cuts(kinds, {.snapshots = {&going, &two}})),
            "delete volumesnapshots.snapshot.storage.k8s.io shop/two");
  EXPECT_EQ(remove_cuts(kinds, {.snapshots = {&going, nullptr}})->reason, "SnapshotsGoing");
  EXPECT_FALSE(remove_cuts(kinds, {.snapshots = {nullptr, nullptr}}));
  EXPECT_EQ(remove_cuts(kinds, {.group = &going, .snapshots = {&two}})->reason, "SnapshotsGoing");
}

}  // namespace
}  // namespace holdfast::protect
