#include <holdfast/base/bytes.h>
#include <holdfast/blob/stores.h>
#include <holdfast/repo/snapshot.h>
#include <holdfast/repo/tree.h>

#include "backup/saver.h"
#include "chunk/rabin.h"
#include "codec/go_json.h"
#include "codec/index_file.h"
#include "hash/sha256.h"
#include "open/key_file.h"
#include "seal/sealer.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace holdfast::repo {
namespace {

constexpr Polynomial kPolynomial = 0x3DA3358B4DC173;

TEST(Hash, IsTheSameWithAndWithoutTheProcessorsHelp) {
  SeededRandom random(7);
  for (const size_t size : {0, 1, 55, 56, 63, 64, 65, 119, 120, 1000, 65537}) {
    const std::string a = random.bytes(size), b = random.bytes(size / 2 + 3);
    const std::string_view buffers[] = {a, b};
    Id fast[2], slow[2];

    hash_all(buffers, fast);
    hash_all_portably(buffers, slow);

    EXPECT_EQ(fast[0], slow[0]) << size;
    EXPECT_EQ(fast[1], slow[1]) << size;
    EXPECT_EQ(hash(a), Id::from_raw(sha256(a))) << size;
  }
}

TEST(Hash, OfPiecesBesideOthersIsThatOfTheWhole) {
  SeededRandom random(8);
  for (const size_t piece : {1, 63, 64, 65, 100, 4096, 100000}) {
    const std::string whole = random.bytes(150'001);
    RunningHash running;
    for (size_t at = 0; at < whole.size(); at += piece) {
      const std::string others[] = {random.bytes(at % 300), random.bytes(piece % 5000 + 7), ""};
      const std::string_view buffers[] = {others[0], others[1], others[2]};
      Id ids[3];

      running.feed(std::string_view(whole).substr(at, piece), buffers, ids);

      for (size_t i = 0; i < 3; ++i) ASSERT_EQ(ids[i], hash(others[i])) << piece << " " << at;
    }
    EXPECT_EQ(running.finish(), Id::from_raw(sha256(whole))) << piece;
  }
}

TEST(Id, IsOrderedAsItsText) {
  SeededRandom random(11);
  std::vector<Id> ids;
  for (int i = 0; i < 200; ++i) ids.push_back(Id::from_raw(random.bytes(32)));
  // Some that differ in their last bytes only, and some in the sign of a byte.
  for (int i = 0; i < 100; ++i) {
    ids.push_back(ids[size_t(i)]);
    ids.back().bytes[size_t(i % 32)] ^= uint8_t(i % 2 == 0 ? 0x80 : 1);
  }
  std::sort(ids.begin(), ids.end());

  for (size_t i = 1; i < ids.size(); ++i) EXPECT_LT(ids[i - 1].hex(), ids[i].hex());
  for (const Id& id : ids) EXPECT_EQ(Id::from_hex(id.hex()), id);
}

TEST(Id, OtherTextsAreNone) {
  const std::string good(64, 'a');
  ASSERT_TRUE(Id::from_hex(good));
  for (size_t i = 0; i < good.size(); ++i)
    for (const char bad : {'g', 'A', '/', ':', '`', '\0', '\xff', ' '}) {
      std::string text = good;
      text[i] = bad;
      EXPECT_FALSE(Id::from_hex(text)) << i << " " << bad;
    }
  EXPECT_FALSE(Id::from_hex(good.substr(1)));
  EXPECT_FALSE(Id::from_hex(good + "a"));
}

// The vectors of RFC 7914, of which the last is the cost of a real key.
TEST(Key, IsScryptsOfThePassword) {
  const auto derived = [](std::string_view password, std::string_view salt, ScryptCost cost) {
    const Result<MasterKey> key = derive_key(password, salt, cost);
    EXPECT_TRUE(key);
    const auto text = [](const auto& part) { return hex(std::string(part.begin(), part.end())); };
    return text(key->encrypt) + text(key->mac_k) + text(key->mac_r);
  };

  EXPECT_EQ(derived("", "", {16, 1, 1}),
            "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
            "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906");
  EXPECT_EQ(derived("pleaseletmein", "SodiumChloride", {16384, 8, 1}),
            "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
            "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887");
  EXPECT_EQ(derive_key("x", "y", {3, 8, 1}).error().fault(), Fault::Invalid);
  EXPECT_EQ(derive_key("x", "y", {uint64_t{1} << 40, 8, 1}).error().fault(), Fault::Invalid);
}

TEST(Rabin, LanesCutWhereTheLoopOfResticCuts) {
  SeededRandom random(11);
  const Rabin rabin(kPolynomial);
  std::string data = random.bytes(size_t{12} << 20);
  data.replace(size_t{3} << 20, size_t{2} << 20, size_t{2} << 20, '\0');
  size_t at = 0, chunks = 0;
  while (at < data.size()) {
    const std::string_view left = std::string_view(data).substr(at);

    const size_t cut = rabin.cut(left);

    ASSERT_EQ(cut, rabin.cut_slowly(left)) << at;
    at += cut;
    ++chunks;
  }
  EXPECT_GT(chunks, 6U);
}

TEST(Polynomial, DrawnOnesAreIrreducibleAndProductsAreNot) {
  SeededRandom random(3);
  EXPECT_TRUE(irreducible(kPolynomial));
  EXPECT_TRUE(irreducible(draw_polynomial(random)));
  EXPECT_FALSE(irreducible(0x3DA3358B4DC170));
}

TEST(Tree, NamesOfAnyBytesReadBackAndStandAsGoWritesThem) {
  std::vector<Node> nodes(4);
  nodes[0].name = "a\nb<\"";
  nodes[1].name = "bad\xff\xfe";
  nodes[2].name = "caf\xc3\xa9\xe2\x80\xa8";
  nodes[3].name = "link";
  nodes[3].type = NodeType::Symlink;
  nodes[3].link_target = "to\xff";
  nodes[0].content.emplace();
  nodes[0].mtime = {1700000000, 120, 3600};

  const std::string json = to_json(nodes);
  const auto back = parse_tree(json);

  EXPECT_NE(json.find(R"("name":"a\\nb\u003c\\\"")"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("name":"bad\\xff\\xfe")"), std::string::npos);
  EXPECT_NE(json.find("café\\\\u2028"), std::string::npos);
  EXPECT_NE(json.find(R"("mtime":"2023-11-14T23:13:20.00000012+01:00")"), std::string::npos);
  ASSERT_TRUE(back) << back.error().what();
  ASSERT_EQ(back->size(), 4U);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ((*back)[i].name, nodes[i].name);
  EXPECT_EQ((*back)[3].link_target, "to\xff");
  EXPECT_EQ((*back)[0].mtime, nodes[0].mtime);
  EXPECT_EQ(to_json(*back), json);
}

struct InMemory : testing::Test {
  SystemClock clock_{};
  SystemRandom random_{};
  Surroundings around_{clock_, random_, "host", "user"};
  std::shared_ptr<blob::Store> store_ = blob::memory_store();
};

TEST(IndexFile, IsReadAsRusticWritesIt) {
  const std::string one(64, '1'), two(64, '2');
  // Blobs that are not compressed, packs with the time of their making, one that nobody knew.
  const std::string json =
      R"({"supersedes":null,"packs":[{"id":")" + one + R"(","blobs":[{"id":")" + two +
      R"(","type":"data","offset":0,"length":57,"uncompressed_length":null}],)"
      R"("time":"2026-11-16T03:30:21+01:00","size":98}],"packs_to_delete":[{"id":")" +
      two + R"(","blobs":[],"time":"2026-11-16T03:30:21.5+01:00","size":20670}]})";
  std::vector<IndexedPack> packs;
  const Result<void> read = parse_index(json, [&packs](const IndexedPack& pack) {
    packs.push_back(pack);
    return ok();
  });

  ASSERT_TRUE(read) << read.error().what();
  ASSERT_EQ(packs.size(), 2U);
  EXPECT_EQ(packs[0].marked_at, "");
  EXPECT_EQ(packs[0].blobs.at(0).plain_length, 0U);
  EXPECT_EQ(packs[1].marked_at, "2026-11-16T03:30:21.5+01:00");
  EXPECT_EQ(packs[1].size, 20670U);
  EXPECT_EQ(index_to_json(packs),
            R"({"packs":[{"id":")" + one + R"(","blobs":[{"id":")" + two +
                R"(","type":"data","offset":0,"length":57}]}],"packs_to_delete":[{"id":")" + two +
                R"(","blobs":[],"time":"2026-11-16T03:30:21.5+01:00","size":20670}]})");
}

