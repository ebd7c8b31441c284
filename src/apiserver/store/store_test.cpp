/// Cases that every store must pass.
#include "store/store.h"

#include "store/store_fixture.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

namespace holdfast::apiserver::storage {
namespace {

using Names = std::vector<std::string>;

struct StoreSuite : testing::TestWithParam<Subject> {
  StoreBed bed{GetParam()};
  Store& store() { return *bed.store; }
  Revision seen = 0;
  std::vector<Change> changes(Revision after, size_t limit = 1000,
                              const std::string& resource = "pods") {
    auto got = store().changes(resource, after, limit, seen);
    EXPECT_TRUE(got) << got.error().what();
    return got ? got.take() : std::vector<Change>();
  }
};

INSTANTIATE_TEST_SUITE_P(Subjects, StoreSuite,
                         testing::Values(Subject::Memory, Subject::Disk, Subject::DiskTinyRing),
                         [](const auto& subject) { return name_of(subject.param); });

TEST_P(StoreSuite, StartsEmptyAtRevisionOne) {
  EXPECT_EQ(store().current(), 1);
  EXPECT_EQ(store().durable(), 1);
  EXPECT_EQ(store().oldest(), 1);
  EXPECT_EQ(store().get(pod("a")), nullptr);
  EXPECT_EQ(store().list({.resource = "pods"})->revision, 1);
  EXPECT_EQ(store().count("pods"), 0u);
}

TEST_P(StoreSuite, CreateWritesTheRevisionIntoTheText) {
  const auto made = store().put(pod("a"), 0, draft("one"));

  ASSERT_TRUE(made);
  EXPECT_EQ((*made)->revision, 2);
  EXPECT_EQ((*made)->created, 2);
  EXPECT_EQ((*made)->text, text_of(2, "one"));
  EXPECT_EQ((*made)->meta.ns, "default");
  EXPECT_EQ((*made)->meta.name, "a");
  EXPECT_EQ((*made)->wall_us, bed.clock.now().time_since_epoch().count());
  EXPECT_EQ(store().get(pod("a")), *made);
  EXPECT_EQ(store().current(), 2);
}

TEST_P(StoreSuite, UpdateKeepsTheCreationRevision) {
  bed.put(pod("a"), "one");
  bed.put(pod("b"), "other");

  const auto changed = store().put(pod("a"), 2, draft("two"));

  ASSERT_TRUE(changed);
  EXPECT_EQ((*changed)->revision, 4);
  EXPECT_EQ((*changed)->created, 2);
  EXPECT_EQ(store().get(pod("a"))->text, text_of(4, "two"));
  EXPECT_EQ(store().count("pods"), 2u);
}

TEST_P(StoreSuite, WritesThatExpectSomethingElseConflictAndChangeNothing) {
  bed.put(pod("a"), "one");

  for (const Revision wrong : {0, 1, 3}) {
    const auto got = store().put(pod("a"), wrong, draft("two"));
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().fault(), Fault::Conflict);
  }
  EXPECT_EQ(store().put(pod("none"), 2, draft("x")).error().fault(), Fault::Conflict);
  EXPECT_EQ(store().remove(pod("a"), 1).error().fault(), Fault::Conflict);
  EXPECT_EQ(store().remove(pod("none"), 2).error().fault(), Fault::Conflict);

