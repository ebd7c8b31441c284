#include <holdfast/protect/retire.h>

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

}  // namespace
}  // namespace holdfast::protect