TEST_F(InMemory, WhatWasSavedIsFoundByTheNextWhoOpens) {
  auto made = init(store_, "secret", {}, around_);
  ASSERT_TRUE(made) << made.error().what();
  auto index = load_index(made.take(), {});
  ASSERT_TRUE(index);
  SeededRandom random(5);
  const std::string data = random.bytes(size_t{3} << 20) + std::string(size_t{1} << 20, 'x');
  Id tree;
  std::vector<Id> content;
  {
    BackupOptions options;
    Saver saver(static_cast<IndexedRepository&>(**index), options);
    std::vector<std::string_view> chunks;
    for (std::string_view left = data; !left.empty();) {
      const size_t cut = saver.find_cut(options.chunks, left, 0).value_or(left.size());
      chunks.push_back(left.substr(0, cut));
      left.remove_prefix(chunks.back().size());
    }
    content.resize(chunks.size());
    ASSERT_TRUE(saver.save_blobs(BlobType::Data, chunks, content));
    Node node;
    node.name = "data";
    node.content = content;
    tree = *saver.save_tree({node});
    ASSERT_TRUE(saver.finish());
  }
  Snapshot snapshot;
  snapshot.time_text = "2026-01-02T03:04:05.678901234+01:00";
  snapshot.tree = tree;
  snapshot.paths = {"/data"};
  snapshot.others = R"(,"label":"kept")";
  ASSERT_TRUE(save_snapshot((*index)->repository(), snapshot));

  auto again = open(store_, "secret", around_);
  ASSERT_TRUE(again) << again.error().what();
  auto found = find_snapshot(**again, "latest", {});
  ASSERT_TRUE(found) << found.error().what();
  EXPECT_EQ(to_json(*found), to_json(snapshot));
  auto read_index = load_index(again.take(), {});
  ASSERT_TRUE(read_index);
  const auto json = (*read_index)->read(BlobType::Tree, found->tree);
  ASSERT_TRUE(json) << json.error().what();
  std::string back;
  const auto nodes = parse_tree(*json);
  ASSERT_TRUE(nodes);
  for (const Id& id : *nodes->front().content) {
    auto part = (*read_index)->read(BlobType::Data, id);
    ASSERT_TRUE(part) << part.error().what();
    back += *part;
  }
  EXPECT_EQ(back, data);
}

