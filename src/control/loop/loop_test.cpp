#include "cached_objects.h"
#include "loop/gate.h"
#include "loop/journal.h"
#include "loop/restlessness.h"
#include "loop/sender.h"
#include "loop/waits.h"

#include <thread>

namespace holdfast::control {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
const kube::Key kKey{"shop", "db"};

TEST(Gate, HoldsAKeyUntilTheCacheHasItsWrite) {
  kube::Informer pods({.resource = kube::kPods});
  pods.replace({}, 5);
  Gate gate;

  gate.close(kKey, {{&pods, 7, "", {}}});
  EXPECT_EQ(gate.closed(kKey), milliseconds(10));
  EXPECT_EQ(gate.closed(kKey), milliseconds(20));
  EXPECT_FALSE(gate.closed({"shop", "other"}));
  pods.advance(6);
  EXPECT_TRUE(gate.opened_by(pods).empty());
  pods.advance(7);

  EXPECT_EQ(gate.opened_by(pods), std::vector{kKey});
  EXPECT_FALSE(gate.closed(kKey));
  EXPECT_TRUE(gate.opened_by(pods).empty()) << "told once";
}

TEST(Gate, LooksAgainAtLeastEverySecond) {
  kube::Informer pods({.resource = kube::kPods});
  Gate gate;
  gate.close(kKey, {{&pods, 7, "", {}}});

  for (int i = 0; i < 40; ++i) gate.closed(kKey);

  EXPECT_EQ(gate.closed(kKey), seconds(1));
}

TEST(Gate, AfterADeletionTheObjectMustBeGoneOrGoing) {
  auto pod = [](const std::string& meta) {
    return cached(R"({"metadata":{"namespace":"shop","name":"p",)" + meta + "}}");
  };
  kube::Informer pods({.resource = kube::kPods});
  const Barrier barrier{&pods, 0, "u1", {"shop", "p"}};

  pods.replace({pod(R"("uid":"u1","resourceVersion":"3")")}, 3);
  EXPECT_FALSE(barrier.passed());
  pods.put(pod(R"("uid":"u1","resourceVersion":"4","deletionTimestamp":"2026-01-01T00:00:00Z")"));
  EXPECT_TRUE(barrier.passed());
  pods.put(pod(R"("uid":"u2","resourceVersion":"5")"));
  EXPECT_TRUE(barrier.passed());
  pods.erase(pod(R"("uid":"u2","resourceVersion":"6")"));
  EXPECT_TRUE(barrier.passed());
}

/// Workers close and ask, an informer's thread opens: every key gets through.
TEST(GateThreads, EveryKeyGetsThrough) {
  constexpr uint64_t kWorkers = 4, kWrites = 50;
  kube::Informer pods({.resource = kube::kPods});
  pods.replace({}, 1);
  Gate gate;
  std::atomic<uint64_t> written{1}, through{0};
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;

  for (uint64_t w = 0; w < kWorkers; ++w)
    threads.emplace_back([&, w] {
      const kube::Key key{"shop", std::to_string(w)};
      for (uint64_t i = 0; i < kWrites; ++i) {
        gate.close(key, {{&pods, ++written, "", {}}});
        while (gate.closed(key)) std::this_thread::yield();
        ++through;
      }
    });
  std::thread informer([&] {
    while (!stop) {
      pods.advance(written);
      gate.opened_by(pods);
      std::this_thread::yield();
    }
  });
  for (auto& thread : threads) thread.join();
  stop = true;
  informer.join();

  EXPECT_EQ(through, kWorkers * kWrites);
}

TEST(Restlessness, CountsWritesToOneObjectWithoutARest) {
  Restlessness unrest;

  EXPECT_EQ(unrest.wrote(kKey, "patch a", seconds(0)), 1);
  EXPECT_EQ(unrest.wrote(kKey, "patch b", seconds(0)), 1);
  EXPECT_EQ(unrest.wrote(kKey, "patch a", seconds(59)), 2);
  EXPECT_EQ(unrest.wrote(kKey, "patch a", seconds(60)), 1) << "a new minute";
  unrest.rested(kKey);
  EXPECT_EQ(unrest.wrote(kKey, "patch a", seconds(601)), 1);
}

TEST(Restlessness, OnceOverTheLimitOnlyARestEndsIt) {
  Restlessness unrest;
  for (int i = 0; i <= Restlessness::kMostWrites; ++i) unrest.wrote(kKey, "patch a", seconds(0));

  EXPECT_EQ(unrest.wrote(kKey, "patch a", seconds(600)), Restlessness::kMostWrites + 2);
}

TEST(Waits, TellEachReasonOnceAndCountItsKeys) {
  std::map<std::string, int> counts;
  Waits waits([&](const std::string& reason, int keys) { counts[reason] = keys; });
  const kube::Key other{"shop", "web"};

  EXPECT_TRUE(waits.tell(kKey, "Binding", ""));
  EXPECT_TRUE(waits.tell(other, "Binding", ""));
  EXPECT_EQ(counts["Binding"], 2);
  EXPECT_FALSE(waits.tell(kKey, "Binding", ""));
  EXPECT_TRUE(waits.tell(kKey, "Binding", "no room")) << "other words";
  EXPECT_EQ(counts["Binding"], 2);
  EXPECT_TRUE(waits.tell(kKey, "Uploading", ""));
  EXPECT_EQ(counts["Binding"], 1);
  EXPECT_EQ(counts["Uploading"], 1);
  EXPECT_TRUE(waits.tell(other, "", ""));
  EXPECT_EQ(counts["Binding"], 0);
  EXPECT_FALSE(waits.tell(other, "", ""));
}

/// What was told last of a reason is what was counted last, whoever else tells meanwhile.
TEST(WaitsThreads, CountsAreToldInTheOrderInWhichTheyChange) {
  int told = -1, wrong = 0;  // guarded by the lock of the waits: it is held while they are told
  Waits waits([&](const std::string&, int keys) {
    wrong += told >= 0 && std::abs(keys - told) != 1;
    told = keys;
  });
  std::vector<std::thread> threads;

  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i)
        waits.tell({"shop", std::to_string(t)}, i % 2 == 0 ? "Binding" : "", "");
    });
  for (auto& thread : threads) thread.join();

  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(told, 0);
}

