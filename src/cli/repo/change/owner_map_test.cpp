#include "repo/change/owner_map.h"

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

TEST(OwnerMap, TheFirstThatFitsCounts) {
  const auto map = OwnerMap::parse("1000:2000,1001-1999:3000,0:0,*:65534");
  ASSERT_TRUE(map);

  EXPECT_EQ((*map)(1000), 2000U);
  EXPECT_EQ((*map)(1001), 3000U);
  EXPECT_EQ((*map)(1999), 3000U);
  EXPECT_EQ((*map)(0), 0U);
  EXPECT_EQ((*map)(7), 65534U);
}

TEST(OwnerMap, WhatNoneFitsKeepsItsNumber) {
  EXPECT_EQ((*OwnerMap::parse("5:6"))(7), 7U);
  EXPECT_TRUE(OwnerMap::parse("")->empty());
}

TEST(OwnerMap, WhatIsNoMapIsNamed) {
  for (const char* bad : {"1", ":", "1:", ":1", "a:1", "1:b", "2-1:5", "1-:5", "-1:5", "1:2,",
                          "1:4294967295", "1:99999999999", "*-5:1"}) {
    const auto map = OwnerMap::parse(bad);
    ASSERT_FALSE(map) << bad;
    EXPECT_EQ(map.error().fault(), Fault::Invalid) << bad;
  }
}

}  // namespace
}  // namespace holdfast::cli
