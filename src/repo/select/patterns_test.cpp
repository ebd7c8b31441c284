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

TEST(Patterns, StarsTakeAsMuchAsTheRestLeaves) {
  for (const char* name : {"ab", "aab", "axxb", "abab"})
    EXPECT_TRUE(component_matches("a*b", name));
  for (const char* name : {"a", "b", "ba", "abx"}) EXPECT_FALSE(component_matches("a*b", name));
  EXPECT_TRUE(component_matches("*a*b*", "xxaxxbxx"));
  EXPECT_TRUE(component_matches("**", ""));
  EXPECT_TRUE(component_matches("[a-c]*[^x]", "bxy"));
  EXPECT_FALSE(component_matches("[a-c]*[^x]", "byx"));
  EXPECT_TRUE(component_matches("\\*a", "*a"));
  EXPECT_FALSE(component_matches("\\*a", "ba"));
  EXPECT_TRUE(component_matches("a\\?", "a?"));
  EXPECT_FALSE(component_matches("a\\?", "ab"));
}

/// Every way that the stars may go, tried one after the other.
bool matches_somehow(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*')
    return matches_somehow(pattern.substr(1), name) ||
           (!name.empty() && matches_somehow(pattern, name.substr(1)));
  return !name.empty() && (pattern[0] == '?' || pattern[0] == name[0]) &&
         matches_somehow(pattern.substr(1), name.substr(1));
}

TEST(Patterns, ShortOnesFitWhatAnyWayThroughThemFits) {
  const auto words = [](std::string_view letters, size_t longest) {
    std::vector<std::string> out{""};
    for (size_t at = 0; at < out.size(); ++at)
      if (out[at].size() < longest)
        for (const char letter : letters) out.push_back(out[at] + letter);
    return out;
  };
  const std::vector<std::string> names = words("ab", 6);
  for (const std::string& pattern : words("ab*?", 5))
    for (const std::string& name : names)
      ASSERT_EQ(component_matches(pattern, name), matches_somehow(pattern, name))
          << pattern << " " << name;
}

TEST(Patterns, FoldersBetweenStarsAreFoundWhereverTheyAre) {
  const auto match = [](const std::string& pattern, std::string_view path) {
    return Patterns::parse({pattern}, false)->match(path);
  };
  EXPECT_TRUE(match("/a/**/b/**/c", "/a/b/x/b/y/c"));
  EXPECT_TRUE(match("/a/**/b/c", "/a/b/x/b/c/below"));
  EXPECT_FALSE(match("/a/**/b/c", "/a/b/x/c"));
  EXPECT_TRUE(match("b/**/c", "/a/b/b/c"));
  EXPECT_TRUE(match("a/b", "/a/a/b"));
}

TEST(Patterns, NamesOfAnyLengthAreLookedAtInOneGo) {
  // Going back for each of the stars would take a thousand years.
  const std::string name(200'000, 'a');
  EXPECT_FALSE(component_matches("*a*a*a*a*a*a*b", name));
  std::string path;
  for (int i = 0; i < 5000; ++i) path += "/a";
  const auto patterns = Patterns::parse({"**/a/**/a/**/a/**/a/**/b"}, false);
  EXPECT_FALSE(patterns->match(path));
  EXPECT_TRUE(patterns->match_below(path));
}

}  // namespace
}  // namespace holdfast::repo
