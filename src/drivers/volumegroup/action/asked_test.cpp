// Read-once spec of an action: later edits are ignored, and reported.
#include <holdfast/control/asked.h>

#include "action/objects_for_tests.h"
#include "action/plan.h"
#include "controllers.h"

#include <gtest/gtest.h>

#include <set>

namespace holdfast::drivers::volumegroup {
namespace {

using model::array_at;
using model::find;
using model::string_at;
using model::Value;

VolumeGroupAction begun() {
  VolumeGroupAction out;
  out.spec.group = "db";
  out.spec.action = GroupAction::Snapshot;
  out.spec.members = {"data"};
  out.status.asked = out.spec;
  out.status.state = State::Completed;
  return out;
}

ActionSeen seen_of(VolumeGroupAction action) {
  ActionSeen out;
  out.object = object("VolumeGroupAction", "run");
  out.ns = "shop";
  out.name = "run";
  out.action = std::move(action);
  out.edited = control::keep_to_asked(out.action);
  return out;
}

TEST(Asked, AnEditIsNamedAndNotObeyed) {
  VolumeGroupAction action = begun();
  EXPECT_TRUE(control::keep_to_asked(action).empty());
  action.spec.action = GroupAction::Backup;
  action.spec.members.clear();
  action.spec.dry_run = true;
  action.spec.source.emplace();
  action.spec.deletion_policy = VolumeGroupAction::Deletion::Retain;

  const std::vector<std::string> edited = control::keep_to_asked(action);

  EXPECT_EQ(edited, (std::vector<std::string>{"spec.action", "spec.dryRun", "spec.members",
                                              "spec.source"}));
  EXPECT_EQ(action.spec.action, GroupAction::Snapshot);
  EXPECT_EQ(action.spec.members, std::vector<std::string>{"data"});
  EXPECT_FALSE(action.spec.dry_run || action.spec.source);
  EXPECT_EQ(action.spec.deletion_policy, VolumeGroupAction::Deletion::Retain) << "may be changed";
}

TEST(Asked, BeforeItBeganAnythingMayBeAsked) {
  VolumeGroupAction action = begun();
  action.status.asked.reset();
  action.spec.action = GroupAction::Backup;
  EXPECT_TRUE(control::keep_to_asked(action).empty());
  EXPECT_EQ(action.spec.action, GroupAction::Backup);
}

TEST(Asked, WhoeverEditsIsToldOnceUntilItIsPutBack) {
  VolumeGroupAction action = begun();
  action.spec.action = GroupAction::Backup;
  const control::Outcome told = plan_action(seen_of(action), {});
  ASSERT_NE(told.write(), nullptr);
  const Value& condition = array_at(told.write()->body, {"status", "conditions"}).at(0);
  EXPECT_EQ(string_at(condition, {"type"}), "SpecChanged");
  EXPECT_EQ(string_at(condition, {"reason"}), "SpecCannotChange");
  EXPECT_TRUE(string_at(condition, {"message"}).starts_with("spec.action changed"));

  action.status.conditions = {{"SpecChanged", "True", "SpecCannotChange",
                               std::string(string_at(condition, {"message"})), "", 0}};
  EXPECT_EQ(plan_action(seen_of(action), {}).write(), nullptr);

  action.spec.action = GroupAction::Snapshot;
  const control::Outcome put_back = plan_action(seen_of(action), {});
  ASSERT_NE(put_back.write(), nullptr);
  EXPECT_TRUE(array_at(put_back.write()->body, {"status", "conditions"}).empty());
}

TEST(Asked, TheServerRefusesEditsByTheDefinition) {
  const std::vector<Value> all = definitions();
  const Value& version = array_at(all.front(), {"spec", "versions"}).at(0);
  model::FieldErrors errors;
  const model::StructuralSchema built =
      model::build_structural(*find(version, {"schema", "openAPIV3Schema"}), "schema", errors);
  ASSERT_TRUE(errors.empty() && built.unenforced.empty());
  const VolumeGroupAction before = begun();
  VolumeGroupAction after = before;
  after.spec.group = "other";
  after.spec.action = GroupAction::Backup;
  after.spec.dry_run = true;
  after.spec.members.clear();
  after.spec.source.emplace();
  after.spec.restore.emplace();
  after.spec.deletion_policy = VolumeGroupAction::Deletion::Retain;

  const Value old = model::encode_object(before);
  model::check_rules(model::encode_object(after), &old, built.root, errors);

  std::set<std::string> fields;
  for (const model::FieldError& error : errors) fields.insert(error.field);
  EXPECT_EQ(fields, (std::set<std::string>{"spec.volumeGroup", "spec.action", "spec.dryRun",
                                           "spec.members", "spec.source"}));
}

}  // namespace
}  // namespace holdfast::drivers::volumegroup
