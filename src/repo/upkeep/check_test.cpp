#include <holdfast/repo/check.h>

#include "trees/forged.h"
#include "upkeep/sample.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace holdfast::repo {
namespace {

using namespace std::chrono_literals;

struct Check : testing::Test {
  Sample sample_;
  std::string large_ = sample_.random.bytes(300'000);
  Snapshot first_ =
      sample_.back_up({{"dir/large", large_}, {"dir/text", std::string(90'000, 'x')}});
  Snapshot second_ = sample_.back_up({{"dir/large", large_}, {"other", "some words"}});

  CheckResult check_it(CheckOptions options = {.data = CheckOptions::Data::All}) {
    const auto repository = sample_.open();
    Result<CheckResult> result = check(*repository, options, [](const CheckProgress&) {}, {});
    EXPECT_TRUE(result) << result.error().what();
    return result.take();
  }
  /// The pack that holds a blob of these bytes.
  std::string pack_of(BlobType type, std::string_view plain) {
    const auto index = sample_.index();
    const std::string pack = index->find(type, hash(plain))->pack.hex();
    return "data/" + pack.substr(0, 2) + "/" + pack;
  }
  void flip(const std::string& name, size_t at) {
    std::string bytes = sample_.store->get(name).take();
    bytes[at] = char(bytes[at] ^ 0x10);
    ASSERT_TRUE(sample_.store->put(name, bytes));
  }
  static std::string told(const CheckResult& result) {
    std::string out;
    for (const Damage& d : result.damages)
      out += (d.hint ? "hint: " : "") + d.place + ": " + d.what + "\n";
    for (const Affected& a : result.affected)
      out += "affected: " + a.snapshot.hex().substr(0, 8) + " " + a.path + ": " + a.what + "\n";
    return out;
  }
};

TEST_F(Check, FindsNothingWrongWithWhatIsWhole) {
  const CheckResult result = check_it();

  EXPECT_TRUE(result.good());
  EXPECT_EQ(told(result), "");
  EXPECT_EQ(result.snapshots, 2U);
  EXPECT_EQ(result.trees, 4U);
  EXPECT_EQ(result.packs_read, result.packs);
  EXPECT_GT(result.bytes_read, 300'000U);
}

TEST_F(Check, NamesThePackTheBlobAndTheFileOfAFlippedBit) {
  const std::string pack = pack_of(BlobType::Data, std::string_view(large_).substr(0, 50'000));
  flip(pack, 100);

  const CheckResult result = check_it();

  EXPECT_FALSE(result.good());
  const std::string id = pack.substr(8);
  EXPECT_NE(told(result).find("pack " + id + ": its bytes are not those of its name"),
            std::string::npos)
      << told(result);
  EXPECT_NE(told(result).find(" of pack " + id + ": the seal is broken"), std::string::npos);
  EXPECT_NE(told(result).find("affected: " + first_.id.hex().substr(0, 8) + " /dir/large"),
            std::string::npos);
  EXPECT_NE(told(result).find("affected: " + second_.id.hex().substr(0, 8) + " /dir/large"),
            std::string::npos);
  EXPECT_EQ(told(result).find("/dir/text"), std::string::npos);
  EXPECT_TRUE(check_it({}).good()) << "structure alone cannot see that";
}

TEST_F(Check, SaysTheSameOfAnIndexThatIsTooLargeForMemory) {
  flip(pack_of(BlobType::Data, std::string_view(large_).substr(0, 50'000)), 100);
  ASSERT_TRUE(sample_.store->remove(pack_of(BlobType::Data, "some words")));
  const std::string told_before = told(check_it());
  CheckOptions options{.data = CheckOptions::Data::All};
  options.scratch = {testing::TempDir() + "check-scratch", 1};

  EXPECT_EQ(told(check_it(options)), told_before);
  EXPECT_TRUE(std::filesystem::is_empty(options.scratch.folder));
  options.scratch.folder = "/dev/null/no folder";
  EXPECT_EQ(told(check_it(options)), told_before);
}

TEST_F(Check, NamesAMissingPackAndWhatItHeld) {
  ASSERT_TRUE(sample_.store->remove(pack_of(BlobType::Data, "some words")));

  const CheckResult result = check_it({});

  EXPECT_NE(told(result).find("it is not there"), std::string::npos) << told(result);
  ASSERT_EQ(result.affected.size(), 1U) << told(result);
  EXPECT_EQ(result.affected[0].snapshot, second_.id);
  EXPECT_EQ(result.affected[0].path, "/other");
}

TEST_F(Check, NamesTreesAndIndexesThatAreGone) {
  for (const std::string& name : sample_.names("index/")) {
    const std::string bytes = sample_.store->get(name).take();
    flip(name, bytes.size() / 2);
    const CheckResult result = check_it({});
    EXPECT_FALSE(result.good());
    EXPECT_NE(told(result).find("index " + name.substr(6)), std::string::npos) << told(result);
    ASSERT_TRUE(sample_.store->put(name, bytes));
  }
  for (const std::string& name : sample_.names("index/")) ASSERT_TRUE(sample_.store->remove(name));

  const CheckResult result = check_it({});

  EXPECT_NE(told(result).find(first_.tree.hex() + " is in no index"), std::string::npos);
  EXPECT_NE(told(result).find("hint: pack "), std::string::npos);
  EXPECT_EQ(result.affected.size(), 2U) << told(result);
}

TEST_F(Check, SeesSwappedAndCutPacksAndSnapshots) {
  const std::string one = pack_of(BlobType::Data, "some words");
  const std::string two = pack_of(BlobType::Data, std::string_view(large_).substr(0, 50'000));
  const std::string a = sample_.store->get(one).take(), b = sample_.store->get(two).take();
  ASSERT_NE(one, two);
  ASSERT_TRUE(sample_.store->put(one, b));
  ASSERT_TRUE(sample_.store->put(two, a));
  EXPECT_FALSE(check_it({}).good());
  EXPECT_FALSE(check_it().good());
  ASSERT_TRUE(sample_.store->put(one, a));
  ASSERT_TRUE(sample_.store->put(two, b.substr(0, b.size() - 70)));
  EXPECT_NE(told(check_it({})).find("by the index " + std::to_string(b.size())), std::string::npos);
  ASSERT_TRUE(sample_.store->put(two, b));
  flip("snapshots/" + first_.id.hex(), 3);
  EXPECT_NE(told(check_it({})).find("snapshot " + first_.id.hex()), std::string::npos);
}

TEST_F(Check, ABlobThatIsThereTwiceIsNotLostWithOneCopy) {
  const auto index = sample_.index();
  auto& indexed = static_cast<IndexedRepository&>(*index);
  const std::string before = pack_of(BlobType::Data, "some words");
  Packer packer(indexed.repository(), indexed.workshop(), {}, [&](const IndexedPack& pack) {
    EXPECT_TRUE(indexed.repository().save(FileType::Index, index_to_json({pack})));
  });
  {
    Workshop::Lent bench = indexed.workshop().lend();
    ASSERT_TRUE(packer.add(seal_blob(*bench, BlobType::Data, hash("some words"), "some words", 0,
                                     sample_.random.bytes(16))));
    ASSERT_TRUE(packer.finish());
  }
  flip(before, 20);

  const CheckResult result = check_it();

  EXPECT_FALSE(result.good());
  EXPECT_TRUE(result.affected.empty()) << told(result);
  EXPECT_EQ(sample_.index()->read(BlobType::Data, hash("some words")).take(), "some words");
}

TEST_F(Check, PartsTogetherReadEverythingOnce) {
  uint64_t read = 0;
  for (uint64_t part = 1; part <= 3; ++part)
    read += check_it({.data = CheckOptions::Data::Part, .part = part, .parts = 3}).packs_read;

  EXPECT_EQ(read, check_it().packs_read);
  EXPECT_EQ(check_it({.data = CheckOptions::Data::Bytes, .bytes = 1}).packs_read, 1U);
}

TEST(CheckSubset, IsSaidAsResticSaysIt) {
  EXPECT_EQ(parse_subset("3/7")->part, 3U);
  EXPECT_EQ(parse_subset("3/7")->parts, 7U);
  EXPECT_DOUBLE_EQ(parse_subset("2.5%")->share, 0.025);
  EXPECT_EQ(parse_subset("10M")->bytes, uint64_t{10} << 20);
  for (const char* wrong : {"", "8/7", "0/2", "1/257", "101%", "-1%", "G", "1X", "1/2/3"})
    EXPECT_FALSE(parse_subset(wrong)) << wrong;
}

TEST_F(Check, RemembersWhatWasGoodAndWhen) {
  const std::filesystem::path record =
      std::filesystem::path(testing::TempDir()) / ("check-record-" + sample_.random.uuid());
  CheckOptions options{.data = CheckOptions::Data::All, .record = record, .good_for = 24h};
  const WallTime then = sample_.clock.now();
  const CheckResult all = check_it(options);
  EXPECT_EQ(all.packs_never_read, 0U);
  sample_.clock.advance(10h);
  sample_.back_up({{"new", sample_.random.bytes(1000)}});
  EXPECT_FALSE(check_it({.record = record}).proven) << "two packs were never read";

  const CheckResult some = check_it(options);

  EXPECT_EQ(some.packs_left_out, all.packs);
  EXPECT_EQ(some.packs_read, 2U);
  ASSERT_TRUE(some.proven);
  EXPECT_EQ(*some.proven, then);
  sample_.clock.advance(20h);
  EXPECT_EQ(check_it(options).packs_read, all.packs);
  std::filesystem::remove(record);
}

TEST_F(Check, ChecksOfAPartReadEverythingInTurn) {
  const std::filesystem::path record =
      std::filesystem::path(testing::TempDir()) / ("check-record-" + sample_.random.uuid());
  const CheckOptions one{.data = CheckOptions::Data::Bytes, .bytes = 1, .record = record};
  const uint64_t packs = check_it({}).packs;
  ASSERT_GT(packs, 2U);
  const WallTime first = sample_.clock.now();
  for (uint64_t i = 1; i < packs; ++i) {
    EXPECT_EQ(check_it(one).packs_never_read, packs - i);
    sample_.clock.advance(1h);
  }
  EXPECT_EQ(*check_it(one).proven, first);
  sample_.clock.advance(1h);
  EXPECT_EQ(*check_it(one).proven, first + 1h) << "the one read longest ago was read again";
  std::filesystem::remove(record);
}

TEST(CheckOfForgedTrees, EndsThoughTheDamageIsThereAMillionMillionTimes) {
  Forged forged;
  Node lost = forged.file("lost", "");
  lost.content = {Id()};
  Id tree = forged.tree({lost});
  for (int i = 0; i < 40; ++i)
    tree = forged.tree({Forged::folder("a", tree), Forged::folder("b", tree)});
  Snapshot snapshot;
  snapshot.tree = tree;
  snapshot.time_text = "2026-01-02T03:04:05Z";
  ASSERT_TRUE(save_snapshot(forged.index().repository(), snapshot));

  const auto result = check(*forged.sample().open(), {}, [](const CheckProgress&) {}, {});

  ASSERT_TRUE(result) << result.error().what();
  EXPECT_FALSE(result->good());
  EXPECT_EQ(result->affected.size(), 1000U);
  EXPECT_EQ(result->affected_more, (uint64_t{1} << 40U) - 1000);
}

}  // namespace
}  // namespace holdfast::repo
