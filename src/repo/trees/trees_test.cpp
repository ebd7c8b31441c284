#include <holdfast/blob/around.h>
#include <holdfast/blob/forwarding.h>
#include <holdfast/repo/restore.h>

#include "trees/forged.h"
#include "trees/reach.h"
#include "upkeep/sample.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace holdfast::repo {
namespace {

const auto kNoDamage = [](const std::string& path, const Error& error) {
  ADD_FAILURE() << path << ": " << error.what();
};

std::vector<std::string> paths_below(Indexed& index, const Id& tree, std::string_view past = "") {
  std::vector<std::string> paths;
  EXPECT_TRUE(walk(
      index, tree,
      [&](const std::string& path, const Node&) -> Result<Step> {
        paths.push_back(path);
        return path == past ? Step::Past : Step::Inside;
      },
      kNoDamage));
  return paths;
}

TEST(Walk, GoesDepthFirstInTheOrderOfNamesAndPastWhatIsNotWanted) {
  Sample sample;
  const Snapshot snapshot =
      sample.back_up({{"b/y", "1"}, {"b/x/z", "2"}, {"a", "3"}, {"c", "4"}, {"b.txt", ""}});
  const auto index = sample.index();

  EXPECT_EQ(paths_below(*index, snapshot.tree),
            (std::vector<std::string>{"a", "b", "b/x", "b/x/z", "b/y", "b.txt", "c"}));
  EXPECT_EQ(paths_below(*index, snapshot.tree, "b"),
            (std::vector<std::string>{"a", "b", "b.txt", "c"}));
}

TEST(Walk, ReportsATreeThatIsGoneAndGoesOn) {
  Sample sample;
  const auto index = sample.index();
  const BackupOptions options;
  Saver saver(static_cast<IndexedRepository&>(*index), options);
  std::vector<Node> nodes(2);
  nodes[0].name = "gone";
  nodes[0].type = NodeType::Dir;
  nodes[0].subtree = Id();
  nodes[1].name = "here";
  nodes[1].content.emplace();
  const Id tree = saver.save_tree(nodes).take();
  ASSERT_TRUE(saver.finish());
  std::vector<std::string> seen, damaged;

  const auto walked = walk(
      *index, tree,
      [&seen](const std::string& path, const Node&) -> Result<Step> {
        seen.push_back(path);
        return Step::Inside;
      },
      [&damaged](const std::string& path, const Error&) { damaged.push_back(path); });

  EXPECT_TRUE(walked);
  EXPECT_EQ(seen, (std::vector<std::string>{"gone", "here"}));
  EXPECT_EQ(damaged, (std::vector<std::string>{"gone"}));
}

TEST(Walk, LooksIntoFoldersUpToADepthAndTellsWhatIsBelow) {
  Forged forged;
  size_t deepest = 0;
  std::vector<std::string> damaged;
  const Id tree = forged.nested(int(kDeepest) + 100);

  const auto walked = walk(
      forged.index(), tree,
      [&deepest](const std::string& path, const Node&) -> Result<Step> {
        deepest = std::max(deepest, path.size());
        return Step::Inside;
      },
      [&damaged](const std::string& path, const Error& error) {
        damaged.push_back(error.what());
        EXPECT_EQ(path.size(), 2 * kDeepest - 1);
      });

  ASSERT_TRUE(walked) << walked.error().what();
  EXPECT_EQ(deepest, 2 * kDeepest - 1);
  ASSERT_EQ(damaged.size(), 1U);
  EXPECT_NE(damaged[0].find("nested too deeply"), std::string::npos);
}

TEST(Walk, EndsWhereAFewTreesStandForFoldersWithoutEnd) {
  Forged forged;
  uint64_t seen = 0;
  const Id tree = forged.doubled(40);

  const auto walked = walk(
      forged.index(), tree,
      [&seen](const std::string&, const Node&) -> Result<Step> {
        ++seen;
        return Step::Inside;
      },
      kNoDamage);

  ASSERT_FALSE(walked);
  EXPECT_EQ(walked.error().fault(), Fault::Corrupt);
  EXPECT_LT(seen, 5'000U);
}

TEST(Walk, GoesThroughEveryCopyOfAFolder) {
  Forged forged;
  uint64_t seen = 0;
  const Id tree = forged.doubled(10);

  ASSERT_TRUE(walk(
      forged.index(), tree,
      [&seen](const std::string&, const Node&) -> Result<Step> {
        ++seen;
        return Step::Inside;
      },
      kNoDamage));

  EXPECT_EQ(seen, (2U << 10U) - 2 + (1U << 10U));
}

TEST(Extent, CountsWhatIsThereManyTimesFromEachTreeOnce) {
  Forged forged;
  uint64_t asked = 0;
  const Id tree = forged.doubled(40);

  const auto extent = extent_of(
      forged.index(), tree,
      [&asked](const Node& node) -> Result<Extent> {
        ++asked;
        return Extent{.entries = 1, .bytes = node.size};
      },
      [](const Error& error) { ADD_FAILURE() << error.what(); });

  ASSERT_TRUE(extent) << extent.error().what();
  EXPECT_EQ(extent->entries, 3 * (uint64_t{1} << 40U) - 2);
  EXPECT_EQ(extent->bytes, 8 * (uint64_t{1} << 40U));
  EXPECT_EQ(asked, 81U);
}

TEST(Extent, HasALargestNumber) {
  Forged forged;
  const Id tree = forged.doubled(80);

  const auto extent = extent_of(
      forged.index(), tree, [](const Node&) -> Result<Extent> { return Extent{.entries = 1}; },
      [](const Error&) {});

  ASSERT_TRUE(extent);
  EXPECT_EQ(extent->entries, std::numeric_limits<uint64_t>::max());
}

TEST(Reach, FindsEveryBlobOfTheRootsAndNoOther) {
  Sample sample;
  const std::string shared = sample.random.bytes(120'000);
  const Snapshot one = sample.back_up({{"d/a", shared}, {"d/b", "only one"}});
  const Snapshot two = sample.back_up({{"e/a", shared}, {"e/c", "only two"}});
  const auto index = sample.index();
  auto& indexed = static_cast<IndexedRepository&>(*index);

  const Id roots[] = {one.tree};
  const auto reached = reach(indexed, roots, 2, [](uint64_t) {}, {});

  ASSERT_TRUE(reached) << reached.error().what();
  EXPECT_TRUE(reached->troubles.empty());
  EXPECT_EQ(reached->used.count(BlobType::Tree), 2U);
  EXPECT_EQ(reached->used.count(BlobType::Data), 4U);
  const Id other = hash("only two");
  const auto position = indexed.table().position(BlobType::Data, other);
  ASSERT_TRUE(position);
  EXPECT_FALSE(reached->used.has(BlobType::Data, *position));
  const Id both[] = {one.tree, two.tree};
  EXPECT_EQ(reach(indexed, both, 2, [](uint64_t) {}, {})->used.count(BlobType::Data), 5U);
}

TEST(Reach, ReadsTreesThatLieTogetherByOneRequest) {
  Sample sample;
  Sample::Files files;
  for (int i = 0; i < 500; ++i) files[fmt::format("{:03}/file", i)] = std::to_string(i);
  const Snapshot snapshot = sample.back_up(files);
  const auto traffic = std::make_shared<blob::Traffic>();
  sample.store = blob::counted(std::make_unique<blob::Forwarding>(sample.store), traffic);
  const auto index = sample.index();
  const uint64_t before = traffic->gets;
  const Id roots[] = {snapshot.tree};

  const auto reached =
      reach(static_cast<IndexedRepository&>(*index), roots, 2, [](uint64_t) {}, {});

  ASSERT_TRUE(reached) << reached.error().what();
  EXPECT_EQ(reached->used.count(BlobType::Tree), 501U);
  // Who is quick asks for the first ones alone.
  EXPECT_LT(traffic->gets - before, 50U) << "requests";
}

TEST(Reach, OneDamagedTreeAmongManyIsTheOneThatIsNamed) {
  Sample sample;
  Sample::Files files;
  for (int i = 0; i < 50; ++i) files[fmt::format("{:03}/file", i)] = std::to_string(i);
  const Snapshot snapshot = sample.back_up(files);
  const auto index = sample.index();
  const Id tree = *find_tree(*index, snapshot.tree, "/025");
  const Location where = *index->find(BlobType::Tree, tree);
  const std::string name = "data/" + where.pack.hex().substr(0, 2) + "/" + where.pack.hex();
  std::string bytes = *sample.store->get(name);
  bytes[where.offset + 20] = char(bytes[where.offset + 20] ^ 1);
  ASSERT_TRUE(sample.store->put(name, bytes));
  const Id roots[] = {snapshot.tree};

  const auto reached =
      reach(static_cast<IndexedRepository&>(*index), roots, 2, [](uint64_t) {}, {});

  ASSERT_TRUE(reached) << reached.error().what();
  ASSERT_EQ(reached->troubles.size(), 1U);
  EXPECT_EQ(reached->troubles[0].tree, tree);
  EXPECT_EQ(reached->used.count(BlobType::Data), 49U);
}

TEST(Reach, NamesTheNodeWhoseBlobsAreInNoIndex) {
  Sample sample;
  const auto index = sample.index();
  auto& indexed = static_cast<IndexedRepository&>(*index);
  const BackupOptions options;
  Saver saver(indexed, options);
  std::vector<Node> nodes(2);
  nodes[0].name = "lacks";
  nodes[0].content.emplace({Id()});
  nodes[1].name = "nothing";
  const Id tree = saver.save_tree(nodes).take();
  ASSERT_TRUE(saver.finish());
  const auto again = sample.index();

  const Id roots[] = {tree, Id()};
  const auto reached =
      reach(static_cast<IndexedRepository&>(*again), roots, 2, [](uint64_t) {}, {});

  ASSERT_TRUE(reached);
  ASSERT_EQ(reached->troubles.size(), 3U);
  EXPECT_EQ(reached->troubles[0].tree, Id());
  EXPECT_EQ(reached->troubles[1].node, "lacks");
  EXPECT_EQ(reached->troubles[2].node, "nothing");
}

}  // namespace
}  // namespace holdfast::repo