TEST(Gate, HoldsForATimeWhateverChanges) {
  Gate gate;
  gate.hold(kKey, seconds(5));

  EXPECT_EQ(gate.held(kKey, seconds(3)), seconds(2));
  EXPECT_FALSE(gate.held(kKey, seconds(5)));
  EXPECT_FALSE(gate.held(kKey, seconds(3))) << "forgotten once it is over";
}

kube::Failure failure(int code, const std::string& reason, const std::string& details = "{}") {
  return {.error = Error(Fault::Invalid, reason),
          .code = code,
          .reason = reason,
          .status = json(R"({"details":)" + details + "}")};
}

TEST(Sender, KnowsWhatARefusalMeans) {
  using How = Sent::How;
  const auto pod = cached(R"({"metadata":{"namespace":"shop","name":"p","uid":"u"}})");
  const Write gone = remove(kube::kPods, pod);
  const Write change = patch(kube::kPods, pod, json("{}"), Decides::No);
  const Write made = create(kube::kPods, pod.value());
  const std::string named = R"({"name":"p"})";

  EXPECT_EQ(meaning(gone, failure(404, "NotFound", named)), How::Done);
  EXPECT_EQ(meaning(change, failure(404, "NotFound", named)), How::Overtaken);
  EXPECT_EQ(meaning(change, failure(404, "NotFound")), How::Refused) << "path not served";
  EXPECT_EQ(meaning(made, failure(404, "NotFound", R"({"name":"shop"})")), How::Refused);
  EXPECT_EQ(meaning(gone, failure(409, "Conflict")), How::Overtaken);
  EXPECT_EQ(meaning(change,
                    failure(409, "Conflict", R"({"causes":[{"reason":"FieldManagerConflict"}]})")),
            How::Refused);
  EXPECT_EQ(meaning(change, failure(422, "Invalid", R"({"causes":[{"field":"metadata.uid"}]})")),
            How::Overtaken);
  EXPECT_EQ(meaning(change, failure(422, "Invalid", R"({"causes":[{"field":"spec"}]})")),
            How::Refused);
  EXPECT_EQ(
      meaning(made, failure(403, "Forbidden", R"({"causes":[{"reason":"NamespaceTerminating"}]})")),
      How::Overtaken);
  EXPECT_EQ(meaning(made, failure(403, "Forbidden")), How::Refused);
  EXPECT_EQ(meaning(made, failure(429, "TooManyRequests")), How::Unavailable);
  EXPECT_EQ(meaning(made, failure(503, "")), How::Unavailable);
  auto silent = failure(0, "");
  EXPECT_EQ(meaning(made, silent), How::Unavailable);
  silent.ambiguous = true;
  EXPECT_EQ(meaning(made, silent), How::Unanswered);
}

