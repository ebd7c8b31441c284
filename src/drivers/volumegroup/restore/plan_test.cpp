#include "restore/plan.h"

#include "action/objects.h"
#include "action/objects_for_tests.h"

#include <gtest/gtest.h>

namespace holdfast::drivers::volumegroup {
namespace {

using control::Outcome;
using model::Object;
using model::string_at;
using model::Value;
using Conflict = VolumeGroupAction::Restore::Conflict;

/// A restore of one claim, accepted; nothing made yet.
ActionSeen restoring(const std::string& what, State step = State::Started) {
  ActionSeen out;
  out.object = object("VolumeGroupAction", "run");
  out.ns = "shop";
  out.name = "run";
  out.uid = "u-1";
  out.has_finalizer = true;
  out.now = WallTime(std::chrono::seconds(1767225600));
  VolumeGroupAction::Status& status = out.action.status;
  status.state = State::Restoring;
  status.restoring = what;
  status.restores = 1;
  status.restored.emplace();
  status.restored->running = {{.name = what, .state = step}};
  status.inputs.emplace();
  ClaimRecord claim;
  claim.ns = "shop";
  claim.name = "data";
  claim.uid = "c-uid";
  claim.size = "1Gi";
  claim.snapshot_id = "abc";
  status.inputs->claims = {claim};
  status.triggered.emplace();
  status.triggered->references.resources = {
      {.name = "data", .ns = "shop", .items = {{"snapshot", {"cut"}}}}};
  MemberSeen member;
  member.target_ns = "shop";
  member.target_name = "data";
  member.staged_ns = "shop";
  member.staged_name = staged_name(status, out.uid, claim);
  member.snapshot = SnapshotSeen{.object = object("VolumeSnapshot", "cut"), .ready = true};
  out.members.push_back(std::move(member));
  return out;
}

std::string next(const ActionSeen& seen) {
  const std::optional<Outcome> out = plan_restore(seen, {});
  if (!out) return "done";
  if (out->write() == nullptr) return "wait " + out->reason;
  return out->write()->text();
}

std::string failure(const ActionSeen& seen) {
  const std::optional<Outcome> out = plan_restore(seen, {});
  if (!out || out->write() == nullptr || !out->write()->note) return "";
  return out->write()->note->reason;
}

protect::handover::Claim claim(std::string_view name, bool bound = true) {
  protect::handover::Claim out;
  out.object = object("PersistentVolumeClaim", name);
  out.volume = "pv-old";
  out.bound = bound;
  return out;
}

protect::handover::Volume volume(std::string_view name, const std::string& policy) {
  protect::handover::Volume out;
  out.object = object("PersistentVolume", name);
  out.policy = policy;
  return out;
}

TEST(RestorePlan, AClaimThatIsThereIsAConflictByName) {
  ActionSeen seen = restoring("restore", State::Pending);
  seen.members[0].target = claim("data");
  EXPECT_EQ(failure(seen), "ClaimsExist");
}

TEST(RestorePlan, ReplaceIsRefusedWhileAPodUsesTheClaim) {
  ActionSeen seen = restoring("restore", State::Pending);
  seen.action.status.restore = VolumeGroupAction::Restore{.conflict = Conflict::Replace};
  seen.members[0].target = claim("data");
  seen.members[0].users = {"db-0"};
  EXPECT_EQ(failure(seen), "ClaimInUse");
}

TEST(RestorePlan, ARevertNeedsItsSnapshot) {
  ActionSeen seen = restoring("revert", State::Pending);
  seen.members[0].snapshot.reset();
  EXPECT_EQ(failure(seen), "SnapshotGone");
}

TEST(RestorePlan, TheLabelOfARefusedWishGoesFirst) {
  ActionSeen seen = restoring("revert", State::Pending);
  seen.members[0].snapshot.reset();
  seen.label_key = kTrigger;
  seen.label = "revert";
  EXPECT_EQ(next(seen), "patch volumegroupactions.longhorn.io shop/run");
}

TEST(RestorePlan, AVolumeIsKeptOnlyWhenItsMoveHasLetItGo) {
  ActionSeen seen = restoring("restore");
  MemberSeen& its = seen.members[0];
  const std::string staged =
      staged_name(seen.action.status, seen.uid, seen.action.status.inputs->claims[0]);
  its.staged = claim(staged);
  its.fresh = volume("pv-new", "Retain");
  its.download.emplace();
  its.download->move.status.phase = protect::DataMove::Phase::Completed;

  its.download->object = object("DataMove", staged, {"holdfast.dev/data-move"});
  EXPECT_EQ(next(seen), "wait MoveClearingAway") << "it would set the policy back after us";
  its.download->object = object("DataMove", staged);
  EXPECT_EQ(next(seen), "patch persistentvolumes shop/pv-new");
}

TEST(RestorePlan, TheOldClaimStaysUntilTheNewVolumeIsFullAndKept) {
  ActionSeen seen = restoring("revert");
  MemberSeen& its = seen.members[0];
  const std::string staged =
      staged_name(seen.action.status, seen.uid, seen.action.status.inputs->claims[0]);
  its.target = claim("data");
  its.old = volume("pv-old", "Delete");

  EXPECT_EQ(next(seen), "create persistentvolumeclaims shop/" + staged);
  its.staged = claim(staged);
  EXPECT_EQ(next(seen), "create pods shop/" + staged);
  its.prover = object("Pod", staged);
  EXPECT_EQ(next(seen), "wait Proving");
  its.prover_phase = "Succeeded";
  its.fresh = volume("pv-new", "Delete");
  EXPECT_EQ(next(seen), "patch persistentvolumes shop/pv-new");
  its.fresh->restored_by = staged;
  its.fresh->policy = "Retain";
  its.fresh->first_policy = "Delete";
  EXPECT_EQ(next(seen), "delete pods shop/" + staged);
  its.prover = {};
  EXPECT_EQ(next(seen), "delete persistentvolumeclaims shop/" + staged) << "first what is ours";
  its.staged.reset();
  EXPECT_EQ(next(seen), "patch persistentvolumes shop/pv-old") << "what is replaced is kept";
  its.old->policy = "Retain";
  EXPECT_EQ(next(seen), "delete persistentvolumeclaims shop/data");
  its.target.reset();
  EXPECT_EQ(next(seen), "patch persistentvolumes shop/pv-new") << "reserved for the claim";
  its.fresh->claim_ns = "shop";
  its.fresh->claim_name = "data";
  EXPECT_EQ(next(seen), "wait VolumeNotAvailable");
  its.fresh->phase = "Available";
  EXPECT_EQ(next(seen), "create persistentvolumeclaims shop/data");
  its.target = claim("data");
  its.target->volume = "pv-new";
  its.target->restored_by = staged;
  EXPECT_EQ(next(seen), "patch persistentvolumes shop/pv-new") << "its own policy again";
  its.fresh->first_policy.clear();
  EXPECT_EQ(next(seen), "done");
}

TEST(RestorePlan, FourVolumesAreProvenSideBySide) {
  ActionSeen seen = restoring("revert");
  const MemberSeen first = seen.members[0];
  for (int i = 1; i < 6; ++i) {
    seen.members.push_back(first);
    seen.members.back().staged_name += std::to_string(i);
    seen.action.status.inputs->claims.push_back(seen.action.status.inputs->claims[0]);
  }
  const auto prove = [&](size_t i) {
    seen.members[i].staged = claim(seen.members[i].staged_name);
    seen.members[i].prover = object("Pod", seen.members[i].staged_name);
  };

  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(next(seen), "create persistentvolumeclaims shop/" + seen.members[i].staged_name);
    prove(i);
  }
  EXPECT_EQ(next(seen), "wait Proving") << "the others cost a pod each";
  seen.members[2].prover_phase = "Succeeded";
  seen.members[2].fresh = volume("pv-new", "Retain");
  seen.members[2].fresh->restored_by = seen.members[2].staged_name;
  EXPECT_EQ(next(seen), "create persistentvolumeclaims shop/" + seen.members[4].staged_name);
  prove(4);
  seen.members[3].prover_phase = "Failed";

