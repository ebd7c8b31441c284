#include <holdfast/base/text.h>

#include <gtest/gtest.h>

namespace holdfast {
namespace {

TEST(SwitchedOn, TheFirstMentionWinsAndTheStarMeansAllNotMentioned) {
  EXPECT_TRUE(switched_on("*", {"job-controller", "job"}));
  EXPECT_FALSE(switched_on("*,-job-controller", {"job-controller", "job"}));
  EXPECT_FALSE(switched_on("-job,*", {"job-controller", "job"}));
  EXPECT_TRUE(switched_on("job,-job-controller", {"job-controller", "job"}));
  EXPECT_TRUE(switched_on(" *, -cronjob ", {"job-controller", "job"}));
  EXPECT_FALSE(switched_on("cronjob", {"job-controller", "job"}));
  EXPECT_FALSE(switched_on("", {"job-controller", "job"}));
}

}  // namespace
}  // namespace holdfast
