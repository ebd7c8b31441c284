#include "pods/own_image.h"

#include <holdfast/base/files.h>
#include <holdfast/base/program.h>
#include <holdfast/base/text.h>
#include <holdfast/model/image.h>

#include "pods/images.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <set>

namespace holdfast::node {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLoader = "/lib64/ld-linux-x86-64.so.2";

mode_t mode_of(const fs::path& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 ? facts.st_mode & 07777 : 0;
}

struct OwnImageTest : testing::Test {
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "holdfast-image.XXXXXX").string();
    folder = mkdtemp(pattern.data());
    own = OwnImage(folder / "root", fs::canonical("/proc/self/exe"), loaded_libraries());
  }
  void TearDown() override { fs::remove_all(folder); }
  std::set<std::string> paths() const {
    std::set<std::string> out;
    for (const MountSpec& each : own.files()) out.insert(each.to);
    return out;
  }
  fs::path folder;
  OwnImage own;
};

TEST_F(OwnImageTest, HasAllThatTheLoaderFindsForTheProgram) {
  const Result<std::string> listed =
      run_program({.command = kLoader, .args = {"--list", fs::canonical("/proc/self/exe")}}, {});
  ASSERT_TRUE(listed) << listed.error().what();

  const std::set<std::string> has = paths();
  size_t libraries = 0;
  for (const std::string_view line : split(*listed, '\n')) {
    const size_t from = line.find('/'), to = line.find(" (0x");
    if (from == std::string_view::npos) continue;
    EXPECT_TRUE(has.contains(std::string(line.substr(from, to - from)))) << line;
    ++libraries;
  }
  EXPECT_GT(libraries, 5U);
  EXPECT_TRUE(has.contains(kLoader));
  EXPECT_TRUE(has.contains(model::kOwnProgram));
}

TEST_F(OwnImageTest, IsOfFilesOfTheMachineThatNobodyCanWriteTo) {
  for (const MountSpec& each : own.files()) {
    EXPECT_TRUE(each.read_only) << each.to;
    // Where a link stands the shim would refuse.
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(each.from))) << each.from;
  }
}

TEST_F(OwnImageTest, FollowsALibraryThatAPackageMoves) {
  ASSERT_TRUE(write_file(folder / "liba.so.1.1", "1", 0644));
  fs::create_symlink("liba.so.1.1", folder / "liba.so.1");
  const OwnImage image(folder / "root", "/proc/self/exe", {folder / "liba.so.1"});
  ASSERT_TRUE(write_file(folder / "liba.so.1.2", "2", 0644));
  fs::remove(folder / "liba.so.1");
  fs::remove(folder / "liba.so.1.1");
  fs::create_symlink("liba.so.1.2", folder / "liba.so.1");

  const std::vector<MountSpec> files = image.files();
  EXPECT_EQ(files[1].from, fs::canonical(folder / "liba.so.1.2"));
  EXPECT_EQ(files[1].to, folder / "liba.so.1");
}

TEST_F(OwnImageTest, HasARootThatAllCanUse) {
  const mode_t strict = umask(077);
  const Result<void> made = own.make_root();
  umask(strict);
  ASSERT_TRUE(made) << made.error().what();

  EXPECT_EQ(mode_of(own.root()), 0755U);
  EXPECT_EQ(mode_of(own.root() / "usr/bin"), 0755U);
  EXPECT_EQ(mode_of(own.root() / "tmp"), 01777U);
  EXPECT_EQ(mode_of(own.root() / "var/tmp"), 01777U);
  EXPECT_EQ(mode_of(own.root() / "etc/passwd"), 0644U);
}

TEST_F(OwnImageTest, LeavesARootAloneThatPodsMayRunOn) {
  ASSERT_TRUE(own.make_root());
  struct stat before {
  }, after{};
  ASSERT_EQ(::stat((own.root() / "etc/passwd").c_str(), &before), 0);
  ASSERT_TRUE(own.make_root());
  ASSERT_EQ(::stat((own.root() / "etc/passwd").c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
}

TEST_F(OwnImageTest, ComesBeforeAFolderOfItsName) {
  fs::create_directories(folder / "images" / model::kOwnImage / "latest");
  fs::create_directories(folder / "images/localhost/other/latest");
  const Images images(folder / "images", own);

  EXPECT_EQ(*images.root_of(model::kOwnImage, ""), own.root());
  EXPECT_EQ(*images.root_of("localhost/holdfast:latest", ""), own.root());
  EXPECT_FALSE(images.files_of(model::kOwnImage).empty());
  EXPECT_EQ(*images.root_of("localhost/other", ""), folder / "images/localhost/other/latest");
  EXPECT_TRUE(images.files_of("localhost/other").empty());
}

}  // namespace
}  // namespace holdfast::node
