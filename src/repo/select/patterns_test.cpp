#include <holdfast/repo/patterns.h>

#include <gtest/gtest.h>

namespace holdfast::repo {
namespace {

TEST(Patterns, MatchAsRestics) {
  const auto match = [](const std::vector<std::string>& patterns, std::string_view path) {
    return Patterns::parse(patterns, false)->match(path);
  };
  EXPECT_TRUE(match({"*.o"}, "/users/a/x.o"));
  EXPECT_TRUE(match({"tmp"}, "/users/tmp/deep/file"));
  EXPECT_TRUE(match({"/users/*/tmp"}, "/users/a/tmp/x"));
  EXPECT_FALSE(match({"/users/*/tmp"}, "/x/users/a/tmp"));
  EXPECT_TRUE(match({"/a/**/z"}, "/a/b/c/z"));
  EXPECT_TRUE(match({"/a/**/z"}, "/a/z"));
  EXPECT_FALSE(match({"b/c"}, "/a/b/x/c"));
  EXPECT_TRUE(match({"[a-c]?\\*"}, "/bx*"));
  EXPECT_FALSE(match({"*.o", "!keep.o"}, "/a/keep.o"));
  EXPECT_TRUE(Patterns::parse({"*.JPG"}, true)->match("/a/b.jpg"));
  EXPECT_FALSE(Patterns::parse({"["}, false));
}

}  // namespace
}  // namespace holdfast::repo
