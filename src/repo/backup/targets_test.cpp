#include "backup/targets.h"

#include <gtest/gtest.h>

namespace holdfast::repo {
namespace {

TEST(Targets, AbsolutePathsAreFoldersAndRelativeOnesStayRelative) {
  const Target root = make_targets({"/a/b", "/a/c", "x", "../x"});

  ASSERT_EQ(root.below.size(), 3U);
  EXPECT_FALSE(root.below.at("a").whole);
  EXPECT_EQ(root.below.at("a").below.size(), 2U);
  EXPECT_EQ(root.below.at("a").below.at("b").path, "/a/b");
  EXPECT_EQ(root.below.at("x").path, "x");
  EXPECT_EQ(root.below.at("x-1").path, "../x");
  EXPECT_TRUE(make_targets({"/"}).whole);
}

}  // namespace
}  // namespace holdfast::repo
