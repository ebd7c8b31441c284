#include <holdfast/blob/stores.h>

#include <gtest/gtest.h>

#include <cstdlib>

namespace holdfast::blob {
namespace {

/// Every store keeps the same contract.
struct AnyStore : testing::TestWithParam<bool> {
  std::filesystem::path folder_{};
  std::unique_ptr<Store> store_{};

  void SetUp() override {
    std::string name = testing::TempDir() + "stores.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    store_ = GetParam() ? file_store(folder_, false).take() : memory_store();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::vector<std::string> names(const std::string& prefix) {
    std::vector<std::string> out;
    EXPECT_TRUE(store_->list(prefix, [&out](const Info& info) { out.push_back(info.name); }));
    std::sort(out.begin(), out.end());
    return out;
  }
};

TEST_P(AnyStore, GivesBackWhatWasPut) {
  ASSERT_TRUE(store_->put("data/ab/x", "hello"));

  EXPECT_EQ(*store_->get("data/ab/x"), "hello");
  EXPECT_EQ(*store_->get("data/ab/x", Range{1, 3}), "ell");
  EXPECT_EQ(store_->stat("data/ab/x")->size, 5U);
}

TEST_P(AnyStore, SaysWhatIsMissingOrTooShort) {
  ASSERT_TRUE(store_->put("a", "hello"));

  EXPECT_EQ(store_->get("b").error().fault(), Fault::NotFound);
  EXPECT_EQ(store_->stat("data/b").error().fault(), Fault::NotFound);
  EXPECT_EQ(store_->get("a", Range{3, 3}).error().fault(), Fault::Corrupt);
}

TEST_P(AnyStore, ListsByPrefixAndForgetsWhatIsRemoved) {
  for (const char* name : {"data/ab/1", "data/ab/2", "data/cd/3", "config"})
    ASSERT_TRUE(store_->put(name, "x"));

  EXPECT_EQ(names("data/ab/"), (std::vector<std::string>{"data/ab/1", "data/ab/2"}));
  EXPECT_EQ(names("data/").size(), 3U);
  ASSERT_TRUE(store_->remove("data/ab/1"));
  EXPECT_TRUE(store_->remove("data/ab/1")) << "what is gone may be removed again";
  EXPECT_EQ(names("").size(), 3U);
  EXPECT_TRUE(names("locks/").empty());
}

TEST_P(AnyStore, ExclusivePutLosesToAnotherButNotToItself) {
  ASSERT_TRUE(store_->put("config", "first", {.exclusive = true}));

  EXPECT_TRUE(store_->put("config", "first", {.exclusive = true}));
  EXPECT_EQ(store_->put("config", "second", {.exclusive = true}).error().fault(), Fault::Conflict);
  EXPECT_EQ(*store_->get("config"), "first");
}

TEST_P(AnyStore, RefusesNamesThatLeadElsewhere) {
  for (const char* name : {"", "/a", "a/", "a//b", "../a", "a/../b", "a\nb"})
    EXPECT_EQ(store_->put(name, "x").error().fault(), Fault::Invalid) << name;
}

TEST_P(AnyStore, ReadsNearRangesTogether) {
  ASSERT_TRUE(store_->put("pack", "0123456789"));
  const Range ranges[] = {{8, 2}, {0, 2}, {3, 1}};
  std::string seen;

  ASSERT_TRUE(get_ranges(
      *store_, "pack", ranges,
      [&seen](size_t index, std::string_view bytes) {
        seen += std::to_string(index) + ":" + std::string(bytes) + " ";
        return ok();
      },
      1, 100));

  EXPECT_EQ(seen, "1:01 2:3 0:89 ");
}

INSTANTIATE_TEST_SUITE_P(Stores, AnyStore, testing::Bool(),
                         [](const auto& chosen) { return chosen.param ? "File" : "Memory"; });

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