TEST(Sender, KnowsItsOwnObjectsByTheirOwner) {
  const auto owned = [](const std::string& uid) {
    return json(R"({"metadata":{"ownerReferences":[{"uid":"x"},{"uid":")" + uid +
                R"(","controller":true}]}})");
  };
  const auto labelled = [](const std::string& value) {
    return json(R"({"metadata":{"labels":{"a":")" + value + R"(","b":"1"}}})");
  };
  const auto wanted = json(R"({"metadata":{"labels":{"a":"1"}}})");

  EXPECT_TRUE(is_ours(owned("u1"), owned("u1")));
  EXPECT_FALSE(is_ours(owned("u1"), owned("u2")));
  EXPECT_FALSE(is_ours(owned("u1"), wanted));
  EXPECT_TRUE(is_ours(wanted, labelled("1")));
  EXPECT_FALSE(is_ours(wanted, labelled("2")));
}

class JournalTest : public testing::Test {
 protected:
  Operation operation(const std::string& operations, int64_t attempt = 1) {
    Operation op;
    op.name = "quiesce";
    op.resource = kube::kPods;
    op.attempt = attempt;
    op.owner =
        cached(R"({"metadata":{"namespace":"shop","name":"db","uid":"u","resourceVersion":"4"},
                        "status":{"operations":)" +
               operations + "}}");
    return op;
  }
  std::string operations_of(const Write& write) {
    return model::to_json(*model::find(write.body, {"status", "operations"}));
  }
  const WallTime now_{seconds(0)};
  const std::string begun_ =
      R"([{"name":"quiesce","attempt":1,"startedAt":"1970-01-01T00:00:00Z"}])";
};

TEST_F(JournalTest, IntentComesFirstAndKeepsOtherRecords) {
  Journal journal;
  Operation op = operation(R"([{"name":"freeze","attempt":2}])");

  EXPECT_EQ(journal.next(kKey, op), Journal::Next::Intent);
  Write intent = journal.intent(kKey, op, now_);

  EXPECT_EQ(operations_of(intent), R"([{"name":"freeze","attempt":2},)" + begun_.substr(1));
  EXPECT_EQ(intent.subresource, "status");
  EXPECT_EQ(intent.only.resource_version, "4");
}

TEST_F(JournalTest, RunsWithTheIntentSeenAndRecordsHowItEnded) {
  Journal journal;
  journal.intent(kKey, operation("[]"), now_);
  Operation op = operation(begun_);

  EXPECT_EQ(journal.next(kKey, op), Journal::Next::Run);
  journal.begins(kKey);
  journal.ended(kKey, op, json(R"({"seqno":7})"), now_ + seconds(2));
  Journal::Outcome outcome = journal.outcome(kKey, op);

  EXPECT_FALSE(outcome.failed);
  EXPECT_EQ(operations_of(outcome.write),
            R"([{"name":"quiesce","attempt":1,"startedAt":"1970-01-01T00:00:00Z",)"
            R"("finishedAt":"1970-01-01T00:00:02Z","outcome":"Succeeded","result":{"seqno":7}}])");
  EXPECT_EQ(journal.next(kKey, op), Journal::Next::Outcome) << "not yet written, not run twice";
  journal.forget(kKey);
  EXPECT_EQ(journal.next(kKey, op), Journal::Next::TakeOver) << "as after a crash";
  EXPECT_EQ(journal.take_over(kKey, op, now_), Journal::Next::Run) << "idempotent";
}

