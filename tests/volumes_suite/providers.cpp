// Every provider on its own file system: what a cut holds while others write, and what goes when.
#include <holdfast/volumes/volumes.h>

#include "provider/choose.h"
#include "provider/pool.h"
#include "provider/store.h"
#include "volume-cuts/mounts.h"
#include "volume-cuts/records.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace holdfast::suite {
namespace {

using volumes::Store;
using volumes::VolumeFolder;
namespace fs = std::filesystem;

struct Subject {
  const char* provider;
  const char* file_system;  ///< "" = whatever the tests lie on
};

class Providers : public testing::TestWithParam<Subject> {
 protected:
  void SetUp() override {
    if (!mounted_.missing().empty()) GTEST_SKIP() << mounted_.missing();
    reopen();
  }
  void reopen() {
    store_.reset();
    auto provider = volumes::choose_provider(GetParam().provider, mounted_.path() / "v");
    ASSERT_TRUE(provider) << provider.error().what();
    auto opened = Store::open(mounted_.path() / "v", provider.take(), clock_, {});
    ASSERT_TRUE(opened) << opened.error().what();
    store_ = opened.take();
  }

  SystemClock clock_{};
  Mounted mounted_{GetParam().file_system};
  std::unique_ptr<Store> store_;
  const VolumeFolder a_{"shop", "pvc-a"}, b_{"shop", "pvc-b"};
};

TEST_P(Providers, ACutHoldsWhatWasAcknowledgedAndNothingDamaged) {
  // A full copy is only of what stands still.
  const bool still = std::string_view(GetParam().provider) == "copy";

  EXPECT_EQ(cut_records(*store_, 5, still), "");
  EXPECT_TRUE(store_->cuts().empty());
}

TEST_P(Providers, ACutIsTheSameAfterItsSourceIsGoneAndAfterARestart) {
  ASSERT_TRUE(store_->make(a_));
  ASSERT_TRUE(write_file(store_->path_of(a_) / "file", "one", 0640));
  const auto cut = store_->cut("snapshot-1", "shop", {{"pvc-a", 7}});
  ASSERT_TRUE(cut) << cut.error().what();
  ASSERT_TRUE(write_file(store_->path_of(a_) / "file", "two", 0640));
  ASSERT_TRUE(store_->remove(a_));
  reopen();

  const auto again = store_->cut("snapshot-1", "shop", {{"pvc-a", 7}});
  ASSERT_TRUE(again) << again.error().what();
  EXPECT_EQ(again->time, cut->time);
  ASSERT_TRUE(store_->restore({"snapshot-1", "pvc-a"}, b_));
  auto text = read_file(store_->path_of(b_) / "file");
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "one");
  EXPECT_TRUE(write_file(store_->path_of(b_) / "file", "three", 0640))
      << "a restored one is writable";
  ASSERT_TRUE(store_->release({"snapshot-1", "pvc-a"}));
  ASSERT_TRUE(store_->remove(b_));
  EXPECT_TRUE(fs::is_empty(mounted_.path() / "v/volumes"));
  EXPECT_TRUE(fs::is_empty(mounted_.path() / "v/cuts"));
}

TEST_P(Providers, AClaimIsClonedAsItIs) {
  ASSERT_TRUE(store_->make(a_));
  ASSERT_TRUE(write_file(store_->path_of(a_) / "file", "one", 0640));
  ASSERT_TRUE(store_->clone(a_, b_));
  ASSERT_TRUE(store_->clone(a_, b_)) << "twice is once";
  ASSERT_TRUE(write_file(store_->path_of(a_) / "file", "two", 0640));

  auto text = read_file(store_->path_of(b_) / "file");
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "one");
}

INSTANTIATE_TEST_SUITE_P(On, Providers,
                         testing::Values(Subject{"copy", ""}, Subject{"reflink", "xfs"},
                                         Subject{"btrfs", "btrfs"}),
                         [](const auto& one) { return std::string(one.param.provider); });

/// Four volumes take turns; a cut that held a later write without an earlier one would show it.
TEST(GroupCuts, NeverGoBackwards) {
  const Mounted mounted("btrfs");
  if (!mounted.missing().empty()) GTEST_SKIP() << mounted.missing();
  const SystemClock clock;
  auto store = Store::open(mounted.path() / "v", volumes::make_btrfs_provider(), clock, {});
  ASSERT_TRUE(store) << store.error().what();

  const auto tally = cut_while_writing(**store, 20);

  ASSERT_TRUE(tally) << tally.error().what();
  EXPECT_EQ(tally->rounds, 20);
  EXPECT_EQ(tally->backwards, 0);
  EXPECT_EQ(tally->lost, 0);
  EXPECT_GT(tally->distinct, 10) << "the writer went on meanwhile";
  EXPECT_TRUE((*store)->cuts().empty());
}

