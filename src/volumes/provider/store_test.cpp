#include "provider/store.h"

#include "provider/tree.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace holdfast::volumes {
namespace {

class Copies : public testing::Test {
 protected:
  Copies() {
    std::string name = fs::temp_directory_path() / "holdfast-store.XXXXXX";
    HF_CHECK(mkdtemp(name.data()) != nullptr);
    folder_ = name;
    reopen();
  }
  ~Copies() override {
    store_.reset();
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  void reopen() {
    store_.reset();
    auto opened = Store::open(folder_ / "s", make_copy_provider(), clock_, {});
    ASSERT_TRUE(opened) << opened.error().what();
    store_ = opened.take();
  }
  void put(const VolumeFolder& volume, const std::string& file, std::string_view text) {
    ASSERT_TRUE(write_file(store_->path_of(volume) / file, text, 0644));
  }
  std::string text(const VolumeFolder& volume, const std::string& file) {
    auto read = read_file(store_->path_of(volume) / file);
    return read ? read.take() : "(none)";
  }

  fs::path folder_;
  ManualClock clock_{WallTime(std::chrono::hours(24 * 365 * 56))};
  std::unique_ptr<Store> store_;
  const VolumeFolder a_{"shop", "pvc-a"}, b_{"shop", "pvc-b"};
};

TEST_F(Copies, ACutKeepsWhatWasThere) {
  ASSERT_TRUE(store_->make(a_));
  put(a_, "f", "one");

  const auto cut = store_->cut("snapshot-1", "shop", {{"pvc-a", 42}});
  put(a_, "f", "two");
  ASSERT_TRUE(store_->restore({"snapshot-1", "pvc-a"}, b_));

  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->time, clock_.now());
  EXPECT_EQ(cut->sizes.at("pvc-a"), 42);
  EXPECT_EQ(text(b_, "f"), "one");
  EXPECT_EQ(text(a_, "f"), "two");
}

TEST_F(Copies, ACutAskedForTwiceIsTheFirstOne) {
  ASSERT_TRUE(store_->make(a_));
  put(a_, "f", "one");
  const auto first = store_->cut("snapshot-1", "shop", {{"pvc-a", 1}});
  clock_.advance(std::chrono::seconds(5));
  put(a_, "f", "two");
  reopen();

  const auto again = store_->cut("snapshot-1", "shop", {{"pvc-a", 1}});

  ASSERT_TRUE(first && again);
  EXPECT_EQ(first->time, again->time);
  ASSERT_TRUE(store_->restore({"snapshot-1", "pvc-a"}, b_));
  EXPECT_EQ(text(b_, "f"), "one");
}

TEST_F(Copies, OutliveTheirSource) {
  ASSERT_TRUE(store_->make(a_));
  put(a_, "f", "one");
  ASSERT_TRUE(store_->cut("snapshot-1", "shop", {{"pvc-a", 1}}));

  ASSERT_TRUE(store_->remove(a_));
  EXPECT_TRUE(store_->volumes().empty());
  ASSERT_TRUE(store_->restore({"snapshot-1", "pvc-a"}, b_));

  EXPECT_EQ(text(b_, "f"), "one");
}

TEST_F(Copies, GoWithTheirLastMember) {
  ASSERT_TRUE(store_->make(a_));
  ASSERT_TRUE(store_->cut("snapshot-1", "shop", {{"pvc-a", 1}}));
  ASSERT_TRUE(store_->holds({"snapshot-1", "pvc-a"}));

  ASSERT_TRUE(store_->release({"snapshot-1", "pvc-a"}));
  ASSERT_TRUE(store_->release({"snapshot-1", "pvc-a"})) << "twice is once";

  EXPECT_TRUE(store_->cuts().empty());
  const auto restored = store_->restore({"snapshot-1", "pvc-a"}, b_);
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().fault(), Fault::NotFound);
}

TEST_F(Copies, OfAVolumeThatIsGoneAreRefusedByName) {
  const auto cut = store_->cut("snapshot-1", "shop", {{"pvc-a", 1}});

  ASSERT_FALSE(cut);
  EXPECT_NE(cut.error().what().find("pvc-a"), std::string::npos);
  EXPECT_TRUE(store_->cuts().empty());
}

