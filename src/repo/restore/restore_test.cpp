// Restores, into empty folders and over existing files.
#include <holdfast/blob/stores.h>
#include <holdfast/repo/backup.h>
#include <holdfast/repo/restore.h>
#include <holdfast/repo/tree.h>

#include "backup/saver.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace holdfast::repo {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, std::string_view bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string read(const fs::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

struct Restores : testing::Test {
  Restores() {
    std::string name = fs::temp_directory_path() / "holdfast-restore.XXXXXX";
    folder_ = mkdtemp(name.data());
    from_ = folder_ / "from";
    to_ = folder_ / "to";
    fs::create_directories(from_);
    index_ = load_index(init(store_, "secret", {}, around_).take(), {}).take();
    SeededRandom random(7);
    big_ = random.bytes(size_t{11} << 20);
    write(from_ / "big", big_);
    write(from_ / "empty", "");
    write(from_ / "inner" / "deep" / "small", "small");
    write(from_ / "inner" / "other.o", "other");
    fs::create_symlink("big", from_ / "link");
    fs::create_hard_link(from_ / "inner" / "other.o", from_ / "twin");
    fs::permissions(from_ / "inner", fs::perms(0750));
  }
  ~Restores() override { fs::remove_all(folder_); }
  Restores(const Restores&) = delete;
  Restores& operator=(const Restores&) = delete;

  Snapshot back_up_all() {
    BackupOptions options;
    options.paths = {from_};
    return *back_up(*index_, options, [](const BackupProgress&) {}, {})->snapshot;
  }
  RestoreResult restore_all(const Snapshot& snapshot, RestoreOptions options = {}) {
    options.target = to_;
    options.subfolder = from_;
    Result<RestoreResult> done =
        restore(*index_, snapshot, options, [](const RestoreProgress&) {}, {});
    EXPECT_TRUE(done) << done.error().what();
    return done.take();
  }

  SystemClock clock_{};
  SystemRandom random_{};
  Surroundings around_{clock_, random_, "host", "user"};
  std::shared_ptr<blob::Store> store_ = blob::memory_store();
  fs::path folder_, from_, to_;
  std::string big_;
  std::unique_ptr<Indexed> index_;
};

