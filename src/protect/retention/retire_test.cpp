#include <holdfast/protect/retire.h>

#include "pass_for_tests.h"

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

const WallTime kNow{std::chrono::hours(24 * 365)};

PointSeen point(const char* name, const char* created, const char* completed, bool forgets) {
  auto object = kube::Cached::from_text(
      std::string(R"({"metadata":{"namespace":"shop","name":")") + name +
      R"(","uid":"u","resourceVersion":"7","creationTimestamp":")" + created + R"("}})");
  PointSeen out = point_of(*object, {{"Completed", completed, "", "", "", 0}}, true, kNow);
  out.forgets = forgets;
  return out;
}

TEST(Retire, LetsTheOldestGoAndOneAtATime) {
  const std::vector<PointSeen> points = {point("b", "1970-06-02T00:00:00Z", "True", true),
                                         point("a", "1970-06-01T00:00:00Z", "True", true),
                                         point("c", "1970-06-03T00:00:00Z", "True", true)};
  const auto write = retire_one(kube::kPods, points, {.keep_last = 1}, kNow);
  ASSERT_TRUE(write);
  EXPECT_EQ(write->text(), "delete pods shop/a");
  EXPECT_FALSE(retire_one(kube::kPods, points, {.keep_last = 3}, kNow));
}

TEST(Retire, WhatStaysBehindIsToldToGoFirst) {
  const std::vector<PointSeen> points = {point("a", "1970-06-01T00:00:00Z", "True", false),
                                         point("b", "1970-06-02T00:00:00Z", "True", false)};
  const auto write = retire_one(kube::kPods, points, {.keep_last = 1}, kNow);
  ASSERT_TRUE(write);
  EXPECT_EQ(write->text(), "patch pods shop/a");
  EXPECT_EQ(model::string_at(write->body, {"spec", "deletionPolicy"}), "Delete");
}

TEST(Retire, AFailureIsNoPointThatCounts) {
  const std::vector<PointSeen> points = {point("a", "1970-06-01T00:00:00Z", "True", true),
                                         point("b", "1970-06-02T00:00:00Z", "False", true)};
  EXPECT_FALSE(retire_one(kube::kPods, points, {.keep_last = 1}, kNow));
}

TEST(Retire, WhatItsLocationKeepsStaysAndIsTold) {
  std::vector<PointSeen> points = {point("a", "1970-06-01T00:00:00Z", "True", true),
                                   point("b", "1970-06-02T00:00:00Z", "True", true),
                                   point("c", "1970-06-03T00:00:00Z", "True", true)};
  EXPECT_EQ(held_back(points, {.keep_last = 1}, kNow).reason, "");
  points[0].held = held_by({{"ForgetNotAllowed", "not listed"}, {}}, kNow, kNow);

  const auto write = retire_one(kube::kPods, points, {.keep_last = 1}, kNow);

  ASSERT_TRUE(write);
  EXPECT_EQ(write->text(), "delete pods shop/b") << "the others go all the same";
  const control::Refusal told = held_back(points, {.keep_last = 1}, kNow);
  EXPECT_EQ(told.reason, "ForgetNotAllowed");
  EXPECT_NE(told.message.find("the oldest is a: not listed"), std::string::npos) << told.message;
  EXPECT_EQ(held_back(points, {.keep_last = 3}, kNow).reason, "") << "nothing is to go";
}

TEST(Retire, WhatIsTooYoungIsHeldUntilItIsNot) {
  const ForgetRule rule{{}, std::chrono::hours(24)};
  const control::Refusal why = held_by(rule, kNow, kNow + std::chrono::hours(23));
  EXPECT_EQ(why.reason, "MinimumRetention");
  EXPECT_NE(why.message.find("1971-01-02T00:00:00Z"), std::string::npos) << why.message;
  EXPECT_EQ(held_by(rule, kNow, kNow + std::chrono::hours(24)).reason, "");
}

/// The newer of the two points as the server has it now.
model::Value held(const char* name, const char* completed) {
  using model::Array, model::Object;
  return Object{{"metadata", Object{{"namespace", "shop"}, {"name", name}, {"uid", "u"}}},
                {"status", Object{{"conditions",
                                   Array{Object{{"type", "Completed"}, {"status", completed}}}}}}};
}

std::vector<PointSeen> two_points() {
  return {point("a", "1970-06-01T00:00:00Z", "True", true),
          point("b", "1970-06-02T00:00:00Z", "True", true)};
}

// Caches show a newer point that was deleted a second ago: the elder is the last one there is.
TEST(Retire, ThePointThatOthersGoForIsReadFromTheServer) {
  PassOverServer pass(kNow);
  std::vector<PointSeen> points = two_points();
  ASSERT_TRUE(confirm_newest(pass, kube::kPods, points, {.keep_last = 1}, kNow));
  EXPECT_FALSE(retire_one(kube::kPods, points, {.keep_last = 1}, kNow)) << "the last good one";

  points = two_points();
  pass.server().hold(kube::kPods, held("b", "False"));
  ASSERT_TRUE(confirm_newest(pass, kube::kPods, points, {.keep_last = 1}, kNow));
  EXPECT_FALSE(retire_one(kube::kPods, points, {.keep_last = 1}, kNow)) << "b is not good any more";

  points = two_points();
  pass.server().hold(kube::kPods, held("b", "True"));
  ASSERT_TRUE(confirm_newest(pass, kube::kPods, points, {.keep_last = 1}, kNow));
  EXPECT_EQ(retire_one(kube::kPods, points, {.keep_last = 1}, kNow)->text(), "delete pods shop/a");
}

TEST(Retire, NothingIsReadWhileAllMayStay) {
  PassOverServer pass(kNow);
  std::vector<PointSeen> points = two_points();
  ASSERT_TRUE(confirm_newest(pass, kube::kPods, points, {.keep_last = 2}, kNow));
  EXPECT_EQ(points.size(), 2U);
  EXPECT_TRUE(pass.server().asked().empty());
}

}  // namespace
}  // namespace holdfast::protect