  EXPECT_EQ(failure(seen), "SnapshotNotMountable") << "whichever is the first";
}

TEST(RestorePlan, AVolumeThatCannotBeMountedReplacesNothing) {
  ActionSeen seen = restoring("revert");
  MemberSeen& its = seen.members[0];
  its.target = claim("data");
  its.staged = claim("staged");
  its.prover = object("Pod", "prover");
  its.prover_phase = "Failed";
  EXPECT_EQ(failure(seen), "SnapshotNotMountable");
}

TEST(RestorePlan, AClaimMadeMeanwhileIsNotReplacedUnasked) {
  ActionSeen seen = restoring("restore");
  MemberSeen& its = seen.members[0];
  its.staged = claim("staged");
  its.fresh = volume("pv-new", "Retain");
  its.fresh->restored_by = "staged";
  its.target = claim("data");
  EXPECT_EQ(failure(seen), "ClaimsExist");
}

TEST(RestorePlan, ASwitchThatHasBegunIsFinishedBeforeTheActionGoes) {
  ActionSeen seen = restoring("revert");
  seen.deleting = true;
  MemberSeen& its = seen.members[0];
  its.staged = claim(its.staged_name);
  its.fresh = volume("pv-new", "Retain");
  its.fresh->restored_by = its.staged_name;
  its.fresh->first_policy = "Delete";
  EXPECT_FALSE(finish_switch(seen)) << "nothing of the application's has been touched";

  its.staged.reset();
  EXPECT_EQ(plan_action(seen, {}).write()->text(), "patch persistentvolumes shop/pv-new");
  its.fresh->claim_ns = "shop";
  its.fresh->claim_name = "data";
  its.fresh->phase = "Available";
  EXPECT_EQ(plan_action(seen, {}).write()->text(), "create persistentvolumeclaims shop/data");
  seen.target_going = true;
  EXPECT_FALSE(finish_switch(seen)) << "nothing can be made in a namespace that goes";
}

TEST(RestorePlan, PodsOfAFailedRestoreGoBeforeTheClaimsThatTheyMount) {
  ActionSeen seen = restoring("restore");
  seen.members[0].staged = claim("staged");
  seen.members.emplace_back();
  seen.members[1].prover = object("Pod", "log");
  EXPECT_EQ(clear_restore(seen)->write()->text(), "delete pods shop/log");
}

TEST(RestorePlan, WhatAFailedRestoreMadeGoesWithItsOwnPolicy) {
  ActionSeen seen = restoring("restore");
  MemberSeen& its = seen.members[0];
  its.staged = claim("staged");
  its.fresh = volume("pv-new", "Retain");
  its.fresh->first_policy = "Delete";

  EXPECT_EQ(clear_restore(seen)->write()->text(), "patch persistentvolumes shop/pv-new");
  its.fresh->first_policy.clear();
  EXPECT_EQ(clear_restore(seen)->write()->text(), "delete persistentvolumeclaims shop/staged");
  its.staged.reset();
  EXPECT_FALSE(clear_restore(seen));
}

}  // namespace
}  // namespace holdfast::drivers::volumegroup
