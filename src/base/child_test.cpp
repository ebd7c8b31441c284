#include <holdfast/base/child.h>

#include <gtest/gtest.h>

#include <csignal>

namespace holdfast {
namespace {

TEST(RunInChild, ReturnsTheResultAndLeavesOurMemoryAlone) {
  int touched = 0;

  const Result<std::string> result = run_in_child([&] {
    touched = 1;
    return std::string(1 << 20, 'x');
  });

  ASSERT_TRUE(result);
  EXPECT_EQ(result->size(), size_t(1) << 20);
  EXPECT_EQ(touched, 0);
}

TEST(RunInChild, NamesTheSignalThatKilledIt) {
  const Result<std::string> result = run_in_child([]() -> std::string {
    std::signal(SIGTERM, SIG_DFL);
    std::raise(SIGTERM);
    return "survived";
  });

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().fault(), Fault::Internal);
  EXPECT_NE(result.error().what().find("signal 15"), std::string::npos) << result.error().what();
}

}  // namespace
}  // namespace holdfast
