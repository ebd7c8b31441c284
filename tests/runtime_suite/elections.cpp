// Leader election by a Lease of the embedded server: one leader at a time, whichever process is
// paused.
#include <holdfast/control/elector.h>

#include "world.h"

#include <gtest/gtest.h>

namespace holdfast::suite {
namespace {

using namespace std::chrono_literals;
using control::Elector;
using State = Elector::State;

struct Candidate {
  Candidate(World& world, const std::string& identity)
      : wire(*world.core),
        client(world.client_on(wire)),
        elector({.ns = "default", .identity = identity}, client, world.clock, world.random) {}
  Wire wire;
  kube::Client client;
  Elector elector;
};

class Elections : public testing::Test {
 protected:
  void run(std::chrono::milliseconds how_long, const std::vector<Candidate*>& who) {
    for (std::chrono::milliseconds t = 0ms; t < how_long; t += 100ms) {
      world_.advance(100ms);
      for (Candidate* each : who) each->elector.step();
      EXPECT_LE(permitted(who), 1);
    }
  }
  /// Who could send a write now.
  int permitted(const std::vector<Candidate*>& who) {
    int count = 0;
    for (Candidate* each : who) count += may_write(*each);
    return count;
  }
  bool may_write(Candidate& one) {
    return one.elector.fence().ask(world_.clock.mono(), 0ms).granted;
  }
  model::Value lease() {
    auto found = world_.client->get(kube::kLeases, "default", "holdfast-operator");
    return found ? found.take() : model::Value();
  }

