#include <holdfast/protect/cut/window_limit.h>

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;

TEST(WindowLimit, IsFromOneSecondToEight) {
  const DriverSetting setting = window_limit_setting();
  EXPECT_TRUE(setting.check(setting.standard));
  EXPECT_TRUE(setting.check("1500ms"));
  for (const char* bad : {"", "900ms", "9s", "soon"}) EXPECT_FALSE(setting.check(bad)) << bad;
}

TEST(WindowLimit, HoldsAsItWasChosen) {
  DriverSettings settings;
  EXPECT_EQ(window_limit(settings), 8s);
  settings.own[window_limit_setting().name] = "2s";
  EXPECT_EQ(window_limit(settings), 2s);
}

}  // namespace
}  // namespace holdfast::protect
