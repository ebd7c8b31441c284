#include "images/loaded_by.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace holdfast::node {
namespace {

TEST(LibrariesOfAProgram, AreReadFromWhatTheLoaderPrints) {
  const auto listed = parse_list(
      "\tlinux-vdso.so.1 (0x00007ffd3a5f2000)\n"
      "\tlibz.so.1 => /lib/x86_64-linux-gnu/libz.so.1 (0x00007f1b6a000000)\n"
      "\tlibown.so => /opt/a b (0x1)/libown.so (0x00007f1b69000000)\n"
      "\t/lib64/ld-linux-x86-64.so.2 (0x00007f1b6a200000)\n");

  ASSERT_TRUE(listed);
  EXPECT_EQ(*listed,
            (std::vector<std::string>{"/lib/x86_64-linux-gnu/libz.so.1", "/opt/a b (0x1)/libown.so",
                                      "/lib64/ld-linux-x86-64.so.2"}));
}

TEST(LibrariesOfAProgram, AreNotFewerThanItNeeds) {
  const auto listed = parse_list("\tlibgone.so.1 => not found\n");

  ASSERT_FALSE(listed);
  EXPECT_NE(listed.error().what().find("libgone.so.1"), std::string::npos);
}

TEST(LibrariesOfAProgram, AreAskedOfTheLoader) {
  const auto listed = loaded_by(std::filesystem::canonical("/proc/self/exe"));

  ASSERT_TRUE(listed) << listed.error().what();
  EXPECT_TRUE(std::any_of(listed->begin(), listed->end(), [](const std::string& path) {
    return path.find("/libc.so.") != std::string::npos;
  }));
}

TEST(LibrariesOfAProgram, AreNoneOfAScript) {
  const auto listed = loaded_by("/usr/bin/ldd");

  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().fault(), Fault::Invalid);
}

}  // namespace
}  // namespace holdfast::node
