#include <holdfast/control/queue.h>

#include <atomic>
#include <set>
#include <string>
#include <thread>

namespace holdfast::control {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

kube::Key key(const std::string& name) { return {"shop", name}; }
MonoTime at(int64_t ms) { return milliseconds(ms); }

std::string taken(Queue& queue, MonoTime now) {
  std::string names;
  while (auto work = queue.take(now)) {
    names += work->key.name;
    queue.done(work->key, now);
  }
  return names;
}

TEST(Queue, HoldsAKeyOnce) {
  Queue queue;

  EXPECT_TRUE(queue.add(key("a"), at(0)));
  EXPECT_FALSE(queue.add(key("a"), at(1)));

  EXPECT_EQ(queue.depth(), 1U);
  EXPECT_EQ(taken(queue, at(1)), "a");
}

TEST(Queue, GivesTheLongestReadyFirst) {
  Queue queue;
  queue.add(key("a"), at(3));
  queue.add(key("b"), at(1));
  queue.add_after(key("c"), at(0), milliseconds(2));
  queue.add(key("d"), at(1));

  EXPECT_EQ(queue.ready(at(5)), (std::vector{key("b"), key("d"), key("c"), key("a")}));
  EXPECT_EQ(taken(queue, at(5)), "bdca");
}

TEST(Queue, LetsHigherPriorityOvertake) {
  Queue queue;
  queue.add(key("a"), at(0), kLowPriority);
  queue.add(key("b"), at(1), kNormalPriority);
  queue.add(key("c"), at(0), kLowPriority);

  queue.add(key("c"), at(2), kNormalPriority);

  EXPECT_EQ(taken(queue, at(5)), "cba");
}

TEST(Queue, KeepsTheEarlierOfTwoTimes) {
  Queue queue;
  queue.add_after(key("a"), at(0), seconds(10));
  queue.add_after(key("b"), at(0), seconds(10));
  queue.add_after(key("a"), at(0), seconds(2));
  queue.add_after(key("b"), at(0), seconds(20));

  EXPECT_EQ(queue.due(), at(2000));
  EXPECT_EQ(taken(queue, at(1999)), "");
  EXPECT_EQ(taken(queue, at(2000)), "a");
  EXPECT_EQ(queue.due(), at(10000));
  EXPECT_EQ(taken(queue, at(10000)), "b");
}

TEST(Queue, RemembersWhatIsAddedDuringWork) {
  Queue queue;
  queue.add(key("a"), at(0));
  auto work = queue.take(at(0));
  ASSERT_TRUE(work);

  queue.add(key("a"), at(1));
  EXPECT_FALSE(queue.take(at(2))) << "two workers on one key";
  EXPECT_FALSE(queue.take(key("a"), at(2)));
  queue.done(key("a"), at(2));

  EXPECT_EQ(taken(queue, at(2)), "a");
}

TEST(Queue, ChangeDuringWorkBeatsAWait) {
  Queue queue;
  queue.add(key("a"), at(0));
  queue.take(at(0));

  queue.add_after(key("a"), at(1), seconds(30));
  queue.add(key("a"), at(1));
  queue.done(key("a"), at(1));

  EXPECT_EQ(queue.due(), at(1));
}

TEST(Queue, DoublesTheBackOffUpToItsCap) {
  Queue queue;
  EXPECT_EQ(queue.retry(key("a"), at(0)), milliseconds(5));
  EXPECT_EQ(queue.retry(key("a"), at(0)), milliseconds(10));
  EXPECT_EQ(queue.retry(key("b"), at(0)), milliseconds(5)) << "per key";
  EXPECT_EQ(queue.retry(key("a"), at(0), seconds(3)), seconds(3));
  for (int i = 0; i < 70; ++i) queue.retry(key("a"), at(0));
  EXPECT_EQ(queue.retry(key("a"), at(0)), seconds(1000));
  EXPECT_EQ(queue.retries(key("a")), 74);

  queue.forget(key("a"));

  EXPECT_EQ(queue.retries(key("a")), 0);
  EXPECT_EQ(queue.retry(key("a"), at(0)), milliseconds(5));
}

TEST(Queue, TakesAChosenKeyOnlyWhenReady) {
  Queue queue;
  queue.add(key("a"), at(0));
  queue.add_after(key("b"), at(0), seconds(1));

  EXPECT_FALSE(queue.take(key("b"), at(999)));
  EXPECT_TRUE(queue.take(key("b"), at(1000)));
  EXPECT_EQ(taken(queue, at(1000)), "a");
}

TEST(Queue, CountsReadyAndDelayed) {
  Queue queue;
  queue.add(key("a"), at(0));
  queue.add_after(key("b"), at(0), seconds(1));

  EXPECT_EQ(queue.depth(), 2U);
  EXPECT_EQ(queue.depth(at(0)), 1U);
  EXPECT_EQ(queue.depth(at(1000)), 2U);
}

TEST(Queue, WakesOnAddAndOnWorkPutBack) {
  Queue queue;
  int woken = 0;
  queue.set_waker([&] {
    ++woken;
    queue.depth();  // would hang if called under the lock
  });

  queue.add(key("a"), at(0));
  EXPECT_EQ(woken, 1);
  queue.take(at(0));
  queue.done(key("a"), at(0));
  EXPECT_EQ(woken, 1) << "nothing was added meanwhile";
}

/// Four producers, four workers: no key is with two workers, and after the last change to a key
/// somebody works on it.
TEST(QueueThreads, NeverGivesAKeyToTwoWorkersNorLosesOne) {
  constexpr int kKeys = 16, kProducers = 4, kWorkers = 4, kChanges = 4000;
  Queue queue;
  std::atomic<int64_t> now{0};
  std::atomic<int> producing{kProducers}, twice{0}, stale{0};
  std::array<std::atomic<int>, kKeys> busy{}, version{}, seen{};
  std::vector<std::thread> threads;

  for (int p = 0; p < kProducers; ++p)
    threads.emplace_back([&, p] {
      for (int i = 0; i < kChanges; ++i) {
        size_t k = size_t(i * 7 + p) % kKeys;
        ++version[k];
        queue.add_after(key(std::to_string(k)), MonoTime(++now), MonoTime(i % 3), -(i % 2));
        if (i % 5 == 0) queue.forget(key(std::to_string(k)));
      }
      --producing;
    });
  for (int w = 0; w < kWorkers; ++w)
    threads.emplace_back([&] {
      for (;;) {
        bool last = producing == 0;
        auto work = queue.take(MonoTime(++now));
        if (!work && last && queue.depth() == 0) return;
        if (!work) continue;
        size_t k = std::stoul(work->key.name);
        if (busy[k]++ != 0) ++twice;
        seen[k] = version[k].load();
        --busy[k];
        queue.done(work->key, MonoTime(++now));
      }
    });
  for (auto& thread : threads) thread.join();

  EXPECT_EQ(twice, 0);
  for (size_t k = 0; k < kKeys; ++k) stale += seen[k] != version[k];
  EXPECT_EQ(stale, 0);
}

}  // namespace
}  // namespace holdfast::control
