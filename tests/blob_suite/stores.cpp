// The contract of store.h, on every store.
#include <holdfast/base/bytes.h>

#include "subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <thread>

namespace holdfast::blob_suite {
namespace {

using blob::Info;
using blob::Range;

TEST_P(AnyStore, GivesBackWhatWasPut) {
  ASSERT_TRUE(store->put("data/ab/x", "hello"));

  EXPECT_EQ(*store->get("data/ab/x"), "hello");
  EXPECT_EQ(*store->get("data/ab/x", Range{1, 3}), "ell");
  EXPECT_EQ(*store->get("data/ab/x", Range{0, 5}), "hello");
  EXPECT_EQ(*store->get("data/ab/x", Range{5, 0}), "");
  EXPECT_EQ(store->stat("data/ab/x")->size, 5U);
  EXPECT_EQ(store->stat("data/ab/x")->name, "data/ab/x");
}

TEST_P(AnyStore, ABlobMayBeEmptyOrLargeAndOfAnyBytes) {
  const std::string large = subject->content.bytes(3'000'001);
  ASSERT_TRUE(store->put("empty", ""));
  ASSERT_TRUE(store->put("large", large, {.sha256 = sha256(large)}));

  EXPECT_EQ(*store->get("empty"), "");
  EXPECT_EQ(store->stat("empty")->size, 0U);
  EXPECT_TRUE(*store->get("large") == large);
  EXPECT_TRUE(*store->get("large", Range{2'999'000, 1001}) == large.substr(2'999'000));
}

TEST_P(AnyStore, SaysWhatIsMissingOrTooShort) {
  ASSERT_TRUE(store->put("a", "hello"));

  EXPECT_EQ(store->get("b").error().fault(), Fault::NotFound);
  EXPECT_EQ(store->get("b", Range{0, 1}).error().fault(), Fault::NotFound);
  EXPECT_EQ(store->get("b", Range{0, 0}).error().fault(), Fault::NotFound);
  EXPECT_EQ(store->stat("data/b").error().fault(), Fault::NotFound);
  EXPECT_EQ(store->get("a", Range{3, 3}).error().fault(), Fault::Corrupt);
  EXPECT_EQ(store->get("a", Range{5, 1}).error().fault(), Fault::Corrupt);
  EXPECT_EQ(store->get("a", Range{900, 1}).error().fault(), Fault::Corrupt);
}

TEST_P(AnyStore, ErrorsNameVerbAndBlob) {
  const Result<std::string> got = store->get("data/ab/nothing");
  ASSERT_FALSE(got);
  EXPECT_NE(got.error().what().find("GET data/ab/nothing"), std::string::npos)
      << got.error().what();
}

TEST_P(AnyStore, TheLastPutOfANameCounts) {
  ASSERT_TRUE(store->put("a", "a first and longer one"));
  ASSERT_TRUE(store->put("a", "second"));
  ASSERT_TRUE(store->put("a", "second"));

  EXPECT_EQ(*store->get("a"), "second");
  EXPECT_EQ(names(""), std::vector<std::string>{"a"});
}

TEST_P(AnyStore, ListsByPrefixAndForgetsWhatIsRemoved) {
  for (const char* name : {"data/ab/1", "data/ab/22", "data/cd/3", "config"})
    ASSERT_TRUE(store->put(name, name));

  EXPECT_EQ(names("data/ab/"), (std::vector<std::string>{"data/ab/1", "data/ab/22"}));
  EXPECT_EQ(names("data/ab/2"), std::vector<std::string>{"data/ab/22"});
  EXPECT_EQ(names("data/").size(), 3U);
  uint64_t bytes = 0;
  ASSERT_TRUE(store->list("", [&bytes](const Info& info) { bytes += info.size; }));
  EXPECT_EQ(bytes, 34U);
  ASSERT_TRUE(store->remove("data/ab/1"));
  EXPECT_TRUE(store->remove("data/ab/1")) << "what is gone may be removed again";
  EXPECT_EQ(names("").size(), 3U);
  EXPECT_TRUE(names("locks/").empty());
}

TEST_P(AnyStore, NamesMayHaveMostCharacters) {
  const std::vector<std::string> odd = {
      "a b/c",     "plus+plus", "percent%41",           "amp&<lt>",
      "quote'\"q", "t~(1)!*",   "\xc3\xa4\xe2\x82\xac", "$@:,;=?#"};
  for (const std::string& name : odd) {
    const auto put = store->put(name, name);
    ASSERT_TRUE(put) << name << ": " << put.error().what();
  }

  for (const std::string& name : odd) EXPECT_EQ(*store->get(name), name) << name;
  std::vector<std::string> expected = odd;
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(names(""), expected);
  const auto stayed = store->remove_all(odd);
  ASSERT_TRUE(stayed) << stayed.error().what();
  EXPECT_TRUE(stayed->empty());
  EXPECT_TRUE(names("").empty());
}

TEST_P(AnyStore, ListsAndRemovesManyThatWerePutAtOnce) {
  std::vector<std::string> expected;
  for (size_t i = 0; i < subject->many(); ++i) {
    const std::string id = hex(sha256(std::to_string(i)));
    expected.push_back(fmt::format("data/{}/{}", id.substr(0, 2), id));
  }
  {
    std::vector<std::jthread> threads;
    for (size_t part = 0; part < 8; ++part) {
      threads.emplace_back([&, part] {
        for (size_t i = part; i < expected.size(); i += 8)
          EXPECT_TRUE(store->put(expected[i], std::to_string(i)));
      });
    }
  }
  std::vector<std::string> sorted = expected;
  std::sort(sorted.begin(), sorted.end());

  EXPECT_EQ(names("data/"), sorted);
  expected.push_back("data/00/not-there");
  const auto stayed = store->remove_all(expected);
  ASSERT_TRUE(stayed) << stayed.error().what();
  EXPECT_TRUE(stayed->empty());
  EXPECT_TRUE(names("").empty());
}

TEST_P(AnyStore, ExclusivePutLosesToAnotherButNotToItself) {
  ASSERT_TRUE(store->put("config", "first", {.exclusive = true}));

  EXPECT_TRUE(store->put("config", "first", {.exclusive = true}));
  EXPECT_EQ(store->put("config", "second", {.exclusive = true}).error().fault(), Fault::Conflict);
  EXPECT_EQ(*store->get("config"), "first");
}

TEST_P(AnyStore, OfManyExclusivePutsAtOnceOneWinsWhereThatIsPromised) {
  std::atomic<int> winners{0}, losers{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        const auto client = subject->open();
        const auto done = client->put("config", "of " + std::to_string(i), {.exclusive = true});
        if (done) ++winners;
        if (!done && done.error().fault() == Fault::Conflict) ++losers;
        EXPECT_TRUE(done || done.error().fault() == Fault::Conflict) << done.error().what();
      });
    }
  }

  EXPECT_GE(winners, 1);
  EXPECT_EQ(winners + losers, 8);
  if (store->abilities().exclusive_put) {
    EXPECT_EQ(winners, 1);
  }
}