TEST_F(Restores, WhatLiesBeforeTheEndOfAPackThatWasCutOffComesBack) {
  fs::remove(from_ / "big");
  SeededRandom random(9);
  for (int i = 0; i < 20; ++i) write(from_ / ("file" + std::to_string(i)), random.bytes(30'000));
  const Snapshot snapshot = back_up_all();
  std::string largest;
  ASSERT_TRUE(store_->list("data/", [&](const blob::Info& info) {
    if (info.size > 500'000) largest = info.name;
  }));
  const std::string bytes = store_->get(largest).take();
  ASSERT_TRUE(store_->remove(largest));
  ASSERT_TRUE(store_->put(largest, bytes.substr(0, bytes.size() / 2)));

  const RestoreResult done = restore_all(snapshot);

  size_t same = 0;
  for (int i = 0; i < 20; ++i) {
    const std::string name = "file" + std::to_string(i);
    same += read(to_ / name) == read(from_ / name) ? 1 : 0;
  }
  EXPECT_GE(same, 8U);
  EXPECT_LT(same, 20U);
  EXPECT_GE(same + done.errors.size(), 20U);
}

TEST_F(Restores, EverythingComesBack) {
  const RestoreResult done = restore_all(back_up_all(), {.verify = true});

  EXPECT_TRUE(done.errors.empty()) << done.errors.front();
  // Four files, one of them under two names, a link, two folders.
  EXPECT_EQ(done.files_restored, 8U);
  EXPECT_EQ(done.files_verified, 4U);
  EXPECT_EQ(read(to_ / "big"), big_);
  EXPECT_EQ(read(to_ / "inner" / "deep" / "small"), "small");
  EXPECT_EQ(fs::file_size(to_ / "empty"), 0U);
  EXPECT_EQ(fs::read_symlink(to_ / "link"), "big");
  EXPECT_EQ(fs::hard_link_count(to_ / "twin"), 2U);
  EXPECT_TRUE(fs::equivalent(to_ / "twin", to_ / "inner" / "other.o"));
  for (const char* name : {"big", "inner", "inner/deep", "inner/deep/small"})
    EXPECT_EQ(fs::last_write_time(to_ / name), fs::last_write_time(from_ / name)) << name;
  EXPECT_EQ(fs::status(to_ / "inner").permissions(), fs::perms(0750));
}

TEST_F(Restores, InPlaceOnlyWhatDiffersIsWritten) {
  const Snapshot snapshot = back_up_all();
  restore_all(snapshot);
  std::fstream(to_ / "big", std::ios::binary | std::ios::in | std::ios::out).seekp(100) << "damage";
  write(to_ / "inner" / "deep" / "small", "longer than it was");
  write(to_ / "extra", "extra");

  const RestoreResult done = restore_all(snapshot, {.delete_extra = true});

  EXPECT_EQ(read(to_ / "big"), big_);
  EXPECT_EQ(read(to_ / "inner" / "deep" / "small"), "small");
  EXPECT_FALSE(fs::exists(to_ / "extra"));
  EXPECT_EQ(done.files_deleted, 1U);
  EXPECT_LT(done.bytes_restored, big_.size());
  EXPECT_GT(done.bytes_skipped, 0U);
}

TEST_F(Restores, ChosenFilesOnly) {
  const RestoreResult done = restore_all(back_up_all(), {.includes = {"*.o"}});

  EXPECT_EQ(done.files_restored, 1U);
  EXPECT_TRUE(fs::exists(to_ / "inner" / "other.o"));
  EXPECT_FALSE(fs::exists(to_ / "inner" / "deep"));
  EXPECT_FALSE(fs::exists(to_ / "big"));
}

TEST_F(Restores, WhatIsThereMayStay) {
  const Snapshot snapshot = back_up_all();
  write(to_ / "empty", "mine");

  restore_all(snapshot, {.overwrite = RestoreOptions::Overwrite::Never});

  EXPECT_EQ(read(to_ / "empty"), "mine");
  EXPECT_EQ(read(to_ / "big"), big_);
}

TEST_F(Restores, EveryFileIsToldWithWhatWasDoneToIt) {
  const Snapshot snapshot = back_up_all();
  write(to_ / "big", big_);
  write(to_ / "inner" / "deep" / "small", "other");
  write(to_ / "extra", "");
  std::map<std::string, Restoring> told;
  RestoreOptions options{.delete_extra = true};
  options.item = [&told](Restoring what, const std::string& path, uint64_t) {
    EXPECT_TRUE(told.emplace(path, what).second) << path;
  };

  restore_all(snapshot, options);

  EXPECT_EQ(told["/big"], Restoring::Unchanged);
  EXPECT_EQ(told["/inner/deep/small"], Restoring::Updated);
  EXPECT_EQ(told["/inner/other.o"], Restoring::Restored);
  EXPECT_EQ(told["/empty"], Restoring::Restored);
  EXPECT_EQ(told["/extra"], Restoring::Deleted);
  EXPECT_TRUE(told.contains("/inner/deep/"));
}

TEST_F(Restores, WhatWasThereAlreadyIsVerifiedToo) {
  const Snapshot snapshot = back_up_all();
  restore_all(snapshot);

  const RestoreResult same = restore_all(snapshot, {.verify = true});
  write(to_ / "inner" / "deep" / "small", "mine, and so it stays");
  const RestoreResult left =
      restore_all(snapshot, {.overwrite = RestoreOptions::Overwrite::Never, .verify = true});

  EXPECT_TRUE(same.errors.empty());
  EXPECT_EQ(same.files_verified, 4U);
  EXPECT_EQ(same.bytes_restored, 0U);
  EXPECT_TRUE(left.errors.empty());
  EXPECT_EQ(left.files_verified, 0U);
}

TEST_F(Restores, ALinkThatIsThereIsNotFollowed) {
  const Snapshot snapshot = back_up_all();
  write(folder_ / "victim" / "deep" / "small", "untouched");
  fs::create_directories(to_);
  fs::create_directory_symlink(folder_ / "victim", to_ / "inner");
  fs::create_symlink(folder_ / "victim" / "deep" / "small", to_ / "big");

  const RestoreResult done = restore_all(snapshot);

  EXPECT_TRUE(done.errors.empty());
  EXPECT_EQ(read(folder_ / "victim" / "deep" / "small"), "untouched");
  EXPECT_EQ(read(to_ / "big"), big_);
  EXPECT_EQ(read(to_ / "inner" / "deep" / "small"), "small");
}

TEST_F(Restores, DamageCostsTheFilesThatItTouches) {
  const Snapshot snapshot = back_up_all();
  const auto where = *index_->find(
      BlobType::Data,
      parse_tree(*index_->read(BlobType::Tree, *find_tree(*index_, snapshot.tree, from_.string())))
          ->front()
          .content->front());
  const std::string name = "data/" + where.pack.hex().substr(0, 2) + "/" + where.pack.hex();
  std::string bytes = *store_->get(name);
  bytes[where.offset + 1000] = char(bytes[where.offset + 1000] ^ 4);
  ASSERT_TRUE(store_->put(name, bytes));

  const RestoreResult done = restore_all(snapshot);

  ASSERT_EQ(done.errors.size(), 1U);
  EXPECT_NE(done.errors[0].find("to/big"), std::string::npos) << done.errors[0];
  EXPECT_NE(done.errors[0].find(where.pack.hex()), std::string::npos);
  EXPECT_EQ(read(to_ / "inner" / "deep" / "small"), "small");
}

TEST_F(Restores, TimesThatNobodySaysStayAsTheyAre) {
  // As rustic writes a folder above what it was told to back up.
  Snapshot snapshot;
  {
    const BackupOptions options;
    Saver saver(static_cast<IndexedRepository&>(*index_), options);
    const Id empty = *saver.save_tree({});
    const std::string json = fmt::format(
        R"({{"nodes":[{{"name":"d","type":"dir","mode":493,"content":null,"subtree":"{}"}}]}})",
        empty.hex());
    snapshot.tree = *saver.save_tree(*parse_tree(json));
    ASSERT_TRUE(saver.finish());
  }
  fs::create_directories(to_ / "d");
  const auto before = fs::file_time_type(std::chrono::seconds(-1'000'000'000));
  fs::last_write_time(to_ / "d", before);

  const auto done = restore(*index_, snapshot, {.target = to_}, [](const RestoreProgress&) {}, {});

  ASSERT_TRUE(done && done->errors.empty());
  EXPECT_EQ(fs::last_write_time(to_ / "d"), before);
}

TEST_F(Restores, HolesStayHoles) {
  {
    std::ofstream(from_ / "sparse") << "begin";
    fs::resize_file(from_ / "sparse", uint64_t{64} << 20);
  }

  restore_all(back_up_all(), {.sparse = true});

  struct stat info {};
  ASSERT_EQ(::stat((to_ / "sparse").c_str(), &info), 0);
  EXPECT_EQ(info.st_size, off_t{64} << 20);
  EXPECT_LT(info.st_blocks * 512, off_t{8} << 20);
  EXPECT_EQ(read(to_ / "sparse"), read(from_ / "sparse"));
}

}  // namespace
}  // namespace holdfast::repo
