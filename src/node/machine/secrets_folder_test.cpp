#include "machine/secrets_folder.h"

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

namespace holdfast::node {
namespace {

namespace fs = std::filesystem;

/// A tmpfs that any user may write to, as /dev/shm is.
struct SecretsFolder : testing::Test {
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "holdfast-memory.XXXXXX").string();
    place = mkdtemp(pattern.data());
    if (geteuid() != 0 || mount("test", place.c_str(), "tmpfs", 0, "mode=1777") != 0)
      GTEST_SKIP() << "only root mounts a tmpfs";
  }
  void TearDown() override {
    umount(place.c_str());
    fs::remove_all(place);
  }
  fs::path folder() const { return secrets_folder("/var/lib/data", {place.string()}); }
  bool is_in_place() const { return folder().string().starts_with(place.string() + "/"); }
  fs::path place;
};

TEST_F(SecretsFolder, IsMadeForItsOwnerAlone) {
  const fs::path made = folder();

  ASSERT_TRUE(is_in_place());
  for (const fs::path& each : {made, made.parent_path()}) {
    struct stat facts {};
    ASSERT_EQ(stat(each.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 07777, 0700U) << each;
  }
  EXPECT_EQ(folder(), made);
}

TEST_F(SecretsFolder, IsNotBelowAFolderOfAnotherUser) {
  fs::create_directory(place / "holdfast");
  ASSERT_EQ(chown((place / "holdfast").c_str(), 65534, 65534), 0);

  EXPECT_EQ(folder(), "/var/lib/data/secrets");
}

TEST_F(SecretsFolder, IsNotOneThatOthersMayEnter) {
  fs::create_directory(place / "holdfast");
  chmod((place / "holdfast").c_str(), 0755);

  EXPECT_EQ(folder(), "/var/lib/data/secrets");
}

TEST_F(SecretsFolder, IsNoLinkAndNotBelowOne) {
  fs::create_directory(place / "else");
  fs::create_directory_symlink(place / "else", place / "holdfast");

  EXPECT_EQ(folder(), "/var/lib/data/secrets");
  EXPECT_TRUE(fs::is_empty(place / "else"));
}

TEST_F(SecretsFolder, IsInTheNextPlaceThatIsFree) {
  fs::create_directory(place / "holdfast");
  ASSERT_EQ(chown((place / "holdfast").c_str(), 65534, 65534), 0);
  const fs::path next = place / "next";
  fs::create_directory(next);

  const fs::path found = secrets_folder("/data", {place.string(), next.string()});

  EXPECT_EQ(found.parent_path(), next / "holdfast");
}

}  // namespace
}  // namespace holdfast::node
