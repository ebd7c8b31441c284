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

}  // namespace
}  // namespace holdfast::blob