TEST_F(Copies, WhatACrashLeftHalfDoneIsGoneAfterTheNextStart) {
  ASSERT_TRUE(store_->make(a_));
  fs::create_directories(folder_ / "s/making/snapshot-9/data/pvc-a");
  fs::create_directories(folder_ / "s/volumes/shop/.making-pvc-c/x");
  reopen();

  EXPECT_FALSE(fs::exists(folder_ / "s/making/snapshot-9"));
  EXPECT_FALSE(fs::exists(folder_ / "s/volumes/shop/.making-pvc-c"));
  EXPECT_EQ(store_->volumes(), std::vector{a_});
}

TEST_F(Copies, AFolderIsHeldByOneProcessAtATime) {
  const auto second = Store::open(folder_ / "s", make_copy_provider(), clock_, {});

  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().fault(), Fault::Conflict);
}

TEST_F(Copies, OnlyPathsOfTheStoreAreItsVolumes) {
  EXPECT_EQ(store_->volume_at(store_->path_of(a_)), a_);
  EXPECT_FALSE(store_->volume_at("/etc/passwd"));
  EXPECT_FALSE(store_->volume_at(folder_ / "s/volumes/shop/../shop/pvc-a"));
  EXPECT_FALSE(store_->volume_at(folder_ / "s/volumes/shop/.."));
  EXPECT_FALSE(store_->volume_at(""));
  for (const char* id : {"../volumes", "..", "", "a/b"}) EXPECT_FALSE(store_->find_cut(id)) << id;
}

TEST_F(Copies, KeepAllThatFilesAre) {
  ASSERT_TRUE(store_->make(a_));
  const fs::path from = store_->path_of(a_);
  put(a_, "plain", "text");
  ASSERT_EQ(chmod((from / "plain").c_str(), 04751), 0);
  fs::create_hard_link(from / "plain", from / "linked");
  fs::create_symlink("/etc/passwd", from / "pointer");
  fs::create_directory(from / "deep");
  ASSERT_EQ(mkfifo((from / "deep/pipe").c_str(), 0600), 0);
  ASSERT_EQ(truncate((from / "plain").c_str(), 1 << 20), 0);
  const bool attributes = setxattr(from.c_str(), "user.note", "x", 1, 0) == 0;

  ASSERT_TRUE(store_->clone(a_, b_));

  const fs::path to = store_->path_of(b_);
  struct stat plain {
  }, linked{};
  ASSERT_EQ(stat((to / "plain").c_str(), &plain), 0);
  ASSERT_EQ(stat((to / "linked").c_str(), &linked), 0);
  EXPECT_EQ(plain.st_ino, linked.st_ino);
  EXPECT_EQ(plain.st_mode & 07777U, 04751U);
  EXPECT_EQ(plain.st_size, 1 << 20);
  EXPECT_LT(plain.st_blocks, 64) << "a hole stays a hole";
  EXPECT_EQ(fs::read_symlink(to / "pointer"), "/etc/passwd");
  EXPECT_TRUE(fs::is_fifo(to / "deep/pipe"));
  char value = 0;
  EXPECT_EQ(getxattr(to.c_str(), "user.note", &value, 1) == 1, attributes);
}

TEST_F(Copies, AStopEndsACopyWithoutALeftover) {
  std::stop_source stop;
  store_.reset();
  auto opened = Store::open(folder_ / "s", make_copy_provider(), clock_, stop.get_token());
  ASSERT_TRUE(opened);
  store_ = opened.take();
  ASSERT_TRUE(store_->make(a_));
  put(a_, "f", "one");
  stop.request_stop();

  const auto cloned = store_->clone(a_, b_);

  ASSERT_FALSE(cloned);
  EXPECT_EQ(cloned.error().fault(), Fault::Unavailable);
  EXPECT_EQ(store_->volumes(), std::vector{a_});
}

}  // namespace
}  // namespace holdfast::volumes
