/// States of a part, by the failures of its controllers' watches.
#include "runtime/parts.h"

#include <gtest/gtest.h>

namespace holdfast::control {
namespace {

Unheard unheard(std::string text, int code) {
  return {{.resource = kube::kPods}, {std::move(text), code}};
}

TEST(Parts, RunsWhenEverythingIsHeardAndWeLead) {
  const Part part = part_of("groups", true, {});

  EXPECT_TRUE(part.running);
  EXPECT_EQ(part.reason, "Running");
}

TEST(Parts, FollowersDoNotRun) {
  const Part part = part_of("groups", false, {});

  EXPECT_FALSE(part.running);
  EXPECT_EQ(part.reason, "NotLeading");
}

TEST(Parts, TellsWhatAPersonHasToMendBeforeWhatMendsItself) {
  const Part part =
      part_of("groups", true,
              {unheard("", 0), unheard("pods: watch: connection refused", 0),
               unheard("pods: list: 403 no", 403), unheard("pods: list: 404 no", 404)});

  EXPECT_FALSE(part.running);
  EXPECT_EQ(part.reason, "KindNotServed");
  EXPECT_EQ(part.message, "pods: list: 404 no");
}

TEST(Parts, NamesTheReasonOfEachTrouble) {
  EXPECT_EQ(part_of("x", true, {unheard("", 0)}).reason, "CachesFilling");
  EXPECT_EQ(part_of("x", true, {unheard("pods: watch: refused", 0)}).reason, "ServerAway");
  EXPECT_EQ(part_of("x", true, {unheard("pods: list: 503 later", 503)}).reason, "ServerAway");
  EXPECT_EQ(part_of("x", true, {unheard("pods: list: 403 no", 403)}).reason, "Forbidden");
}

}  // namespace
}  // namespace holdfast::control