TEST_P(AnyStore, TryingItsAbilitiesLeavesNothingBehind) {
  const blob::Abilities found = store->abilities();

  EXPECT_FALSE(found.read_only);
  EXPECT_EQ(found.exclusive_put, store->abilities().exclusive_put);
  EXPECT_TRUE(names("").empty());
}

TEST_P(AnyStore, RefusesNamesThatLeadElsewhere) {
  for (const char* name : {"", "/a", "a/", "a//b", "../a", "a/../b", "./a", "a\nb"}) {
    EXPECT_EQ(store->put(name, "x").error().fault(), Fault::Invalid) << name;
    EXPECT_EQ(store->get(name).error().fault(), Fault::Invalid) << name;
    EXPECT_EQ(store->remove(name).error().fault(), Fault::Invalid) << name;
  }
  EXPECT_TRUE(names("").empty());
}

TEST_P(AnyStore, ReadsNearRangesTogether) {
  ASSERT_TRUE(store->put("pack", "0123456789"));
  const Range ranges[] = {{8, 2}, {0, 2}, {3, 1}};
  std::string seen;

  ASSERT_TRUE(get_ranges(
      *store, "pack", ranges,
      [&seen](size_t index, std::string_view bytes) {
        seen += std::to_string(index) + ":" + std::string(bytes) + " ";
        return ok();
      },
      1, 100));

  EXPECT_EQ(seen, "1:01 2:3 0:89 ");
}

TEST_P(AnyStore, SeesWhatAnotherClientDid) {
  const auto other = subject->open();
  ASSERT_TRUE(other->put("a", "1"));

  EXPECT_EQ(*store->get("a"), "1");
  EXPECT_EQ(names(""), std::vector<std::string>{"a"});
  ASSERT_TRUE(other->remove("a"));
  EXPECT_EQ(store->stat("a").error().fault(), Fault::NotFound);
}

INSTANTIATE_TEST_SUITE_P(Stores, AnyStore, testing::ValuesIn(subjects()), subject_name);

}  // namespace
}  // namespace holdfast::blob_suite
