#include "volume_files/payload.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace holdfast::node {
namespace {

namespace fs = std::filesystem;

struct PayloadFiles : testing::Test {
  PayloadFiles() {
    std::string pattern = (fs::temp_directory_path() / "holdfast-payload.XXXXXX").string();
    folder = mkdtemp(pattern.data());
  }
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  }
  ~PayloadFiles() override { fs::remove_all(folder); }
  Result<void> write(PayloadOwners owners) const {
    return write_payload(folder / "secret/s", {{"key", {"value", 0400}}, {"deep/er", {"x", 0644}}},
                         owners, WallTime(std::chrono::microseconds(writes++)));
  }
  struct stat look(const char* path) const {
    struct stat facts {};
    ::stat((folder / "secret/s" / path).c_str(), &facts);
    return facts;
  }
  fs::path folder;
  mutable int writes = 1;
};

TEST_F(PayloadFiles, BelongToRootOfThePod) {
  ASSERT_TRUE(write({.root = 7000, .group = {}}));

  for (const char* path : {".", "key", "..data/", "deep/", "deep/er"}) {
    EXPECT_EQ(look(path).st_uid, 7000U) << path;
    EXPECT_EQ(look(path).st_gid, 7000U) << path;
  }
  EXPECT_EQ(look("key").st_mode & 07777, 0400U);
}

TEST_F(PayloadFiles, BelongToTheGroupThatReadsThem) {
  ASSERT_TRUE(write({.root = 7000, .group = 7005}));

  EXPECT_EQ(look("key").st_gid, 7005U);
  EXPECT_EQ(look("key").st_mode & 07777, 0440U);
}

TEST_F(PayloadFiles, AreGivenToTheNextRangeOfThePod) {
  ASSERT_TRUE(write({.root = 7000, .group = {}}));
  ASSERT_TRUE(write({.root = 9000, .group = {}}));

  EXPECT_EQ(look(".").st_uid, 9000U);
  EXPECT_EQ(look("key").st_uid, 9000U);
}

TEST_F(PayloadFiles, ThatAreTheSameAreLeftAlone) {
  ASSERT_TRUE(write({.root = 7000, .group = {}}));
  const ino_t before = look("key").st_ino;
  ASSERT_TRUE(write({.root = 7000, .group = {}}));

  EXPECT_EQ(look("key").st_ino, before);
}

}  // namespace
}  // namespace holdfast::node
