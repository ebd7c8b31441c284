#include <holdfast/base/random.h>
#include <holdfast/kube/informer.h>

#include "cache/shelves.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <map>
#include <optional>
#include <thread>

namespace holdfast::kube {
namespace {

using Names = std::vector<std::string>;

Cached object(std::string_view ns, std::string_view name, uint64_t version,
              std::string_view more_metadata = "") {
  return Cached::from_text(
             fmt::format(
                 R"({{"metadata":{{"name":"{}","namespace":"{}","uid":"u-{}","resourceVersion":"{}"{}}}}})",
                 name, ns, name, version, more_metadata))
      .take();
}

Cached labelled(std::string_view ns, std::string_view name, std::string_view app) {
  return object(ns, name, 1, fmt::format(R"(,"labels":{{"app":"{}"}})", app));
}

Cached controlled(std::string_view name, uint64_t version, std::string_view owner) {
  return object(
      "shop", name, version,
      fmt::format(R"(,"ownerReferences":[{{"uid":"x"}},{{"controller":true,"uid":"{}"}}])", owner));
}

Names names(const std::vector<Cached>& objects) {
  Names names;
  for (const Cached& each : objects) names.push_back(key_of(each).text());
  return names;
}

TEST(Informer, ListsByNamespaceAndNameWhateverTheOrderOfArrival) {
  Informer informer({.resource = kPods});
  informer.put(object("shop", "b", 1));
  informer.put(object("shop-2", "a", 2));
  informer.put(object("", "node", 3));
  informer.put(object("shop", "a", 4));
  informer.put(object("art", "z", 5));

  EXPECT_EQ(names(informer.list()), (Names{"node", "art/z", "shop/a", "shop/b", "shop-2/a"}));
  EXPECT_EQ(names(informer.list("shop")), (Names{"shop/a", "shop/b"}));
  EXPECT_EQ(names(informer.list("none")), Names{});
  EXPECT_EQ(informer.get("shop", "b").version(), 1u);
  EXPECT_FALSE(informer.get("shop", "c"));
  EXPECT_FALSE(informer.get("b", "shop"));
}

TEST(Informer, SelectsByLabels) {
  Informer informer({.resource = kPods});
  informer.put(labelled("shop", "a", "web"));
  informer.put(labelled("shop", "b", "db"));
  informer.put(object("shop", "c", 1));

  EXPECT_EQ(names(informer.list("shop", *model::LabelSelector::parse("app=db"))), Names{"shop/b"});
  EXPECT_EQ(names(informer.list("", *model::LabelSelector::parse("!app"))), Names{"shop/c"});
}

TEST(Informer, IndexFollowsTheObjects) {
  Informer informer({.resource = kPods});
  informer.add_index(kByController, index_by_controller);
  informer.replace({controlled("a", 1, "one"), controlled("b", 2, "two"), object("shop", "c", 3)},
                   3);

  EXPECT_EQ(names(informer.find(kByController, "one")), Names{"shop/a"});
  informer.put(controlled("a", 4, "two"));
  EXPECT_EQ(names(informer.find(kByController, "two")), (Names{"shop/a", "shop/b"}));
  EXPECT_EQ(names(informer.find(kByController, "one")), Names{});
  informer.erase(controlled("b", 5, "two"));
  EXPECT_EQ(names(informer.find(kByController, "two")), Names{"shop/a"});
  informer.replace({controlled("z", 9, "one")}, 9);
  EXPECT_EQ(names(informer.find(kByController, "one")), Names{"shop/z"});
  EXPECT_EQ(names(informer.find(kByController, "two")), Names{});
  EXPECT_EQ(names(informer.find("no such index", "two")), Names{});
}

TEST(Informer, ObjectMayStandUnderManyValues) {
  Informer informer({.resource = kPods});
  informer.add_index("letters", [](const Cached& each, std::vector<std::string>& values) {
    for (const char letter : each.name()) values.emplace_back(1, letter);
  });
  informer.put(object("shop", "abba", 1));
  informer.put(object("shop", "bc", 2));

  EXPECT_EQ(names(informer.find("letters", "b")), (Names{"shop/abba", "shop/bc"}));
  informer.erase(object("shop", "abba", 3));
  EXPECT_EQ(names(informer.find("letters", "b")), Names{"shop/bc"});
  EXPECT_EQ(names(informer.find("letters", "a")), Names{});
}

TEST(Informer, ProgressIsToldAlsoWhenNothingChanged) {
  Informer informer({.resource = kPods});
  std::vector<uint64_t> told;
  informer.on_progress([&](uint64_t version) { told.push_back(version); });

  informer.replace({}, 5);
  informer.put(object("shop", "a", 7));
  informer.advance(9);
  informer.advance(8);
  informer.erase(object("shop", "a", 11));

  EXPECT_EQ(told, (std::vector<uint64_t>{5, 7, 9, 11}));
  EXPECT_EQ(informer.progress(), 11u);
}

TEST(Informer, CacheIsNewerThanWhatHandlersAreTold) {
  Informer informer({.resource = kPods});
  bool seen = false;
  informer.on_change([&](const Change& change) {
    seen = informer.get("shop", "a").version() == change.after.version() &&
           informer.progress() == change.after.version();
  });

  informer.put(object("shop", "a", 7));

  EXPECT_TRUE(seen) << "also: no lock is held while a handler runs";
}

TEST(Shelves, BehaveAsAnOrderedMap) {
  struct Order {
    int operator()(uint64_t a, uint64_t b) const { return a < b ? -1 : a > b ? 1 : 0; }
  };
  for (const uint64_t range : {50ULL, 5000ULL}) {
    SeededRandom random(range);
    Shelves<uint64_t, Order> shelves;
    std::map<uint64_t, bool> model;
    for (int i = 0; i < 20000; ++i) {
      const uint64_t value = random.below(range);
      if (random.below(3) == 0) {
        shelves.erase(value);
        model.erase(value);
      } else {
        shelves.put(value);
        model[value] = true;
      }
      const uint64_t asked = random.below(range);
      ASSERT_EQ(shelves.find(asked) != nullptr, model.contains(asked));
      std::optional<uint64_t> following;
      shelves.from(asked, [&](uint64_t each) {
        following = each;
        return false;
      });
      const auto expected = model.lower_bound(asked);
      ASSERT_EQ(following.has_value(), expected != model.end());
      if (following) {
        ASSERT_EQ(*following, expected->first);
      }
    }
    std::vector<uint64_t> left, expected;
    shelves.all([&](uint64_t each) { left.push_back(each); });
    for (const auto& [value, there] : model) expected.push_back(value);
    EXPECT_EQ(left, expected);
    EXPECT_EQ(shelves.size(), model.size());
    shelves.fill(left);
    EXPECT_EQ(shelves.size(), model.size());
    for (const uint64_t value : left) EXPECT_NE(shelves.find(value), nullptr);
  }
}

/// About as long as it is told, with the metadata that pods have.
std::string pod_text(size_t index, size_t length) {
  std::string text = fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"creationTimestamp":"2026-01-01T00:00:00Z",)"
      R"("generateName":"web-7d4b9c6f5-","labels":{{"app":"web","pod-template-hash":"7d4b9c6f5"}},)"
      R"("name":"web-7d4b9c6f5-{:06}","namespace":"ns-{:03}","ownerReferences":[{{"apiVersion":)"
      R"("apps/v1","blockOwnerDeletion":true,"controller":true,"kind":"ReplicaSet","name":"web",)"
      R"("uid":"{:08}-95a1-4b64-9b7e-4d5c8f3b2a10"}}],"resourceVersion":"{}",)"
      R"("uid":"{:08}-1c2d-4e3f-8a9b-0c1d2e3f4a5b"}},"spec":{{"nodeName":"node-1","command":")",
      index, index % 100, index / 3, index + 1000, index);
  text.append(length - std::min(length, text.size()), 'x');
  return text + R"("}})";
}

