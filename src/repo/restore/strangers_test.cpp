// Restores of what a stranger may have written into a repository: special files, trees without end,
// sizes that lie.
#include <holdfast/repo/restore.h>

#include "files/file_node.h"
#include "trees/forged.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/xattr.h>
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

  /// A file that is more than its bytes, and a device if only root could make it.
  Id special_tree() {
    Node program = forged_.file("program", "bytes");
    program.mode = go_mode(S_IFREG | S_ISUID | S_ISGID | 0755);
    program.uid = ::geteuid();
    program.gid = ::getegid();
    Node shared = forged_.folder("shared", forged_.tree({forged_.file("inner", "x")}));
    shared.mode = go_mode(S_IFDIR | S_ISGID | 0775);
    shared.uid = ::geteuid();
    shared.gid = ::getegid();
    Node disk{.name = "disk", .type = NodeType::Device, .mode = go_mode(S_IFBLK | 0666)};
    disk.device = 7 << 8 | 200;
    return forged_.tree({disk, program, shared});
  }

  fs::path folder_, to_;
  Forged forged_;
};

TEST_F(Strangers, SpecialFilesAreLeftOutAndCounted) {
  const RestoreResult done = restored(special_tree());

  EXPECT_TRUE(done.errors.empty()) << done.errors.front();
  EXPECT_FALSE(fs::exists(fs::symlink_status(to_ / "disk")));
  EXPECT_EQ(mode(to_ / "program"), 0755U);
  EXPECT_EQ(mode(to_ / "shared"), 02775U) << "of a folder it gives nobody a right";
  EXPECT_EQ(done.left_out, 2U);
  EXPECT_EQ(done.left_out_first,
            (std::vector<std::string>{
                fmt::format("{}: block device 7:200", (to_ / "disk").string()),
                fmt::format("{}: set-user-ID, set-group-ID", (to_ / "program").string())}));
}

TEST_F(Strangers, ADryRunCountsTheSame) {
  const RestoreResult done = restored(special_tree(), {.dry_run = true});

  EXPECT_EQ(done.left_out, 2U);
  EXPECT_FALSE(fs::exists(to_));
}

TEST_F(Strangers, WhoTrustsTheRepositoryGetsAll) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root makes devices";
  const RestoreResult done = restored(special_tree(), {.special = true});

  EXPECT_EQ(done.left_out, 0U);
  EXPECT_TRUE(S_ISBLK(info(to_ / "disk").st_mode));
  EXPECT_EQ(mode(to_ / "program"), 06755U);
}

TEST_F(Strangers, AFileThatIsNotGivenToItsOwnerHasNotItsOwnersRights) {
  Node program = forged_.file("program", "bytes");
  program.mode = go_mode(S_IFREG | S_ISUID | 0755);
  program.uid = 12345;

  restored(forged_.tree({program}), {.ownership = false, .special = true});

  EXPECT_EQ(mode(to_ / "program"), 0755U);
}

TEST_F(Strangers, CapabilitiesAreLeftOutWhateverTheirNameEndsWith) {
  Node program = forged_.file("program", "bytes");
  const std::string capability("\1\0\0\2\377\377\377\377\0\0\0\0\0\0\0\0\0\0\0\0", 20);
  program.extended_attributes = {{"security.capability", capability},
                                 {std::string("security.capability\0x", 21), capability},
                                 {"trusted.overlay.redirect", "/etc"}};

  const RestoreResult done = restored(forged_.tree({program}));

  EXPECT_TRUE(done.errors.empty()) << done.errors.front();
  EXPECT_EQ(done.left_out, 1U);
  for (const char* name : {"security.capability", "trusted.overlay.redirect"})
    EXPECT_LT(::lgetxattr((to_ / "program").c_str(), name, nullptr, 0), 0) << name;
}

TEST_F(Strangers, NobodyElseEntersTheTargetUntilItIsOver) {
  fs::create_directory(to_);
  fs::permissions(to_, fs::perms(0755));
  std::vector<uint32_t> seen;
  RestoreOptions options;
  options.item = [&](Restoring, const std::string&, uint64_t) { seen.push_back(mode(to_)); };

  restored(special_tree(), options);

  ASSERT_FALSE(seen.empty());
  for (const uint32_t each : seen) EXPECT_EQ(each, 0700U);
  EXPECT_EQ(mode(to_), 0755U);
}

TEST_F(Strangers, ATargetOfAnotherUserIsRootsUntilItIsOver) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives folders away";
  fs::create_directory(to_);
  fs::permissions(to_, fs::perms(0750));
  ASSERT_EQ(::chown(to_.c_str(), 12345, 12346), 0);
  std::vector<uid_t> owners;
  RestoreOptions options;
  options.item = [&](Restoring, const std::string&, uint64_t) {
    owners.push_back(info(to_).st_uid);
  };

  restored(special_tree(), options);

  ASSERT_FALSE(owners.empty());
  for (const uid_t each : owners) EXPECT_EQ(each, 0U);
  EXPECT_EQ(info(to_).st_uid, 12345U);
  EXPECT_EQ(info(to_).st_gid, 12346U);
  EXPECT_EQ(mode(to_), 0750U);
}

TEST_F(Strangers, ATargetThatIsMadeStaysOnes) {
  restored(special_tree(), {});

  EXPECT_EQ(mode(to_), 0700U);
}

TEST_F(Strangers, AnInterruptedRestoreOpensTheTargetAgain) {
  fs::create_directory(to_);
  fs::permissions(to_, fs::perms(01777));
  std::stop_source source;
  RestoreOptions options;
  options.item = [&](Restoring, const std::string&, uint64_t) { source.request_stop(); };

  const auto done = try_restore(special_tree(), options, source.get_token());

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().fault(), Fault::Unavailable);
  EXPECT_EQ(mode(to_), 01777U);
}

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
