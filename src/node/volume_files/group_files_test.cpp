#include "volume_files/group_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace holdfast::node {
namespace {

namespace fs = std::filesystem;

constexpr gid_t kGroup = 5000;

struct FsGroup : testing::Test {
  FsGroup() {
    std::string pattern = (fs::temp_directory_path() / "holdfast-group.XXXXXX").string();
    folder = mkdtemp(pattern.data());
    fs::create_directories(folder / "volume/in");
    fs::create_directories(folder / "machine");
    for (const char* file : {"volume/in/file", "machine/file"}) {
      std::ofstream(folder / file) << "bytes";
      chmod((folder / file).c_str(), 0600);
    }
  }
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  }
  ~FsGroup() override { fs::remove_all(folder); }
  struct stat look(const char* path) const {
    struct stat facts {};
    lstat((folder / path).c_str(), &facts);
    return facts;
  }
  fs::path folder;
};

TEST_F(FsGroup, OwnsAllFilesAndMayWriteToThem) {
  ASSERT_TRUE(give_to_group((folder / "volume").string(), kGroup));

  for (const char* path : {"volume", "volume/in"}) {
    EXPECT_EQ(look(path).st_gid, kGroup) << path;
    EXPECT_EQ(look(path).st_mode & 07777, 02775U) << path;
  }
  EXPECT_EQ(look("volume/in/file").st_gid, kGroup);
  EXPECT_EQ(look("volume/in/file").st_mode & 07777, 0660U);
}

TEST_F(FsGroup, GetsNothingThatALinkLeadsTo) {
  fs::create_symlink(folder / "machine/file", folder / "volume/file");
  fs::create_directory_symlink(folder / "machine", folder / "volume/folder");

  ASSERT_TRUE(give_to_group((folder / "volume").string(), kGroup));

  EXPECT_NE(look("machine").st_gid, kGroup);
  EXPECT_NE(look("machine/file").st_gid, kGroup);
  EXPECT_EQ(look("machine/file").st_mode & 07777, 0600U);
}

TEST_F(FsGroup, EndsInATreeOfAnyDepth) {
  fs::path at = folder / "volume";
  for (int depth = 0; depth < 300; ++depth) fs::create_directory(at /= "d");

  EXPECT_TRUE(give_to_group((folder / "volume").string(), kGroup));
  EXPECT_EQ(look("volume/d/d/d").st_gid, kGroup);
}

}  // namespace
}  // namespace holdfast::node
