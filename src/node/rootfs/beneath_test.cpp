#include "rootfs/beneath.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace holdfast::node {
namespace {

namespace fs = std::filesystem;

/// A tree to mount into, beside a folder that it must not be left for.
class MountPoints : public testing::Test {
 protected:
  MountPoints() {
    std::string pattern = (fs::temp_directory_path() / "holdfast-beneath.XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    fs::create_directories(folder_ / "root");
    fs::create_directories(folder_ / "machine");
    root_ = Fd(::open((folder_ / "root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  ~MountPoints() override { fs::remove_all(folder_); }

  fs::path in_root(const std::string& path) const { return folder_ / "root" / path; }
  static bool same(const Fd& found, const fs::path& path) {
    struct stat a {
    }, b{};
    return fstat(found.get(), &a) == 0 && lstat(path.c_str(), &b) == 0 && a.st_ino == b.st_ino;
  }

  fs::path folder_;
  Fd root_;
};

TEST_F(MountPoints, AreMadeWithTheFoldersOnTheirWay) {
  const Result<Fd> file = mount_point(root_, "/a/b/c", false);
  const Result<Fd> folder = mount_point(root_, "/a/d", true);

  ASSERT_TRUE(file && folder);
  EXPECT_TRUE(same(*file, in_root("a/b/c")));
  EXPECT_TRUE(fs::is_regular_file(in_root("a/b/c")));
  EXPECT_TRUE(fs::is_directory(in_root("a/d")));
}

TEST_F(MountPoints, FollowLinksInsideTheRoot) {
  fs::create_directories(in_root("run/secrets"));
  fs::create_directories(in_root("var"));
  fs::create_directory_symlink("/run", in_root("var/run"));

  const Result<Fd> found = mount_point(root_, "/var/run/secrets", true);

  ASSERT_TRUE(found);
  EXPECT_TRUE(same(*found, in_root("run/secrets")));
}

TEST_F(MountPoints, AreMadeWhereALinkLeadsThatLeadsNowhereYet) {
  fs::create_directories(in_root("var"));
  fs::create_directory_symlink("/run", in_root("var/run"));
  fs::create_directory_symlink("../other", in_root("var/lib"));

  const Result<Fd> absolute = mount_point(root_, "/var/run/secrets/x", true);
  const Result<Fd> relative = mount_point(root_, "/var/lib/x", false);

  ASSERT_TRUE(absolute && relative);
  EXPECT_TRUE(fs::is_directory(in_root("run/secrets/x")));
  EXPECT_TRUE(fs::is_regular_file(in_root("other/x")));
}

TEST_F(MountPoints, OfLinksThatLeadOutStayInside) {
  fs::create_directory_symlink(folder_ / "machine", in_root("absolute"));
  fs::create_directory_symlink("../../../../../.." + (folder_ / "machine").string(), in_root("up"));

  const Result<Fd> absolute = mount_point(root_, "/absolute/x", true);
  const Result<Fd> up = mount_point(root_, "/up/y", true);
  const Result<Fd> dots = mount_point(root_, "/../../machine/z", true);

  ASSERT_TRUE(absolute && up && dots);
  EXPECT_TRUE(fs::is_empty(folder_ / "machine"));
  EXPECT_TRUE(fs::is_directory(in_root(folder_.string().substr(1) + "/machine/x")));
}

TEST_F(MountPoints, EndWithAnErrorInALoopOfLinks) {
  fs::create_directory_symlink("/two", in_root("one"));
  fs::create_directory_symlink("/one", in_root("two"));

  EXPECT_FALSE(mount_point(root_, "/one/x", true));
}

TEST_F(MountPoints, AreNotTheRoot) {
  fs::create_directory_symlink("/", in_root("link"));

  for (const char* path : {"/", "/.", "/..", "/link"}) {
    const Result<Fd> found = mount_point(root_, path, true);
    ASSERT_FALSE(found) << path;
    EXPECT_EQ(found.error().what(),
              std::string("mount at ") + path + ": that is the container's root");
  }
}

TEST(MountPoint, IsRefusedInProc) {
  const Fd machine(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));

  for (const char* path :
       {"/proc", "/proc/sys/kernel", "/proc/new", "/sys/kernel", "/sys/fs/cgroup"}) {
    const Result<Fd> found = mount_point(machine, path, true);
    ASSERT_FALSE(found) << path;
    EXPECT_NE(found.error().what().find("it leads into /proc or /sys"), std::string::npos)
        << found.error().what();
  }
}

TEST(MountPoint, DoesNotFollowTheLinksOfProc) {
  const Fd machine(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));

  EXPECT_FALSE(mount_point(machine, "/proc/self/root/tmp", true));
  EXPECT_FALSE(mount_point(machine, "/proc/self/cwd", true));
}

TEST_F(MountPoints, OfTheKernelAreNoLinks) {
  fs::create_directory_symlink("/elsewhere", in_root("dev"));
  fs::create_directories(in_root("elsewhere"));

  const Result<Fd> link = plain_folder(root_, "dev");
  const Result<Fd> made = plain_folder(root_, "proc");

  ASSERT_FALSE(link);
  EXPECT_EQ(link.error().what(), "the image's /dev must be a folder");
  ASSERT_TRUE(made);
  EXPECT_TRUE(same(*made, in_root("proc")));
}

TEST_F(MountPoints, BelowAVolumeStayInTheVolume) {
  fs::create_directories(in_root("in"));
  fs::create_directory_symlink("in", in_root("near"));
  fs::create_directory_symlink(folder_ / "machine", in_root("far"));

  const Result<Fd> near = open_sub_path(root_, "near");
  const Result<Fd> made = open_sub_path(root_, "new/er");

  ASSERT_TRUE(near && made);
  EXPECT_TRUE(same(*near, in_root("in")));
  EXPECT_TRUE(same(*made, in_root("new/er")));
  EXPECT_FALSE(open_sub_path(root_, "far"));
  EXPECT_FALSE(open_sub_path(root_, "far/x"));
  EXPECT_FALSE(open_sub_path(root_, "../machine"));
  EXPECT_TRUE(fs::is_empty(folder_ / "machine"));
}

}  // namespace
}  // namespace holdfast::node