struct CacheMemory : testing::TestWithParam<std::tuple<size_t, size_t, bool>> {};

/// The promise of the design: at most 1.3 times the JSON text, indexes and malloc included.
TEST_P(CacheMemory, IsLittleMoreThanTheText) {
  const auto [count, length, arriving_one_by_one] = GetParam();
  std::vector<size_t> order(count);
  for (size_t i = 0; i < count; ++i) order[i] = i;
  SeededRandom random(1);
  for (size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  size_t text_bytes = 0;
  malloc_trim(0);
  const size_t before = mallinfo2().uordblks;

  Informer informer({.resource = kPods});
  informer.add_index(kByController, index_by_controller);
  {
    std::vector<Cached> all;
    for (const size_t i : order) {
      const std::string text = pod_text(i, length);
      text_bytes += text.size();
      Cached made = Cached::from_text(text).take();
      if (arriving_one_by_one) {
        informer.put(std::move(made));
      } else {
        all.push_back(std::move(made));
      }
    }
    if (!arriving_one_by_one) informer.replace(std::move(all), count + 1000);
  }
  const size_t heap = mallinfo2().uordblks - before;

  ASSERT_EQ(informer.size(), count);
  const double told = double(informer.memory()) / double(text_bytes);
  const double measured = double(heap) / double(text_bytes);
  RecordProperty("told", std::to_string(told));
  RecordProperty("measured", std::to_string(measured));
  EXPECT_LE(told, 1.3);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LE(measured, 1.3);
  EXPECT_GE(measured, told * 0.98) << "memory() counts what there is";
#endif
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr size_t kMany = 10000;  // their allocators need many times the memory
#else
constexpr size_t kMany = 100000;
#endif
INSTANTIATE_TEST_SUITE_P(Sizes, CacheMemory,
                         testing::Combine(testing::Values(size_t(10000), kMany),
                                          testing::Values(size_t(1000), size_t(3000)),
                                          testing::Bool()));

/// Guards Informer::mutex_ and the count in Cached::Record: without either, the thread sanitizer
/// finds this test.
TEST(InformerThreads, ReadersSeeWholeStatesWhileTheReflectorWrites) {
  Informer informer({.resource = kPods});
  informer.add_index(kByController, index_by_controller);
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  // The writer keeps "left" and "right" at versions of the same pair, replacing both at once.
  const auto pair_of = [](uint64_t version) {
    return std::vector<Cached>{controlled("left", version, "o"), controlled("right", version, "o")};
  };
  informer.replace(pair_of(1), 1);
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i)
    readers.emplace_back([&, i] {
      uint64_t last = 0;
      while (!done) {
        const auto both = i % 2 == 0 ? informer.list("shop") : informer.find(kByController, "o");
        const uint64_t progress = informer.progress();
        const Cached one = informer.get("shop", "left");
        const bool good = both.size() >= 2 && both[0].version() >= last && one &&
                          one.version() >= both[0].version() && progress >= both[0].version() &&
                          informer.size() >= 2 && informer.memory() > 0 && informer.synced();
        if (!good || both[0].meta().name != "left") ++wrong;
        last = both.empty() ? 0 : both[0].version();
      }
    });

  for (uint64_t version = 2; version < 2000; version += 4) {
    informer.replace(pair_of(version), version);
    informer.put(object("shop", "other", version + 1));
    informer.erase(object("shop", "other", version + 2));
    informer.advance(version + 3);
  }
  done = true;
  for (auto& reader : readers) reader.join();

  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(informer.progress(), 2001u);
}

}  // namespace
}  // namespace holdfast::kube