  World world_;
  Candidate a_{world_, "a"}, b_{world_, "b"};
};

TEST_F(Elections, TheFirstLeadsAndKeepsLeading) {
  a_.elector.step();
  run(60s, {&a_, &b_});

  EXPECT_EQ(a_.elector.state(), State::Leading);
  EXPECT_EQ(b_.elector.state(), State::Following);
  EXPECT_EQ(b_.elector.leader(), "a");
  EXPECT_EQ(model::string_at(lease(), {"spec", "holderIdentity"}), "a");
  EXPECT_EQ(model::int_at(lease(), {"spec", "leaseDurationSeconds"}, 0), 15);
  EXPECT_EQ(model::int_at(lease(), {"spec", "leaseTransitions"}, -1), 0);
  EXPECT_EQ(model::string_at(lease(), {"spec", "renewTime"}).size(),
            std::string_view("2026-01-02T03:04:05.000006Z").size());
  EXPECT_TRUE(may_write(a_));
}

TEST_F(Elections, ALeaderPausedForLongerThanItsLeaseWritesNothingAfterwards) {
  a_.elector.step();
  run(4s, {&a_, &b_});

  run(25s, {&b_});

  EXPECT_EQ(b_.elector.state(), State::Leading);
  EXPECT_EQ(b_.elector.fence().ask(world_.clock.mono(), 5s).epoch, 1);
  EXPECT_FALSE(may_write(a_)) << "before it has learnt anything";
  a_.elector.step();
  EXPECT_EQ(a_.elector.state(), State::Lost);
  EXPECT_EQ(a_.elector.loss(), "not renewed within 10000 ms") << "it has not heard of another";
  run(60s, {&a_, &b_});
  EXPECT_EQ(a_.elector.state(), State::Lost) << "for good";
  EXPECT_EQ(b_.elector.state(), State::Leading);
}

TEST_F(Elections, TheFenceShutsBeforeAnotherCanTakeOver) {
  a_.elector.step();
  bool shut = false;
  while (b_.elector.state() != State::Leading) {
    world_.advance(50ms);
    b_.elector.step();
    shut = !may_write(a_);
    ASSERT_LT(world_.clock.mono(), 60s);
  }
  EXPECT_TRUE(shut);
}

TEST_F(Elections, ALeaderWithoutAServerGivesUpBeforeItsLeaseEnds) {
  a_.elector.step();
  a_.wire.cut_before = [](const net::Call&) { return true; };

  run(9s, {&a_});
  EXPECT_EQ(a_.elector.state(), State::Leading) << "it may come back";
  run(3s, {&a_});

  EXPECT_EQ(a_.elector.state(), State::Lost);
  EXPECT_FALSE(may_write(a_));
}

TEST_F(Elections, AShortOutageCostsNothing) {
  a_.elector.step();
  a_.wire.cut_before = [](const net::Call&) { return true; };
  run(7s, {&a_, &b_});
  a_.wire.cut_before = {};

  run(30s, {&a_, &b_});

  EXPECT_EQ(a_.elector.state(), State::Leading);
  EXPECT_EQ(model::int_at(lease(), {"spec", "leaseTransitions"}, -1), 0);
}

TEST_F(Elections, AnAnswerThatIsLostIsFoundOut) {
  a_.wire.cut_after = [](const net::Call& call) { return call.method != "GET"; };
  a_.elector.step();
  EXPECT_EQ(a_.elector.state(), State::Following);
  a_.wire.cut_after = {};

  run(6s, {&a_, &b_});

  EXPECT_EQ(a_.elector.state(), State::Leading);
  EXPECT_EQ(model::int_at(lease(), {"spec", "leaseTransitions"}, -1), 0);
}

TEST_F(Elections, OneThatLeavesLetsTheNextInAtOnce) {
  a_.elector.step();
  b_.elector.step();

  a_.elector.release();
  EXPECT_FALSE(may_write(a_));
  EXPECT_EQ(model::string_at(lease(), {"spec", "holderIdentity"}), "");
  run(5s, {&a_, &b_});

  EXPECT_EQ(b_.elector.state(), State::Leading);
  EXPECT_EQ(a_.elector.state(), State::Lost);
}

TEST_F(Elections, OneThatIsRobbedOfItsLeaseNotices) {
  a_.elector.step();
  model::Value robbed = lease();
  model::ensure_object(robbed, {"spec"})["holderIdentity"] = "c";
  ASSERT_TRUE(world_.client->update(kube::kLeases, robbed));

  run(5s, {&a_});

  EXPECT_EQ(a_.elector.state(), State::Lost);
  EXPECT_EQ(a_.elector.loss(), "it is held by \"c\"");
}

TEST_F(Elections, ALeaseOfAStrangerIsBelievedForFiveMinutesWhateverItSays) {
  a_.elector.step();
  model::Value robbed = lease();
  model::ensure_object(robbed, {"spec"})["holderIdentity"] = "stranger";
  model::ensure_object(robbed, {"spec"})["leaseDurationSeconds"] = 2000000000;
  ASSERT_TRUE(world_.client->update(kube::kLeases, robbed));

  run(4min, {&b_});
  EXPECT_EQ(b_.elector.state(), State::Following);
  run(70s, {&b_});

  EXPECT_EQ(b_.elector.state(), State::Leading);
}

TEST_F(Elections, OneThatComesBackUnderItsNameNeedNotWaitForItsOwnLease) {
  a_.elector.step();
  Candidate again(world_, "a");

  again.elector.step();

  EXPECT_EQ(again.elector.state(), State::Leading);
  EXPECT_EQ(again.elector.fence().ask(world_.clock.mono(), 5s).epoch, 0);
}

TEST_F(Elections, WallClocksThatJumpDecideNothing) {
  a_.elector.step();
  run(4s, {&a_, &b_});

  world_.clock.jump_wall(std::chrono::hours(3));
  run(4s, {&b_});
  EXPECT_EQ(b_.elector.state(), State::Following);
  world_.clock.jump_wall(-std::chrono::hours(9));
  run(20s, {&a_, &b_});

  EXPECT_EQ(a_.elector.state(), State::Leading);
}

TEST_F(Elections, ALeaseThatSaysNothingIsTaken) {
  ASSERT_TRUE(world_.client->create(kube::kLeases, "default",
                                    parsed(R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",
                "metadata":{"namespace":"default","name":"holdfast-operator"}})")));

  a_.elector.step();

  EXPECT_EQ(a_.elector.state(), State::Leading);
  EXPECT_EQ(model::int_at(lease(), {"spec", "leaseTransitions"}, -1), 1);
}

/// Three candidates that stop and go at random, with requests and answers lost: never may two
/// write, and epochs only grow.
TEST_F(Elections, NeverMayTwoWriteWhateverIsPausedOrLost) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SeededRandom chance(seed);
    World world;
    std::vector<std::unique_ptr<Candidate>> all;
    int64_t epoch = 0;
    int incarnation = 0;
    auto next = [&] {
      auto one = std::make_unique<Candidate>(world, "c" + std::to_string(++incarnation));
      one->wire.cut_before = [&](const net::Call&) { return chance.below(8) == 0; };
      one->wire.cut_after = [&](const net::Call&) { return chance.below(8) == 0; };
      return one;
    };
    for (int i = 0; i < 3; ++i) all.push_back(next());
    std::vector<int> paused(all.size());
    for (int t = 0; t < 600; ++t) {
      world.advance(std::chrono::milliseconds(chance.below(700)));
      for (size_t i = 0; i < all.size(); ++i) {
        if (chance.below(60) == 0) paused[i] = int(chance.below(80));
        if (paused[i]-- > 0) continue;
        all[i]->elector.step();
        if (all[i]->elector.state() == State::Lost) all[i] = next();
      }
      int writers = 0;
      for (auto& one : all) {
        auto permit = one->elector.fence().ask(world.clock.mono(), 0ms);
        if (!permit.granted) continue;
        ++writers;
        EXPECT_GE(permit.epoch, epoch);
        epoch = permit.epoch;
      }
      ASSERT_LE(writers, 1);
    }
    EXPECT_GT(epoch, 0) << "nobody ever took over: the test shows nothing";
  }
}

}  // namespace
}  // namespace holdfast::suite
