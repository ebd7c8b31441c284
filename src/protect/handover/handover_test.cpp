// Hand-over of a volume: the order of its steps, in which no copy is lost, and what it writes.
#include <holdfast/protect/cut/handover.h>

#include "plans_for_tests.h"

#include <gtest/gtest.h>

namespace holdfast::protect::handover {
namespace {

using control::Outcome;
using model::find;
using model::Object;
using model::string_at;
using model::Value;

constexpr control::Mark kMark{"holdfast.dev/test", "holdfast.dev/test-of"};
const Owned kOwned{kMark, {"shop", "run", "u-run"}};

ClaimRecord record() {
  ClaimRecord out;
  out.ns = "shop";
  out.name = "data";
  out.storage_class = "fast";
  out.size = "1Gi";
  out.volume_mode = "Filesystem";
  out.access_modes = {"ReadWriteOnce"};
  out.labels = {{"app", "db"}};
  out.annotations = {{"team", "orders"}};
  return out;
}

Claim claim(std::string_view name, const std::string& volume) {
  Claim out;
  out.object = cached_object("shop", name);
  out.uid = "u1";
  out.volume = volume;
  out.bound = true;
  return out;
}

/// Filled, proven and kept, beside a claim that lives.
Seen filled() {
  Seen out;
  out.staged_ns = out.target_ns = "shop";
  out.staged_name = "staged";
  out.target_name = "data";
  out.target = claim("data", "pv-old");
  out.staged = claim("staged", "pv-new");
  out.old.emplace();
  out.old->object = cached_object("", "pv-old");
  out.old->policy = "Delete";
  out.fresh.emplace();
  out.fresh->object = cached_object("", "pv-new");
  out.fresh->policy = "Retain";
  out.fresh->first_policy = "Delete";
  out.fresh->restored_by = "staged";
  return out;
}

const Value& body(const std::optional<Outcome>& step) { return step->write()->body; }

std::optional<Outcome> next(const Seen& seen) { return put_in_place(seen, kOwned, record(), {}); }

// Without Retain the old volume would be gone with its claim, and with it the only other copy.
TEST(Handover, TheOldVolumeIsKeptBeforeItsClaimGoes) {
  Seen seen = filled();
  seen.staged.reset();
  std::optional<Outcome> step = next(seen);
  EXPECT_EQ(written(*step), "patch persistentvolumes pv-old");
  EXPECT_EQ(string_at(body(step), {"spec", "persistentVolumeReclaimPolicy"}), "Retain");
  EXPECT_EQ(step->write()->only.resource_version, "7") << "only as it was seen";

  seen.old->policy = "Retain";
  EXPECT_EQ(written(*next(seen)), "delete persistentvolumeclaims shop/data");
  seen.target->deleting = true;
  EXPECT_EQ(next(seen)->reason, "ClaimGoing");
}

TEST(Handover, NothingGoesWhileTheNewVolumeIsNotSeen) {
  Seen seen = filled();
  seen.staged.reset();
  seen.fresh.reset();
  seen.target.reset();
  EXPECT_EQ(next(seen)->reason, "WaitingForVolume");
}

TEST(Handover, TheVolumeIsReservedBeforeTheClaimIsMade) {
  Seen seen = filled();
  seen.staged.reset();
  seen.target.reset();
  std::optional<Outcome> step = next(seen);
  EXPECT_EQ(written(*step), "patch persistentvolumes pv-new");
  EXPECT_EQ(string_at(body(step), {"spec", "claimRef", "name"}), "data");
  EXPECT_TRUE(find(body(step), {"spec", "claimRef", "uid"})->is_null()) << "it is to be made";

  seen.fresh->claim_ns = "shop";
  seen.fresh->claim_name = "data";
  seen.fresh->phase = "Released";
  EXPECT_EQ(next(seen)->reason, "VolumeNotAvailable") << "it could be given another one";
  seen.fresh->phase = "Available";
  step = next(seen);
  EXPECT_EQ(written(*step), "create persistentvolumeclaims shop/data");
  EXPECT_EQ(find(body(step), {"spec", "volumeName"}), nullptr) << "the binder's workers collide";
  EXPECT_EQ(string_at(body(step), {"metadata", "labels", "app"}), "db");
  EXPECT_EQ(string_at(body(step), {"metadata", "annotations", "team"}), "orders");
  EXPECT_EQ(string_at(body(step), {"metadata", "annotations", kRestoredBy}), "staged");
  EXPECT_EQ(string_at(body(step), {"metadata", "annotations", kMark.annotation}), "shop/run");

  // Still of the claim that it was filled in: the binder would take it from nobody.
  seen.fresh->claim_uid = "u-staged";
  EXPECT_EQ(written(*next(seen)), "patch persistentvolumes pv-new");
}

TEST(Handover, TheVolumeGetsItsOwnPolicyBackWhenItIsBound) {
  Seen seen = filled();
  seen.staged.reset();
  seen.target = claim("data", "pv-new");
  seen.target->restored_by = "staged";
  seen.target->bound = false;
  EXPECT_EQ(next(seen)->reason, "Binding");

  seen.target->bound = true;
  const std::optional<Outcome> step = next(seen);
  EXPECT_EQ(string_at(body(step), {"spec", "persistentVolumeReclaimPolicy"}), "Delete");
  EXPECT_TRUE(find(body(step), {"metadata", "labels", kMark.label})->is_null());
  EXPECT_TRUE(find(body(step), {"metadata", "annotations", kFirstPolicy})->is_null());

  seen.fresh->first_policy.clear();
  EXPECT_FALSE(next(seen));
}

// The binder has its own view of things, and nobody can be sure of it.
TEST(Handover, AClaimThatWasGivenAnotherVolumeIsMadeAgain) {
  Seen seen = filled();
  seen.staged.reset();
  seen.target = claim("data", "pv-other");
  seen.target->restored_by = "staged";
  EXPECT_EQ(written(*next(seen)), "delete persistentvolumeclaims shop/data");
  seen.target->deleting = true;
  EXPECT_EQ(next(seen)->reason, "ClaimGoing");

  seen.target->volume.clear();
  seen.target->deleting = seen.target->bound = false;
  EXPECT_EQ(next(seen)->reason, "Binding");
}

TEST(Handover, ItsOwnerIsWokenWhenAVolumeBecomesAvailable) {
  const auto seen_in = [](const char* phase) {
    Object annotations;
    annotations[kMark.annotation] = "shop/run";
    return kube::Cached::from_value(
               Object{{"metadata", Object{{"name", "pv"}, {"annotations", std::move(annotations)}}},
                      {"status", Object{{"phase", phase}}}})
        .take();
  };
  const auto keys = [&](const char* before, const char* after) {
    return owner_of_available(kMark)(
        {kube::Change::Kind::Updated, seen_in(before), seen_in(after)});
  };

  EXPECT_EQ(keys("Released", "Available"), (control::Keys{{"shop", "run"}}));
  EXPECT_TRUE(keys("Available", "Available").empty());
  EXPECT_TRUE(keys("Available", "Bound").empty());
}

TEST(Handover, WhatIsKeptRemembersItsFirstPolicyOnce) {
  Volume volume = *filled().fresh;
  volume.first_policy.clear();
  volume.policy = "Delete";
  const control::Write first = keep(volume, kOwned, "staged");
  EXPECT_EQ(string_at(first.body, {"metadata", "annotations", kFirstPolicy}), "Delete");
  EXPECT_EQ(string_at(first.body, {"metadata", "labels", kMark.label}), "u-run");
  EXPECT_EQ(string_at(first.body, {"metadata", "annotations", kMark.annotation}), "shop/run");
  EXPECT_EQ(string_at(first.body, {"spec", "persistentVolumeReclaimPolicy"}), "Retain");

  volume.first_policy = "Delete";
  volume.policy = "Retain";
  const control::Write again = keep(volume, kOwned);
  EXPECT_EQ(find(again.body, {"metadata", "annotations", kFirstPolicy}), nullptr)
      << "Retain would be taken for its own";
}

TEST(Handover, AClaimInUseOrMadeMeanwhileIsNotReplaced) {
  Seen seen = filled();
  EXPECT_EQ(occupied(seen, false)->reason, "ClaimsExist");
  EXPECT_FALSE(occupied(seen, true));
  seen.users = {"db-0"};
  EXPECT_EQ(occupied(seen, true)->reason, "ClaimInUse");

  seen.target->restored_by = "staged";
  EXPECT_FALSE(occupied(seen, true)) << "it is the one that was put in place";
  seen.target.reset();
  EXPECT_FALSE(occupied(seen, false));
}

// With its claim a volume that is kept would stay for ever, and nobody would know of it.
TEST(Handover, WhatIsGivenUpGoesWithItsVolume) {
  Seen seen = filled();
  std::optional<Outcome> step = clear(seen, kMark);
  EXPECT_EQ(written(*step), "patch persistentvolumes pv-new");
  EXPECT_EQ(string_at(body(step), {"spec", "persistentVolumeReclaimPolicy"}), "Delete");

  seen.fresh->first_policy.clear();
  EXPECT_EQ(written(*clear(seen, kMark)), "delete persistentvolumeclaims shop/staged");
  seen.staged->deleting = true;
  EXPECT_EQ(clear(seen, kMark)->reason, "StagedClaimGoing");
  seen.staged.reset();
  EXPECT_FALSE(clear(seen, kMark));
}

TEST(Handover, AnotherClassMayBeAskedForAndASnapshotFillsIt) {
  const control::Write staged = make_staged(filled(), kOwned, record(), {{"fast", "slow"}}, "cut");
  EXPECT_EQ(string_at(staged.body, {"spec", "storageClassName"}), "slow");
  EXPECT_EQ(string_at(staged.body, {"spec", "dataSource", "name"}), "cut");
  EXPECT_EQ(string_at(staged.body, {"metadata", "labels", kMark.label}), "u-run");

  const control::Write empty = make_staged(filled(), kOwned, record(), {}, "");
  EXPECT_EQ(string_at(empty.body, {"spec", "storageClassName"}), "fast");
  EXPECT_EQ(find(empty.body, {"spec", "dataSource"}), nullptr);
}

// A device has no file system to mount.
TEST(Handover, AProverTakesABlockVolumeAsADevice) {
  const auto container = [](const ClaimRecord& of) {
    const control::Write pod = make_prover(filled(), kOwned, of, "image", {"holdfast"});
    return model::array_at(pod.body, {"spec", "containers"}).at(0);
  };
  ClaimRecord block = record();
  block.volume_mode = "Block";
  EXPECT_NE(find(container(block), {"volumeDevices"}), nullptr);
  EXPECT_EQ(find(container(block), {"volumeMounts"}), nullptr);
  EXPECT_NE(find(container(record()), {"volumeMounts"}), nullptr);
}

}  // namespace
}  // namespace holdfast::protect::handover
