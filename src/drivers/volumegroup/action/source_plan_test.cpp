// Search for a backup that only a repository knows: in which repositories, and what is taken.
#include "action/source_plan.h"

#include "action/objects_for_tests.h"
#include "action/plan.h"

#include <gtest/gtest.h>

namespace holdfast::drivers::volumegroup {
namespace {

using control::Outcome;
using model::string_at;
using protect::DataMove;
using Strings = std::vector<std::string>;

const GroupSettings kAdmins{.admin_namespaces = {"admins"}};

constexpr const char* kCatalogue =
    R"({"version":1,"group":"admins/db","id":"u","time":"2026-01-02T03:04:05Z",
        "consistency":"Application","claims":[{"namespace":"elsewhere","name":"data","size":"1Gi",
        "snapshotID":"abc","volumeSnapshotUID":"s"}]})";

/// An action in `ns` that is to find a backup of the group admins/db, and has begun.
ActionSeen finding(const std::string& ns, const std::string& named) {
  ActionSeen out;
  out.object = object("VolumeGroupAction", "found");
  out.ns = ns;
  out.name = "found";
  out.uid = "u-1";
  out.has_finalizer = true;
  out.action.spec.action = GroupAction::Backup;
  out.action.spec.source = VolumeGroupAction::Source{.group = "admins/db", .ns = named};
  out.action.status.state = State::Pending;
  out.action.status.triggered.emplace();
  out.action.status.triggered->running = {{.name = "find"}};
  out.searches = searches_of(out, kAdmins);
  return out;
}

UsedMove ended(const std::string& reason) {
  UsedMove out{.object = object("DataMove", "search")};
  out.move.status.phase = reason.empty() ? DataMove::Phase::Completed : DataMove::Phase::Failed;
  if (!reason.empty())
    out.move.status.conditions = {{"Completed", "False", reason, "of the move", "", 0}};
  return out;
}

UsedMove with_backup() {
  UsedMove out = ended("");
  out.move.status.documents = {{.snapshot_id = "c1", .content = kCatalogue}};
  return out;
}

/// The repository that the next step searches; else the reason in the status that it writes, or
/// that it waits for.
std::string next(const ActionSeen& seen) {
  const Outcome out = plan_source(seen, kAdmins);
  if (out.write() == nullptr) return "wait " + out.reason;
  if (out.write()->verb == control::Write::Verb::Create)
    return "search " + std::string(string_at(out.write()->body, {"spec", "repository"}));
  for (const model::Value& each : model::array_at(out.write()->body, {"status", "conditions"}))
    if (string_at(each, {"type"}) == "Completed") return std::string(string_at(each, {"reason"}));
  return "nothing";
}

std::string found_in(const ActionSeen& seen) {
  const Outcome out = plan_source(seen, kAdmins);
  return std::string(string_at(out.write()->body, {"status", "inputs", "repository"}));
}

TEST(SourcePlan, ANamespaceMeansWhatItsAdministratorsHaveBackedUpOfIt) {
  ActionSeen seen = finding("admins", "shop");
  EXPECT_EQ(next(seen), "search admins.shop");
  seen.searches[0].move.emplace();
  EXPECT_EQ(next(seen), "wait Searching") << "one after the other";
  seen.searches[0].move = with_backup();
  EXPECT_EQ(next(seen), "Found") << "the other one is not asked";
  EXPECT_EQ(found_in(seen), "admins.shop");
  const Outcome out = plan_source(seen, kAdmins);
  EXPECT_EQ(string_at(out.write()->body, {"status", "inputs", "namespace"}), "shop");
  const model::Value& claim =
      model::array_at(out.write()->body, {"status", "inputs", "claims"}).at(0);
  EXPECT_EQ(string_at(claim, {"namespace"}), "shop") << "whatever the catalogue says";
  EXPECT_EQ(string_at(claim, {"volumeSnapshotUID"}), "");
}

TEST(SourcePlan, BackupsFromBeforeAreFoundInTheNamespacesOwn) {
  for (const char* first : {"RepositoryNotFound", ""}) {
    ActionSeen seen = finding("admins", "shop");
    seen.searches[0].move = ended(first);
    EXPECT_EQ(next(seen), "search shop");
    seen.searches[1].move = with_backup();
    EXPECT_EQ(next(seen), "Found");
    EXPECT_EQ(found_in(seen), "shop");
  }
}

TEST(SourcePlan, WhatCouldNotBeReadIsNoProofThatItIsNotThere) {
  ActionSeen seen = finding("admins", "shop");
  seen.searches[0].move = ended("Unreachable");
  EXPECT_EQ(next(seen), "Unreachable");
}

TEST(SourcePlan, WhatIsInNeitherIsNotFound) {
  ActionSeen seen = finding("admins", "shop");
  seen.searches[0].move = seen.searches[1].move = ended("RepositoryNotFound");
  EXPECT_EQ(next(seen), "RepositoryNotFound");
  seen.searches[0].move = ended("");
  EXPECT_EQ(next(seen), "BackupNotFound") << "the first is there, without it";
}

TEST(SourcePlan, ARepositoryThatIsNamedExactlyIsTheOnlyOne) {
  ActionSeen seen = finding("admins", "others.shop");
  ASSERT_EQ(seen.searches.size(), 1U);
  EXPECT_EQ(next(seen), "search others.shop");
  EXPECT_EQ(finding("admins", "").searches.size(), 1U);
  EXPECT_EQ(finding("admins", "admins").searches.size(), 1U);
}

TEST(SourcePlan, ATenantIsShownItsOwnRepositoryAlone) {
  const ActionSeen seen = finding("shop", "shop");
  ASSERT_EQ(seen.searches.size(), 1U);
  EXPECT_EQ(seen.searches[0].repository, "shop");
  EXPECT_EQ(next(finding("shop", "admins.shop")), "NamespaceNotAllowed");
}

TEST(SourcePlan, EachSearchHasAMoveOfItsOwn) {
  const ActionSeen seen = finding("admins", "shop");
  ASSERT_EQ(seen.searches.size(), 2U);
  EXPECT_NE(seen.searches[0].name, seen.searches[1].name);
  EXPECT_EQ(seen.searches[1].name, finding("shop", "shop").searches[0].name)
      << "begun before there were two, it is gone on with";
}

TEST(SourcePlan, BothMovesGoWhenItRests) {
  ActionSeen seen = finding("admins", "shop");
  seen.action.status.state = State::Completed;
  seen.searches[1].move = ended("");
  EXPECT_EQ(plan_action(seen, kAdmins).write()->text(),
            "delete datamoves.holdfast.dev shop/search");
}

}  // namespace
}  // namespace holdfast::drivers::volumegroup
