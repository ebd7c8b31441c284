#include <holdfast/blob/stores.h>

#include <gtest/gtest.h>

namespace holdfast::blob {
namespace {

TEST(FileStore, HalfWrittenFilesAreNotListed) {
  const std::filesystem::path folder = testing::TempDir() + "half-written";
  const auto store = file_store(folder, true).take();
  ASSERT_TRUE(store->put("data/x", "1"));
  std::filesystem::copy_file(folder / "data/x", folder / "data/y-tmp-7");

  int listed = 0;
  ASSERT_TRUE(store->list("", [&listed](const Info&) { ++listed; }));

  EXPECT_EQ(listed, 1);
  std::filesystem::remove_all(folder);
}

TEST(FileStore, MakesItsFolderWithThoseAboveAndASlashAtItsEndIsNoOther) {
  const std::filesystem::path folder = testing::TempDir() + "made-with-those-above";
  const auto store = file_store(folder / "one/two/", true).take();

  ASSERT_TRUE(store->put("data/ab/x", "1"));
  const auto stayed = store->remove_all({"data/ab/x", "data/cd/never-there"});

  ASSERT_TRUE(stayed);
  EXPECT_TRUE(stayed->empty());
  EXPECT_TRUE(std::filesystem::is_directory(folder / "one/two/data/ab"));
  EXPECT_FALSE(store->stat("data/ab/x"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace holdfast::blob