  EXPECT_EQ(store().current(), 2);
  EXPECT_EQ(store().get(pod("a"))->text, text_of(2, "one"));
}

TEST_P(StoreSuite, RemoveGivesTheLastStateWithItsOwnRevision) {
  for (int i = 0; i < 8; ++i) bed.put(pod("a"), "one");  // 2 … 9: the deletion's number is longer

  const auto gone = store().remove(pod("a"), 9);

  ASSERT_TRUE(gone);
  EXPECT_EQ((*gone)->revision, 10);
  EXPECT_EQ((*gone)->created, 2);
  EXPECT_EQ((*gone)->text, text_of(10, "one"));
  EXPECT_EQ(store().get(pod("a")), nullptr);
  bed.settle();
  EXPECT_EQ(changes(9).at(0).object->text, text_of(10, "one"));
  EXPECT_EQ(changes(9).at(0).before->text, text_of(9, "one"));
}

TEST_P(StoreSuite, ListsInTheOrderOfNamespaceSlashName) {
  for (const char* ns : {"a", "a-b", "b", "a.c"})
    for (const char* name : {"y", "x"}) bed.put(pod(name, ns), "t");

  EXPECT_EQ(bed.names({.resource = "pods"}),
            (Names{"a-b/x", "a-b/y", "a.c/x", "a.c/y", "a/x", "a/y", "b/x", "b/y"}));
  EXPECT_EQ(bed.names({.resource = "pods", .ns = "a"}), (Names{"a/x", "a/y"}));
  EXPECT_EQ(bed.names({.resource = "pods", .ns = "none"}), Names{});
  EXPECT_EQ(bed.names({.resource = "pods", .ns = "a", .from_ns = "a", .from_name = "y"}),
            (Names{"a/y"}));
  EXPECT_EQ(bed.names({.resource = "secrets"}), Names{});
}

TEST_P(StoreSuite, PagesSayWhereTheRestBeginsAndHowMuchItIs) {
  for (int i = 0; i < 700; ++i) bed.put(pod("p" + std::to_string(1000 + i)), "t");

  const auto first = store().list({.resource = "pods", .limit = 300});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->items.size(), 300u);
  EXPECT_TRUE(first->more);
  EXPECT_EQ(first->next_name, "p1300");
  EXPECT_EQ(first->next_ns, "default");
  EXPECT_EQ(first->remaining, 400);

  const auto last =
      store().list({.resource = "pods", .from_ns = "default", .from_name = "p1400", .limit = 300});
  EXPECT_EQ(last->items.size(), 300u);
  EXPECT_FALSE(last->more);
  EXPECT_EQ(last->remaining, 0);
}

TEST_P(StoreSuite, PagesOfOneRevisionAreExactWhileWritesGoOn) {
  for (int i = 0; i < 20; ++i) bed.put(pod("p" + std::to_string(10 + i)), "old");
  bed.settle();
  const Page first = *store().list({.resource = "pods", .limit = 7});

  bed.remove(pod("p12"));
  bed.remove(pod("p20"));
  bed.put(pod("p25"), "new");
  bed.put(pod("p25"), "newer");
  bed.put(pod("p101"), "made");
  bed.put(pod("p20"), "again");
  bed.settle();
  Page page = first;
  std::vector<StoredPtr> all = first.items;
  while (page.more) {
    page = *store().list({.resource = "pods",
                          .from_ns = page.next_ns,
                          .from_name = page.next_name,
                          .limit = 7,
                          .at = first.revision});
    all.insert(all.end(), page.items.begin(), page.items.end());
    EXPECT_EQ(page.remaining, static_cast<int64_t>(20 - all.size()));
    EXPECT_EQ(page.revision, first.revision);
  }

  ASSERT_EQ(all.size(), 20u);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(all[static_cast<size_t>(i)]->meta.name, "p" + std::to_string(10 + i));
    EXPECT_EQ(all[static_cast<size_t>(i)]->text, text_of(2 + i, "old"));
  }
}

TEST_P(StoreSuite, FutureRevisionsCannotBeListed) {
  bed.put(pod("a"), "t");

  const auto got = store().list({.resource = "pods", .at = 3});

  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().fault(), Fault::Invalid);
}