TEST_F(JournalTest, WhatMustNotRunTwiceIsFailedAfterACrash) {
  Operation op = operation(begun_);
  op.idempotent = false;
  Journal same_process, next_process;
  same_process.intent(kKey, op, now_);

  EXPECT_EQ(same_process.next(kKey, op), Journal::Next::Run);
  EXPECT_EQ(next_process.next(kKey, op), Journal::Next::TakeOver);
  EXPECT_EQ(next_process.take_over(kKey, op, now_), Journal::Next::Outcome);
  EXPECT_EQ(next_process.next(kKey, op), Journal::Next::Outcome) << "until it is written";

  EXPECT_TRUE(next_process.outcome(kKey, op).failed);
  EXPECT_NE(operations_of(next_process.outcome(kKey, op).write).find("interrupted"),
            std::string::npos);
}

/// Four workers, each with an operation of its own key.
TEST_F(JournalTest, IsSharedByWorkers) {
  Journal journal;
  Restlessness unrest;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const kube::Key key{"shop", std::to_string(t)};
      for (int i = 0; i < 100; ++i) {
        journal.intent(key, operation("[]"), now_);
        Operation begun = operation(begun_);
        wrong += journal.next(key, begun) != Journal::Next::Run;
        journal.begins(key);
        journal.ended(key, begun, json("{}"), now_);
        wrong += journal.next(key, begun) != Journal::Next::Outcome;
        wrong += journal.outcome(key, begun).failed;
        journal.forget(key);
        wrong += unrest.wrote(key, "patch", seconds(0)) != 1;
        unrest.rested(key);
      }
    });
  for (auto& thread : threads) thread.join();

  EXPECT_EQ(wrong, 0);
}

TEST_F(JournalTest, ANewTryIsANewNumber) {
  const std::string ended =
      R"([{"name":"quiesce","attempt":1,"startedAt":"t","finishedAt":"t","outcome":"Failed"}])";
  Journal journal;

  EXPECT_EQ(journal.next(kKey, operation(ended, 1)), Journal::Next::Defect);
  EXPECT_EQ(journal.next(kKey, operation(ended, 2)), Journal::Next::Intent);
  EXPECT_EQ(journal.next(kKey, operation(begun_, 0)), Journal::Next::Defect);
}

TEST(Fence, GrantsWhatEndsBeforeTheLease) {
  Fence fence;
  EXPECT_FALSE(fence.ask(seconds(0), seconds(0)).granted) << "closed until moved";

  fence.move(seconds(15), 3);
  EXPECT_TRUE(fence.ask(seconds(9), seconds(5)).granted);
  EXPECT_EQ(fence.ask(seconds(9), seconds(5)).epoch, 3);
  EXPECT_FALSE(fence.ask(seconds(10), seconds(5)).granted);
  Fence copy = fence;
  copy.close();

  EXPECT_FALSE(fence.ask(seconds(0), seconds(0)).granted) << "copies share one state";
  EXPECT_TRUE(Fence::open().ask(seconds(1'000'000), seconds(5)).granted);
}

TEST(FenceThreads, IsAskedWhileItMoves) {
  Fence fence;
  std::atomic<int> torn{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 1; i < 5000; ++i) {
        if (t == 0) fence.move(seconds(i), i);
        auto permit = fence.ask(seconds(0), seconds(0));
        if (permit.granted && permit.epoch == 0) ++torn;
      }
    });
  for (auto& thread : threads) thread.join();

  EXPECT_EQ(torn, 0);
}

}  // namespace
}  // namespace holdfast::control
