#include <holdfast/repo/check.h>
#include <holdfast/repo/repair.h>

#include "trees/forged.h"
#include "upkeep/sample.h"

#include <gtest/gtest.h>

namespace holdfast::repo {
namespace {

struct Repair : testing::Test {
  Sample sample_;
  std::string large_ = sample_.random.bytes(400'000);
  Sample::Files files_{{"d/large", large_}, {"d/small", "words"}, {"top", "more words"}};
  Snapshot snapshot_ = sample_.back_up(files_);

  RepairIndexResult repair_it(RepairIndexOptions options = {}) {
    auto result = repair_index(*sample_.open(), options, [](uint64_t, uint64_t) {}, {});
    EXPECT_TRUE(result) << result.error().what();
    return result.take();
  }
  bool good() {
    return check(*sample_.open(), {.data = CheckOptions::Data::All}, [](const CheckProgress&) {},
                 {})
        ->good();
  }
  std::string pack_of(BlobType type, const Id& id) {
    const std::string pack = sample_.index()->find(type, id)->pack.hex();
    return "data/" + pack.substr(0, 2) + "/" + pack;
  }
};

TEST_F(Repair, MakesAnIndexFromThePacksAlone) {
  for (const std::string& name : sample_.names("index/")) ASSERT_TRUE(sample_.store->remove(name));
  ASSERT_FALSE(good());

  const RepairIndexResult result = repair_it();

  EXPECT_EQ(result.packs_added, sample_.names("data/").size());
  EXPECT_TRUE(good());
  EXPECT_EQ(Sample::read(*sample_.index(), snapshot_.tree).take(), files_);
  EXPECT_FALSE(repair_it().changed);
  EXPECT_TRUE(repair_it({.read_all_packs = true, .dry_run = true}).changed);
}

TEST_F(Repair, DropsPacksThatAreGoneAndNamesThoseThatCannotBeRead) {
  const std::string gone = pack_of(BlobType::Data, hash("words"));
  ASSERT_TRUE(sample_.store->remove(gone));
  const std::string strange = "data/aa/" + std::string(64, 'a');
  ASSERT_TRUE(sample_.store->put(strange, std::string(100, 'x')));

  const RepairIndexResult result = repair_it();

  EXPECT_EQ(result.packs_missing, 1U);
  ASSERT_EQ(result.unreadable.size(), 1U);
  EXPECT_EQ(result.unreadable[0].first.hex(), std::string(64, 'a'));
  EXPECT_FALSE(sample_.index()->find(BlobType::Data, hash("words")));
}

TEST_F(Repair, ReplacesADamagedIndex) {
  const std::string name = sample_.names("index/").front();
  std::string bytes = sample_.store->get(name).take();
  bytes[40] = char(bytes[40] ^ 1);
  ASSERT_TRUE(sample_.store->put(name, bytes));

  const RepairIndexResult result = repair_it();

  EXPECT_EQ(result.damaged_indexes.size(), 1U);
  EXPECT_TRUE(good());
}

TEST_F(Repair, LeavesOutOfSnapshotsWhatIsGone) {
  const std::string gone =
      pack_of(BlobType::Data, hash(std::string_view(large_).substr(100'000, 50'000)));
  ASSERT_TRUE(sample_.store->remove(gone));
  repair_it();
  const auto index = sample_.index();
  ASSERT_TRUE(index);

  const auto tried = repair_snapshots(*index, {snapshot_}, {.dry_run = true});
  ASSERT_TRUE(tried) << tried.error().what();
  EXPECT_EQ(sample_.names("snapshots/").size(), 1U);
  const auto result = repair_snapshots(*sample_.index(), {snapshot_}, {});

  ASSERT_TRUE(result) << result.error().what();
  ASSERT_EQ(result->size(), 1U);
  EXPECT_NE((*result)[0].losses.front().find("/d/large: "), std::string::npos);
  const Snapshot& now = *(*result)[0].now;
  EXPECT_EQ(now.original, snapshot_.id);
  EXPECT_EQ(now.tags, (std::vector<std::string>{"repaired"}));
  EXPECT_EQ(sample_.names("snapshots/").size(), 2U);
  const auto back = Sample::read(*sample_.index(), now.tree);
  ASSERT_TRUE(back) << back.error().what();
  EXPECT_LT(back->at("d/large").size(), large_.size());
  EXPECT_TRUE(repair_snapshots(*sample_.index(), {now}, {})->empty());
  ASSERT_TRUE(repair_snapshots(*sample_.index(), {snapshot_}, {.forget = true}));
  EXPECT_EQ(sample_.names("snapshots/").size(), 2U);
  EXPECT_TRUE(good());
}

TEST_F(Repair, EmptiesFoldersWhoseTreeIsGoneAndGivesUpOnARoot) {
  Snapshot rootless = snapshot_;
  rootless.tree = Id();
  const auto index = sample_.index();
  const BackupOptions options;
  Saver saver(static_cast<IndexedRepository&>(*index), options);
  std::vector<Node> nodes(2);
  nodes[0].name = "gone";
  nodes[0].type = NodeType::Dir;
  nodes[0].subtree = Id();
  nodes[1].name = "here";
  nodes[1].content.emplace();
  Snapshot half = snapshot_;
  half.tree = saver.save_tree(nodes).take();
  ASSERT_TRUE(saver.finish());

  const auto result = repair_snapshots(*index, {rootless, half}, {});

  ASSERT_TRUE(result) << result.error().what();
  ASSERT_EQ(result->size(), 2U);
  EXPECT_FALSE((*result)[0].now);
  const auto left = Sample::read(*sample_.index(), (*result)[1].now->tree);
  ASSERT_TRUE(left) << left.error().what();
  EXPECT_EQ((*result)[1].losses.size(), 1U);
}

struct RepairOfForgedTrees : testing::Test {
  Forged forged_;

  /// Folders in each other, with a file in the last one that has lost its bytes.
  Snapshot nested(int depth) {
    Node lost = forged_.file("lost", "");
    lost.content = {Id()};
    Snapshot snapshot;
    snapshot.tree = forged_.tree({lost});
    for (int i = 0; i < depth; ++i)
      snapshot.tree = forged_.tree({Forged::folder("d", snapshot.tree)});
    snapshot.time_text = "2026-01-02T03:04:05Z";
    EXPECT_TRUE(save_snapshot(forged_.index().repository(), snapshot));
    return snapshot;
  }
};

TEST_F(RepairOfForgedTrees, ReachesDeepFolders) {
  const Snapshot snapshot = nested(2000);

  const auto done = repair_snapshots(forged_.index(), {snapshot}, {});

  ASSERT_TRUE(done) << done.error().what();
  ASSERT_EQ(done->size(), 1U);
  EXPECT_EQ(done->front().losses.size(), 1U);
  ASSERT_TRUE(done->front().now);
  const auto index = forged_.sample().index();
  EXPECT_EQ(Sample::read(*index, done->front().now->tree)->size(), 0U);
}

TEST_F(RepairOfForgedTrees, SaysThatItGoesNoDeeper) {
  const Snapshot snapshot = nested(int(kDeepest));

  const auto done = repair_snapshots(forged_.index(), {snapshot}, {});

  ASSERT_FALSE(done);
  EXPECT_NE(done.error().what().find("nested too deeply"), std::string::npos);
}

}  // namespace
}  // namespace holdfast::repo