TEST(ChosenProvider, IsTheBestThatTheFileSystemOffers) {
  for (const auto& [kind, wanted] : {std::pair("btrfs", "btrfs"), std::pair("xfs", "reflink")}) {
    const Mounted mounted(kind);
    if (!mounted.missing().empty()) GTEST_SKIP() << mounted.missing();
    auto chosen = volumes::choose_provider("auto", mounted.path());
    ASSERT_TRUE(chosen) << chosen.error().what();
    EXPECT_EQ((*chosen)->name(), wanted);
    EXPECT_TRUE(std::none_of(
        fs::directory_iterator(mounted.path()), fs::directory_iterator(),
        [](const auto& entry) { return entry.path().filename().string().starts_with(".probe"); }));
  }
}

TEST(ChosenProvider, SaysWhatToDoWhereTheWishCannotBeHad) {
  const Mounted mounted("xfs");
  if (!mounted.missing().empty()) GTEST_SKIP() << mounted.missing();

  const auto refused = volumes::choose_provider("btrfs", mounted.path());

  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what().find("is not on btrfs"), std::string::npos);
  EXPECT_NE(refused.error().hint().find("--pool-size"), std::string::npos);
}

class Pools : public testing::Test {
 protected:
  void SetUp() override {
    const Mounted probe("btrfs");
    if (!probe.missing().empty()) GTEST_SKIP() << probe.missing();
  }
  static uintmax_t room(const volumes::Pool& pool) { return fs::space(pool.folder).capacity; }
  static constexpr int64_t kMi = 1 << 20;
  const Mounted folder_{""};
};

TEST_F(Pools, AreMadeFoundAgainAndGrown) {
  auto pool = volumes::open_pool(folder_.path(), 256 * kMi);
  ASSERT_TRUE(pool) << pool.error().what();
  EXPECT_EQ(room(*pool), uintmax_t{256 * kMi});
  ASSERT_TRUE(write_file(pool->folder / "file", "text", 0600));

  pool = volumes::open_pool(folder_.path(), 320 * kMi);
  ASSERT_TRUE(pool) << "mounted, as after a kill: " << pool.error().what();
  EXPECT_EQ(pool->trouble, "");
  EXPECT_EQ(room(*pool), uintmax_t{320 * kMi});
  volumes::close_pool(*pool);
  EXPECT_FALSE(fs::exists(pool->folder / "file"));

  pool = volumes::open_pool(folder_.path(), 256 * kMi);
  ASSERT_TRUE(pool) << pool.error().what();
  EXPECT_EQ(room(*pool), uintmax_t{320 * kMi}) << "it never shrinks";
  EXPECT_TRUE(fs::exists(pool->folder / "file"));
  volumes::close_pool(*pool);
}

TEST_F(Pools, StayMountedForPodsOfOthersIfAskedTo) {
  const SystemClock clock;
  volumes::Settings settings{.node = "n1", .folder = folder_.path(), .pool_size = 256 * kMi};
  const fs::path file = folder_.path() / "pool/file";
  settings.leave_pool_mounted = true;
  {
    auto machine = volumes::Machine::open(settings, clock);
    ASSERT_TRUE(machine) << machine.error().what();
    ASSERT_TRUE(write_file(file, "text", 0600));
  }
  EXPECT_TRUE(fs::exists(file)) << "kubelet starts pods from it";

  settings.leave_pool_mounted = false;
  ASSERT_TRUE(volumes::Machine::open(settings, clock));

  EXPECT_FALSE(fs::exists(file));
}

TEST_F(Pools, ThatCannotGrowSayByHowMuch) {
  auto pool = volumes::open_pool(folder_.path(), 256 * kMi);
  ASSERT_TRUE(pool) << pool.error().what();

  pool = volumes::open_pool(folder_.path(), int64_t{1} << 50);

  ASSERT_TRUE(pool) << "what is there goes on";
  EXPECT_NE(pool->trouble.find("pool.btrfs cannot grow"), std::string::npos) << pool->trouble;
  EXPECT_EQ(room(*pool), uintmax_t{256 * kMi});
  volumes::close_pool(*pool);
}

}  // namespace
}  // namespace holdfast::suite
