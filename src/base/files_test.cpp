#include <holdfast/base/files.h>

#include <sys/stat.h>
#include <unistd.h>

namespace holdfast {
namespace {

struct Files : testing::Test {
  std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("files_test." + std::to_string(getpid()));
  void SetUp() override { ASSERT_TRUE(make_folder(folder / "a/b", 0700)); }
  void TearDown() override { std::filesystem::remove_all(folder); }
};

TEST_F(Files, WriteReplacesWholeAndSetsMode) {
  ASSERT_TRUE(write_file(folder / "key", "first, longer", 0644));
  ASSERT_TRUE(write_file(folder / "key", "second", 0600));

  EXPECT_EQ(*read_file(folder / "key"), "second");
  struct stat info {};
  ASSERT_EQ(stat((folder / "key").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}),
            2);  // no temporary left behind
}

TEST_F(Files, AFileIsGivenToWhomTheFolderBelongs) {
  ASSERT_TRUE(write_file(folder / "one", "bytes", 0600));
  EXPECT_TRUE(own_as(folder / "one", folder));
  EXPECT_FALSE(own_as(folder / "none", folder));
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  ASSERT_EQ(chown(folder.c_str(), 65534, 65533), 0);
  ASSERT_TRUE(own_as(folder / "one", folder));
  struct stat owned {};
  ASSERT_EQ(stat((folder / "one").c_str(), &owned), 0);
  EXPECT_EQ(owned.st_uid, 65534U);
  EXPECT_EQ(owned.st_gid, 65533U);
}

TEST_F(Files, APartOfALongFileIsReadWithoutTheRest) {
  ASSERT_TRUE(write_file(folder / "log", "0123456789", 0600));
  ASSERT_EQ(truncate((folder / "log").c_str(), off_t(1) << 40), 0);

  EXPECT_EQ(*read_start(folder / "log", 4), "0123");
  EXPECT_EQ(*read_end(folder / "log", 3), std::string(3, '\0'));
  ASSERT_EQ(truncate((folder / "log").c_str(), 10), 0);
  EXPECT_EQ(*read_start(folder / "log", 99), "0123456789");
  EXPECT_EQ(*read_end(folder / "log", 3), "789");
  EXPECT_EQ(*read_end(folder / "log", 99), "0123456789");
}

TEST_F(Files, MissingFileIsNotFoundAndNamed) {
  const auto got = read_file(folder / "none");

  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().fault(), Fault::NotFound);
  EXPECT_NE(got.error().what().find("none"), std::string::npos);
}

TEST_F(Files, ASecretThatOthersMayReadIsRefusedWithTheWayOut) {
  const std::filesystem::path path = folder / "tokens";
  for (const mode_t mode : {0600, 0400, 0700}) {
    ASSERT_TRUE(write_file(path, "secret", mode));
    const Result<std::string> text = read_secret_file(path);
    ASSERT_TRUE(text) << text.error().what();
    EXPECT_EQ(*text, "secret");
  }
  for (const mode_t mode : {0640, 0604, 0620, 0602, 0644}) {
    ASSERT_TRUE(write_file(path, "secret", mode));
    const Result<std::string> text = read_secret_file(path);
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().fault(), Fault::Denied);
    EXPECT_NE(text.error().what().find("is open to other users (mode 06"), std::string::npos);
    EXPECT_EQ(text.error().hint(), "chmod 600 " + path.string());
  }
}

TEST_F(Files, ASecretOfAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  const std::filesystem::path path = folder / "tokens";
  ASSERT_TRUE(write_file(path, "secret", 0600));
  ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0);
  EXPECT_EQ(read_secret_file(path).error().fault(), Fault::Denied);
}

TEST_F(Files, SecondLockNamesTheHolder) {
  const auto first = FolderLock::take(folder);
  ASSERT_TRUE(first);

  const auto second = FolderLock::take(folder);

  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().fault(), Fault::Conflict);
  EXPECT_NE(second.error().what().find("pid " + std::to_string(getpid())), std::string::npos);
}

TEST_F(Files, LockIsFreeAgainOnceDropped) {
  { ASSERT_TRUE(FolderLock::take(folder)); }
  EXPECT_TRUE(FolderLock::take(folder));
}

}  // namespace
}  // namespace holdfast