TEST_P(StoreSuite, ChangesAreOfOneResourceInOrderAndComplete) {
  bed.put(pod("a"), "one");
  bed.put({"secrets", "default", "s"}, "s");
  bed.put(pod("a"), "two");
  bed.remove(pod("a"));
  bed.put(pod("b"), "three");
  bed.put({"secrets", "default", "s"}, "t");
  bed.settle();

  const auto all = changes(1);

  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(seen, 7);
  EXPECT_EQ(all[0].type, ChangeType::Added);
  EXPECT_EQ(all[0].key, pod("a"));
  EXPECT_EQ(all[0].before, nullptr);
  EXPECT_EQ(all[1].type, ChangeType::Modified);
  EXPECT_EQ(all[1].object->text, text_of(4, "two"));
  EXPECT_EQ(all[1].before->text, text_of(2, "one"));
  EXPECT_EQ(all[2].type, ChangeType::Deleted);
  EXPECT_EQ(all[2].revision, 5);
  EXPECT_EQ(all[2].object->revision, 5);
  EXPECT_EQ(all[2].object->text, text_of(5, "two"));
  EXPECT_EQ(all[3].key, pod("b"));
  EXPECT_EQ(changes(7).size(), 0u);
  EXPECT_EQ(changes(1, 1000, "unheard-of").size(), 0u);
  EXPECT_EQ(seen, 7);
}

TEST_P(StoreSuite, LimitedChangesGoOnWhereTheyEnded) {
  for (int i = 0; i < 10; ++i) {
    bed.put(pod("a"), std::to_string(i));
    bed.put({"secrets", "", "s"}, "s");
  }
  bed.settle();

  std::vector<Revision> revisions;
  Revision after = 1;
  while (after < store().durable()) {
    const auto some = changes(after, 3);
    EXPECT_LE(some.size(), 3u);
    for (const auto& change : some) revisions.push_back(change.revision);
    ASSERT_GT(seen, after);
    after = seen;
  }

  EXPECT_EQ(revisions, (std::vector<Revision>{2, 4, 6, 8, 10, 12, 14, 16, 18, 20}));
}

TEST_P(StoreSuite, CompactionDropsOldHistoryAndKeepsTheState) {
  bed.put(pod("a"), "one");
  bed.put(pod("a"), "two");
  bed.put(pod("gone"), "x");
  bed.remove(pod("gone"));
  bed.settle();
  bed.clock.advance(std::chrono::minutes(10));
  bed.put(pod("a"), "three");
  bed.put(pod("b"), "four");
  bed.settle();

  while (store().compact_step(std::chrono::minutes(5))) {
  }

  EXPECT_EQ(store().oldest(), 5);
  Revision ignored = 0;
  EXPECT_EQ(store().changes("pods", 4, 10, ignored).error().fault(), Fault::NotFound);
  EXPECT_EQ(store().list({.resource = "pods", .at = 4}).error().fault(), Fault::NotFound);
  EXPECT_EQ(store().list({.resource = "pods", .at = 5})->items.at(0)->text, text_of(3, "two"));
  const auto left = changes(5);
  ASSERT_EQ(left.size(), 2u);
  EXPECT_EQ(left[0].before->text, text_of(3, "two"));
  EXPECT_EQ(store().get(pod("a"))->text, text_of(6, "three"));
  EXPECT_EQ(store().current(), 7);
}

TEST_P(StoreSuite, CompactionGoesInSmallSteps) {
  for (int i = 0; i < 1200; ++i) bed.put(pod("a"), "t");
  bed.settle();
  bed.clock.advance(std::chrono::minutes(10));

  int steps = 1;
  Revision before = store().oldest();
  while (store().compact_step(std::chrono::minutes(5))) {
    EXPECT_LE(store().oldest() - before, 500);
    before = store().oldest();
    ++steps;
  }

  EXPECT_GE(steps, 3);
  EXPECT_EQ(store().oldest(), 1201);
  EXPECT_EQ(store().get(pod("a"))->revision, 1201);
}

