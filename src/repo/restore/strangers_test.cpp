// Restores of what a stranger may have written into a repository: trees without end, links, sizes
// that lie.
#include <holdfast/repo/restore.h>

#include "files/file_node.h"
#include "trees/forged.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace holdfast::repo {
namespace {

namespace fs = std::filesystem;

struct Strangers : testing::Test {
  Strangers() {
    std::string name = fs::temp_directory_path() / "holdfast-strangers.XXXXXX";
    folder_ = mkdtemp(name.data());
    to_ = folder_ / "to";
  }
  ~Strangers() override { fs::remove_all(folder_); }
  Strangers(const Strangers&) = delete;
  Strangers& operator=(const Strangers&) = delete;

  Result<RestoreResult> try_restore(const Id& tree, RestoreOptions options = {},
                                    const std::stop_token& stop = {}) {
    options.target = to_;
    Snapshot snapshot;
    snapshot.tree = tree;
    return restore(
        forged_.index(), snapshot, options, [](const RestoreProgress&) {}, stop);
  }
  RestoreResult restored(const Id& tree, RestoreOptions options = {}) {
    Result<RestoreResult> done = try_restore(tree, std::move(options));
    EXPECT_TRUE(done) << done.error().what();
    return done ? done.take() : RestoreResult();
  }
  struct stat info(const fs::path& path) {
    struct stat out {};
    EXPECT_EQ(::lstat(path.c_str(), &out), 0) << path;
    return out;
  }
  uint32_t mode(const fs::path& path) { return info(path).st_mode & 07777; }

  fs::path folder_, to_;
  Forged forged_;
};

TEST_F(Strangers, FoldersNestedTooDeeplyAreTold) {
  const RestoreResult done = restored(forged_.nested(int(kDeepest) + 100), {.dry_run = true});

  ASSERT_EQ(done.errors.size(), 1U);
  EXPECT_NE(done.errors[0].find("nested too deeply"), std::string::npos);
}

TEST_F(Strangers, PathsEndWhereThoseOfTheFileSystemDo) {
  const RestoreResult done = restored(forged_.nested(2500));

  ASSERT_EQ(done.errors.size(), 1U);
  EXPECT_NE(done.errors[0].find("File name too long"), std::string::npos);
  EXPECT_GT(done.files_restored, 1900U);
}

TEST_F(Strangers, FoldersWithoutEndAreRefused) {
  const auto done = try_restore(forged_.doubled(40), {.dry_run = true});

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().fault(), Fault::Corrupt);
  EXPECT_NE(done.error().what().find("3298534883326 files and folders"), std::string::npos)
      << done.error().what();
}

TEST_F(Strangers, CopiesOfAFolderComeBackHoweverManyThereAre) {
  // More folders than there are trees, by far, and none too many.
  const RestoreResult done = restored(forged_.doubled(10), {.dry_run = true});

  EXPECT_TRUE(done.errors.empty());
  EXPECT_EQ(done.files_restored, (2U << 10U) - 2 + (1U << 10U));
}

TEST_F(Strangers, ASizeThatLiesIsTold) {
  Node small = forged_.file("small", "more than one byte");
  small.size = 1;
  Node large = forged_.file("large", "a few bytes");
  large.size = uint64_t{1} << 62;

  const RestoreResult done = restored(forged_.tree({large, small}));

  ASSERT_EQ(done.errors.size(), 2U);
  EXPECT_NE(done.errors[0].find("its blobs are 11 bytes, 4611686018427387904 were stored"),
            std::string::npos)
      << done.errors[0];
  EXPECT_EQ(fs::file_size(to_ / "large"), 11U);
  EXPECT_EQ(fs::file_size(to_ / "small"), 18U);
}

TEST_F(Strangers, WhatALinkLeadsToIsNotDescribed) {
  fs::create_directories(folder_ / "victim");
  fs::permissions(folder_ / "victim", fs::perms(0700));
  fs::create_directories(to_);
  fs::create_directory_symlink(folder_ / "victim", to_ / "inner");
  Node inner = forged_.folder("inner", forged_.tree({forged_.file("other", "x")}));
  inner.mode = go_mode(S_IFDIR | 0777);

  // Nothing in it is chosen, so that the link stays.
  restored(forged_.tree({forged_.file("a.txt", "x"), inner}), {.includes = {"*.txt"}});

  EXPECT_TRUE(fs::is_symlink(to_ / "inner"));
  EXPECT_EQ(mode(folder_ / "victim"), 0700U);
}

TEST_F(Strangers, WhatALinkLeadsToIsNotEmptied) {
  fs::create_directories(folder_ / "victim");
  std::ofstream(folder_ / "victim" / "precious.txt") << "x";
  fs::create_directories(to_);
  fs::create_directory_symlink(folder_ / "victim", to_ / "inner");
  const Node inner = forged_.folder("inner", forged_.tree({forged_.file("other", "x")}));

  restored(forged_.tree({inner}), {.includes = {"*.txt"}, .delete_extra = true});

  EXPECT_TRUE(fs::exists(folder_ / "victim" / "precious.txt"));
}

TEST_F(Strangers, AFolderThatWasNotChosenStaysAsItIs) {
  fs::create_directories(to_ / "inner");
  fs::permissions(to_ / "inner", fs::perms(0711));
  Node inner = forged_.folder("inner", forged_.tree({forged_.file("other", "x")}));
  inner.mode = go_mode(S_IFDIR | 0777);

  restored(forged_.tree({forged_.file("a.txt", "x"), inner}), {.includes = {"*.txt"}});

  EXPECT_EQ(mode(to_ / "inner"), 0711U);
}

TEST_F(Strangers, AFolderAboveWhatWasChosenIsDescribed) {
  Node inner = forged_.folder("inner", forged_.tree({forged_.file("a.txt", "x")}));
  inner.mode = go_mode(S_IFDIR | 0751);
  inner.uid = ::geteuid();
  inner.gid = ::getegid();

  const RestoreResult done = restored(forged_.tree({inner}), {.includes = {"*.txt"}});

  EXPECT_EQ(done.chosen, 1U);
  EXPECT_EQ(mode(to_ / "inner"), 0751U);
}

}  // namespace
}  // namespace holdfast::repo