TEST_F(InMemory, WrongPasswordsAreDeniedAndSecondOnesOpen) {
  auto made = init(store_, "secret", {}, around_);
  ASSERT_TRUE(made);
  ASSERT_TRUE(add_key(**made, "second"));

  EXPECT_EQ(open(store_, "wrong", around_).error().fault(), Fault::Denied);
  EXPECT_TRUE(open(store_, "second", around_));
  EXPECT_EQ(init(store_, "secret", {}, around_).error().fault(), Fault::Conflict);
  EXPECT_EQ(list_keys(**made)->size(), 2U);
}

TEST_F(InMemory, AChangedPasswordOpensAndTheOldOneDoesNot) {
  auto made = init(store_, "secret", {}, around_);
  ASSERT_TRUE(made);

  const auto fresh = change_password(**made, "newer");

  ASSERT_TRUE(fresh) << fresh.error().what();
  EXPECT_EQ(open(store_, "secret", around_).error().fault(), Fault::Denied);
  const auto again = open(store_, "newer", around_);
  ASSERT_TRUE(again);
  EXPECT_EQ((*again)->key(), *fresh);
}

TEST_F(InMemory, AFlippedBitIsNoticed) {
  auto made = init(store_, "secret", {}, around_);
  ASSERT_TRUE(made);
  const Id id = (*made)->save(FileType::Index, "{\"packs\":[]}").take();
  std::string bytes = *store_->get("index/" + id.hex());
  bytes[20] = char(bytes[20] ^ 1);
  ASSERT_TRUE(store_->put("index/" + id.hex(), bytes));

  EXPECT_EQ((*made)->load(FileType::Index, id).error().fault(), Fault::Corrupt);
  EXPECT_EQ((*made)->unseal(bytes).error().fault(), Fault::Corrupt);
}

TEST_F(InMemory, AFileTooLargeForASnapshotIsLeftOutAndNamed) {
  auto made = init(store_, "secret", {}, around_);
  ASSERT_TRUE(made);
  Snapshot snapshot;
  snapshot.time_text = "2026-01-02T03:04:05Z";
  snapshot.tree = Id::from_raw(sha256("tree"));
  ASSERT_TRUE(save_snapshot(**made, snapshot));
  // Named by its hash, as a good one would be: only its size tells.
  const std::string large((size_t{16} << 20) + 1, 'x');
  const Id id = Id::from_raw(sha256(large));
  ASSERT_TRUE(store_->put("snapshots/" + id.hex(), large));

  std::vector<std::string> damaged;
  const auto listed = list_snapshots(
      **made, {}, [&damaged](const Id&, const Error& error) { damaged.push_back(error.what()); });

  ASSERT_TRUE(listed) << listed.error().what();
  ASSERT_EQ(listed->size(), 1U);
  EXPECT_EQ(listed->front().id, snapshot.id);
  ASSERT_EQ(damaged.size(), 1U);
  EXPECT_NE(damaged[0].find("16777217 bytes"), std::string::npos) << damaged[0];
  const auto alone = load_snapshot(**made, id);
  EXPECT_EQ(alone.error().fault(), Fault::Corrupt);
  EXPECT_NE(alone.error().what().find("16777217 bytes"), std::string::npos);
}

}  // namespace
}  // namespace holdfast::repo
