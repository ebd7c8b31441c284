#include <holdfast/blob/forwarding.h>

#include "locks/others.h"
#include "upkeep/sample.h"

#include <gtest/gtest.h>

namespace holdfast::repo {
namespace {

using namespace std::chrono_literals;

/// A store whose listings may lag, and where others come in between.
struct Shared final : blob::Forwarding {
  using Forwarding::Forwarding;
  Result<void> put(const std::string& name, std::string_view bytes,
                   const blob::PutOptions& with) override {
    HF_TRY(Forwarding::put(name, bytes, with));
    if (const auto once = std::exchange(after_put, {})) once();
    return ok();
  }
  bool lists_at_once() const override { return at_once; }
  std::function<void()> after_put{};
  bool at_once = false;
};

struct Locks : testing::Test {
  Sample sample_;
  std::shared_ptr<Shared> store_ = [this] {
    auto made = std::make_shared<Shared>(sample_.store);
    sample_.store = made;
    return made;
  }();
  std::unique_ptr<KeyedRepository> one_ = sample_.open(100), two_ = sample_.open(200);
  std::chrono::milliseconds slept_{0};
  std::function<void()> meanwhile_ = [] {};

  /// Time passes only here; process 100 lives, all others are gone unless said.
  LockOptions options(bool exclusive) {
    LockOptions out;
    out.exclusive = exclusive;
    out.background = false;
    out.sleep = [this](std::chrono::milliseconds time, const std::stop_token&) {
      slept_ += time;
      sample_.clock.advance(time);
      meanwhile_();
    };
    out.process_lives = [](int pid) { return pid == 100 || pid == 200; };
    return out;
  }
  size_t count() { return sample_.names("locks/").size(); }
};

TEST_F(Locks, WriteWhatResticWrites) {
  const auto lock = take_lock(*one_, options(true));
  ASSERT_TRUE(lock) << lock.error().what();

  EXPECT_EQ(one_->load(FileType::Lock, (*lock)->id()).take(),
            R"({"time":"2023-11-14T22:13:20Z","exclusive":true,"hostname":"host",)"
            R"("username":"user","pid":100})");
}

TEST_F(Locks, SharedOnesStandBesideEachOtherAndExclusiveOnesAlone) {
  auto first = take_lock(*one_, options(false));
  ASSERT_TRUE(first);
  {
    auto second = take_lock(*two_, options(false));
    EXPECT_TRUE(second);
    EXPECT_EQ(count(), 2U);
  }
  EXPECT_EQ(count(), 1U);

  const auto refused = take_lock(*two_, options(true));

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().fault(), Fault::Conflict);
  EXPECT_NE(refused.error().what().find("process 100 of user on host since 2023-11-14T22:13:20Z"),
            std::string::npos)
      << refused.error().what();
  EXPECT_NE(refused.error().hint().find("unlock"), std::string::npos);
  EXPECT_EQ(count(), 1U);
  ASSERT_TRUE((*first)->release());
  EXPECT_TRUE(take_lock(*two_, options(true)));
}

TEST_F(Locks, WhereListingsDoNotLagNobodyWaitsAndTheLaterStillStepsBack) {
  store_->at_once = true;
  const auto other = [this] {
    HF_CHECK(bool(two_->save(
        FileType::Lock, to_json(LockInfo{.time = sample_.clock.now(), .host = "far", .pid = 7}))));
  };
  EXPECT_TRUE(take_lock(*one_, options(true)));
  store_->after_put = other;

  const auto refused = take_lock(*one_, options(true));

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().fault(), Fault::Conflict);
  EXPECT_EQ(count(), 1U);
  EXPECT_EQ(slept_, 0ms);
}

TEST_F(Locks, OfTwoWhoComeAtOnceTheOneThatLooksLaterStepsBack) {
  bool came = false;
  meanwhile_ = [this, &came] {
    if (std::exchange(came, true)) return;
    HF_CHECK(bool(two_->save(
        FileType::Lock, to_json(LockInfo{.time = sample_.clock.now(), .host = "far", .pid = 7}))));
  };

  const auto lock = take_lock(*one_, options(true));

  ASSERT_FALSE(lock);
  EXPECT_NE(lock.error().what().find("on far"), std::string::npos);
  EXPECT_EQ(count(), 1U);
}