TEST_P(StoreSuite, ViewsSeeEachChangeAsItIsDecided) {
  std::vector<std::string> heard;
  store().on_change([&](const Change& change) {
    heard.push_back(std::to_string(static_cast<int>(change.type)) + change.key.name);
  });

  bed.put(pod("a"), "one");
  EXPECT_EQ(heard, (Names{"0a"}));
  bed.put(pod("a"), "two");
  bed.remove(pod("a"));

  EXPECT_EQ(heard, (Names{"0a", "1a", "2a"}));
}

TEST_P(StoreSuite, ListenersHearOfWhatIsDurableUntilForgotten) {
  std::vector<Revision> first, second;
  const uint64_t id = store().on_durable([&] { first.push_back(store().durable()); });
  store().on_durable([&] { second.push_back(store().durable()); });

  bed.put(pod("a"), "one");
  bed.settle();
  store().forget_listener(id);
  bed.put(pod("b"), "two");
  bed.settle();

  EXPECT_EQ(first, (std::vector<Revision>{2}));
  EXPECT_EQ(second, (std::vector<Revision>{2, 3}));
}

TEST_P(StoreSuite, ListenersMayWriteAndForgetThemselves) {
  int calls = 0;
  uint64_t id = 0;
  id = store().on_durable([&] {
    ++calls;
    bed.put(pod("echo"), std::to_string(calls));
    if (calls == 3) store().forget_listener(id);
  });

  bed.put(pod("a"), "one");
  bed.settle();

  EXPECT_EQ(calls, 3);
  EXPECT_EQ(store().get(pod("echo"))->revision, 5);
  EXPECT_EQ(store().durable(), 5);
}

TEST_P(StoreSuite, ManyThreadsWriteWithoutLosingOrRepeatingARevision) {
  std::atomic<bool> stop{false};
  std::thread committer([&] {
    while (!stop) {
      store().wait_for_pending(std::chrono::milliseconds(5));
      bed.settle();
    }
    bed.settle();
  });
  std::atomic<int> told{0};
  std::vector<std::thread> writers;
  for (int t = 0; t < 4; ++t) {
    writers.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        const Key mine = pod("t" + std::to_string(t) + "-" + std::to_string(i % 7));
        const StoredPtr there = store().get(mine);
        const auto wrote = i % 7 == 6 && there
                               ? store().remove(mine, there->revision)
                               : store().put(mine, there ? there->revision : 0, draft("x"));
        ASSERT_TRUE(wrote);
        store().when_durable((*wrote)->revision, [&](Result<void> done) { told += done ? 1 : 0; });
        ASSERT_TRUE(store().list({.resource = "pods", .limit = 5, .at = store().oldest()}));
      }
    });
  }
  std::set<Revision> watched;
  Revision after = 1;
  while (after < 401) {
    Revision upto = after;
    const auto some = store().changes("pods", after, 50, upto);
    ASSERT_TRUE(some) << some.error().what();
    for (const auto& change : *some) {
      EXPECT_GT(change.revision, after);
      EXPECT_TRUE(watched.insert(change.revision).second);
    }
    after = upto;
    std::this_thread::yield();
  }
  for (auto& writer : writers) writer.join();
  stop = true;
  committer.join();

  EXPECT_EQ(watched.size(), 400u);
  EXPECT_EQ(store().durable(), 401);
  EXPECT_EQ(told, 400);
}

TEST_P(StoreSuite, ForgottenListenerIsNotRunningAnyMore) {
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    while (!stop) {
      bed.put(pod("a"), "x");
      bed.settle();
    }
  });
  for (int i = 0; i < 50; ++i) {
    auto alive = std::make_unique<std::atomic<int>>(0);
    const uint64_t id = store().on_durable([seen_by = alive.get()] { ++*seen_by; });
    while (i % 2 == 0 && *alive == 0) std::this_thread::yield();
    store().forget_listener(id);
  }
  stop = true;
  writer.join();

  EXPECT_GT(store().durable(), 25);
}

}  // namespace
}  // namespace holdfast::apiserver::storage
