// Snapshots that must be in a repository before what lists them is.
#include "mover/expecting.h"

#include <holdfast/base/files.h>

#include "mover/repository_test.h"

#include <filesystem>

namespace holdfast::protect {
namespace {

namespace fs = std::filesystem;

class Expecting : public RepositoryTest {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("expecting-" + random_.uuid());
    ASSERT_TRUE(make_folder(folder_, 0700));
    ASSERT_TRUE(write_file(folder_ / "file", "content", 0600));
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  /// Of the folder.
  repo::Snapshot made(std::vector<std::string> tags) {
    repo::BackupOptions options;
    options.host = "here";
    options.tags = std::move(tags);
    options.paths = {folder_.string()};
    auto done = repo::back_up(*index_, options, [](const repo::BackupProgress&) {}, {});
    EXPECT_TRUE(done);
    return *done->snapshot;
  }
  static DataMove::Expected told(const repo::Snapshot& snapshot) {
    return {snapshot.id.hex(), snapshot.tags, int64_t(snapshot.summary->total_files_processed),
            int64_t(snapshot.summary->total_bytes_processed)};
  }
  /// The reason; "" if all is as expected.
  std::string look_for(const DataMove::Expected& expected) {
    std::string reason;
    const Result<void> looked = expect_snapshots(*index_, {expected}, folder_.string(), reason);
    EXPECT_EQ(bool(looked), reason.empty());
    if (!looked) {
      EXPECT_FALSE(looked.error().transient()) << looked.error().what();
      EXPECT_NE(looked.error().what().find(expected.snapshot_id), std::string::npos);
    }
    return reason;
  }

  fs::path folder_{};
};

TEST_F(Expecting, WhatWasBackedUpIsFound) {
  EXPECT_EQ(look_for(told(made({"vga=1", "nonce=x"}))), "");
}

TEST_F(Expecting, WhatIsNotThereIsMissing) {
  DataMove::Expected expected = told(made({"vga=1"}));
  expected.snapshot_id = std::string(64, '0');
  EXPECT_EQ(look_for(expected), "SnapshotMissing");
}

TEST_F(Expecting, OtherTagsOrSizesAreAnotherBackup) {
  const DataMove::Expected good = told(made({"vga=1", "nonce=x"}));
  DataMove::Expected other = good;
  other.tags = {"nonce=y"};
  EXPECT_EQ(look_for(other), "SnapshotDiffers");
  other = good;
  ++other.files;
  EXPECT_EQ(look_for(other), "SnapshotDiffers");
  other = good;
  --other.bytes;
  EXPECT_EQ(look_for(other), "SnapshotDiffers");
}

TEST_F(Expecting, ADocumentIsNoVolume) {
  // With the very path, the very tags and sizes.
  const repo::Snapshot document =
      store(folder_.string().substr(1), "content", {"vga=1", "nonce=x"});
  EXPECT_EQ(look_for(told(document)), "SnapshotDiffers");
}

TEST_F(Expecting, ALaterAttemptFindsWhatAnEarlierOneSaved) {
  made({"dm=1", "round=1"});
  const repo::Snapshot own = made({"dm=1", "round=2"});
  const auto found = find_own(index_->repository(), {"dm=1", "round=2"});
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->id.hex(), own.id.hex());
  const auto none = find_own(index_->repository(), {"dm=2"});
  ASSERT_TRUE(none);
  EXPECT_FALSE(*none);
}

}  // namespace
}  // namespace holdfast::protect