TEST_F(Locks, AreWaitedForAsLongAsAsked) {
  auto first = take_lock(*one_, options(true));
  ASSERT_TRUE(first);
  LockOptions patient = options(true);
  patient.retry_for = 60s;

  slept_ = 0ms;
  EXPECT_FALSE(take_lock(*two_, patient));
  EXPECT_EQ(slept_, 60s);

  meanwhile_ = [&] { HF_CHECK(bool((*first)->release())); };
  EXPECT_TRUE(take_lock(*two_, patient));
}

TEST_F(Locks, AreRefreshedAfterFiveMinutesAndLostWhenTheyCannotBe) {
  auto lock = take_lock(*one_, options(false));
  ASSERT_TRUE(lock);
  const Id first = (*lock)->id();
  ASSERT_TRUE((*lock)->refresh());
  EXPECT_EQ((*lock)->id(), first);

  sample_.clock.advance(5min);
  ASSERT_TRUE((*lock)->refresh());

  EXPECT_NE((*lock)->id(), first);
  EXPECT_EQ(count(), 1U);
  sample_.clock.advance(22min);
  EXPECT_TRUE((*lock)->good());
  sample_.clock.advance(1min);
  EXPECT_FALSE((*lock)->good());
}

TEST_F(Locks, ThatSomebodyRemovedAreLost) {
  auto lock = take_lock(*one_, options(false));
  ASSERT_TRUE(lock);
  EXPECT_EQ(unlock(*two_, true, options(false)).take(), 1);
  sample_.clock.advance(5min);

  EXPECT_EQ((*lock)->refresh().error().fault(), Fault::Conflict);

  EXPECT_FALSE((*lock)->good());
  EXPECT_TRUE((*lock)->lost().stop_requested());
}

TEST_F(Locks, AreKeptFreshByAThread) {
  std::atomic<int> turns = 0;
  LockOptions with = options(false);
  with.background = true;
  with.sleep = [&](std::chrono::milliseconds time, const std::stop_token& stop) {
    if (time == 200ms) return;
    EXPECT_EQ(time, 5min);
    sample_.clock.advance(time);
    ++turns;
    while (turns >= 3 && !stop.stop_requested()) std::this_thread::yield();
  };
  auto lock = take_lock(*one_, with);
  ASSERT_TRUE(lock);

  while (turns < 3) std::this_thread::yield();

  EXPECT_TRUE((*lock)->good());
  EXPECT_EQ(count(), 1U);
}

TEST_F(Locks, StaleOnesAreRemovedOnRequestAndNoOthers) {
  const auto put = [this](std::chrono::minutes age, const std::string& host, int pid) {
    HF_CHECK(bool(one_->save(
        FileType::Lock,
        to_json(LockInfo{.time = sample_.clock.now() - age, .host = host, .pid = pid}))));
  };
  put(31min, "far", 1);   // old
  put(29min, "far", 1);   // lives, for all we know
  put(1min, "host", 33);  // its process is gone
  put(1min, "host", 200);
  ASSERT_TRUE(sample_.store->put("locks/" + std::string(64, '0'), ""));

  EXPECT_EQ(unlock(*one_, false, options(false)).take(), 2);

  EXPECT_EQ(count(), 3U);
  EXPECT_EQ(take_lock(*one_, options(true)).error().fault(), Fault::Conflict);
  EXPECT_EQ(unlock(*one_, true, options(false)).take(), 3);
  EXPECT_TRUE(take_lock(*one_, options(true)));
}

TEST_F(Locks, ThatCannotBeReadStandInTheWayAfterFourMoreReadings) {
  ASSERT_TRUE(sample_.store->put("locks/" + std::string(64, '0'), "no lock"));

  const auto lock = take_lock(*one_, options(false));

  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().fault(), Fault::Corrupt);
  EXPECT_EQ(slept_, 75s);
  EXPECT_NE(lock.error().hint().find("--remove-all"), std::string::npos);
}

}  // namespace
}  // namespace holdfast::repo
