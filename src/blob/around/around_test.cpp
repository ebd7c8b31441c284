#include <holdfast/base/bytes.h>
#include <holdfast/blob/around.h>
#include <holdfast/blob/forwarding.h>
#include <holdfast/blob/stores.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <fstream>
#include <thread>

namespace holdfast::blob {
namespace {

using namespace std::chrono_literals;

/// Fails as the script says, then works; a listing fails after its first name.
struct ScriptedStore final : Forwarding {
  std::deque<Fault> script;
  int calls = 0;
  size_t removed_at_most = SIZE_MAX;

  ScriptedStore() : Forwarding(memory_store()) {}

  std::optional<Error> failure() {
    ++calls;
    if (script.empty()) return {};
    const Fault fault = script.front();
    script.pop_front();
    return Error(fault, "GET x: 503 SlowDown");
  }
  Result<void> put(const std::string& name, std::string_view bytes,
                   const PutOptions& options) override {
    if (auto error = failure()) return std::move(*error);
    return Forwarding::put(name, bytes, options);
  }
  Result<void> read(const std::string& name, std::optional<Range> range,
                    std::string& into) override {
    if (auto error = failure()) return std::move(*error);
    return Forwarding::read(name, range, into);
  }
  Result<void> list(const std::string& prefix,
                    const std::function<void(const Info&)>& each) override {
    auto error = failure();
    bool first = true;
    HF_TRY(Forwarding::list(prefix, [&](const Info& info) {
      if (first || !error) each(info);
      first = false;
    }));
    if (error) return std::move(*error);
    return ok();
  }
  Result<std::vector<std::string>> remove_all(const std::vector<std::string>& names) override {
    if (auto error = failure()) return std::move(*error);
    std::vector<std::string> stayed;
    for (size_t i = 0; i < names.size(); ++i)
      if (i >= removed_at_most || !remove(names[i])) stayed.push_back(names[i]);
    return stayed;
  }
};

struct Decorated : testing::Test {
  ManualClock clock{WallTime{}};
  SeededRandom random{1};
  std::vector<std::chrono::milliseconds> pauses;
  std::vector<std::string> said;
  ScriptedStore* script = nullptr;

  Waiting waiting() {
    return {.clock = clock,
            .random = random,
            .sleep = [this](std::chrono::milliseconds pause, const std::stop_token&) {
              pauses.push_back(pause);
              clock.advance(pause);
            }};
  }
  std::unique_ptr<ScriptedStore> scripted(std::deque<Fault> faults) {
    auto store = std::make_unique<ScriptedStore>();
    store->script = std::move(faults);
    script = store.get();
    return store;
  }
  std::unique_ptr<Store> retried(std::deque<Fault> faults,
                                 std::chrono::milliseconds give_up = 15min) {
    return retrying(scripted(std::move(faults)),
                    {.first = 500ms,
                     .longest = 4s,
                     .give_up = give_up,
                     .said = [this](const std::string& line) { said.push_back(line); }},
                    waiting());
  }
};

struct Retrying : Decorated {};

TEST_F(Retrying, TriesAgainWithGrowingPausesWhileUnavailable) {
  const auto store = retried(std::deque<Fault>(6, Fault::Unavailable));

  ASSERT_TRUE(store->put("x", "1"));

  EXPECT_EQ(script->calls, 7);
  ASSERT_EQ(pauses.size(), 6U);
  const std::chrono::milliseconds most[] = {500ms, 1s, 2s, 4s, 4s, 4s};
  for (size_t i = 0; i < pauses.size(); ++i) {
    EXPECT_GE(pauses[i], most[i] / 2);
    EXPECT_LE(pauses[i], most[i]);
  }
  EXPECT_NE(said.at(0).find("503 SlowDown (next try in 0."), std::string::npos) << said[0];
}

TEST_F(Retrying, ReturnsAtOnceWhatWaitingDoesNotMend) {
  for (const Fault fault : {Fault::NotFound, Fault::Denied, Fault::Conflict, Fault::Corrupt}) {
    const auto store = retried({fault});
    EXPECT_EQ(store->get("x").error().fault(), fault);
    EXPECT_EQ(script->calls, 1);
  }
}

TEST_F(Retrying, GivesUpWhenTimeIsUp) {
  const auto store = retried(std::deque<Fault>(1000, Fault::Unavailable), 10s);

  EXPECT_EQ(store->get("x").error().fault(), Fault::Unavailable);

  EXPECT_LE(clock.mono(), MonoTime(10s));
  EXPECT_GT(script->calls, 2);
}

TEST_F(Retrying, StopsWaitingWhenAsked) {
  std::stop_source source;
  Waiting stoppable = waiting();
  stoppable.stop = source.get_token();
  stoppable.sleep = [&](std::chrono::milliseconds, const std::stop_token&) {
    source.request_stop();
  };
  const auto store =
      retrying(scripted(std::deque<Fault>(1000, Fault::Unavailable)), {}, std::move(stoppable));

  EXPECT_EQ(store->get("x").error().fault(), Fault::Unavailable);
  EXPECT_EQ(script->calls, 1);
}

TEST_F(Retrying, AListingBegunAnewRepeatsNoName) {
  const auto store = retried({});
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(store->put(name, "1"));
  script->script = {Fault::Unavailable, Fault::Unavailable};
  std::vector<std::string> names;

  ASSERT_TRUE(store->list("", [&](const Info& info) { names.push_back(info.name); }));

  EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(Retrying, RemovesWhatStayedAsLongAsSomeGo) {
  const auto store = retried({});
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(store->put(name, "1"));
  script->removed_at_most = 1;
  script->script = {Fault::Unavailable};

  EXPECT_TRUE(store->remove_all({"a", "b", "c"})->empty());

  for (const char* name : {"a", "b", "c"})
    EXPECT_EQ(store->stat(name).error().fault(), Fault::NotFound);
}

TEST_F(Retrying, SaysWhatStayedWhenTheRestIsDenied) {
  const auto store = retried({});
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(store->put(name, "1"));
  script->removed_at_most = 0;

  EXPECT_EQ(store->remove_all({"a", "b"})->size(), 2U);
  script->script = {Fault::Denied};
  EXPECT_EQ(store->remove_all({"a", "b"}).error().fault(), Fault::Denied);
}

struct Limited : Decorated {
  std::shared_ptr<Limits> limits = std::make_shared<Limits>();
  std::unique_ptr<Store> store = limited(memory_store(), limits, waiting());
};

TEST_F(Limited, HoldsTheAverageRateOfUploads) {
  limits->up_bytes_per_second = 1000;
  const std::string bytes(500, 'x');

  for (int i = 0; i < 11; ++i) ASSERT_TRUE(store->put("x", bytes));

  EXPECT_GE(clock.mono(), MonoTime(5s));
  EXPECT_LE(clock.mono(), MonoTime(5500ms));
}

TEST_F(Limited, HoldsTheAverageRateOfDownloadsWholeOrRanged) {
  ASSERT_TRUE(store->put("x", std::string(500, 'x')));
  limits->down_bytes_per_second = 1000;

  for (int i = 0; i < 5; ++i) ASSERT_TRUE(store->get("x"));
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(store->get("x", Range{0, 500}));

  EXPECT_GE(clock.mono(), MonoTime(5s));
  EXPECT_LE(clock.mono(), MonoTime(5500ms));
}

TEST_F(Limited, ALimitThatIsLiftedLetsWaitersGo) {
  limits->up_bytes_per_second = 1;
  ASSERT_TRUE(store->put("x", std::string(1'000'000, 'x')));
  Waiting lifting = waiting();
  auto slow = limited(memory_store(), limits,
                      {.clock = clock,
                       .random = random,
                       .sleep = [&](std::chrono::milliseconds pause, const std::stop_token&) {
                         clock.advance(pause);
                         limits->up_bytes_per_second = 0;
                       }});
  ASSERT_TRUE(slow->put("x", std::string(1'000'000, 'x')));
  ASSERT_TRUE(slow->put("x", "y"));
  EXPECT_LT(clock.mono(), MonoTime(10s));
}

struct Stopped : Limited {
  std::stop_source source;
  std::unique_ptr<Store> held = [this] {
    limits->up_bytes_per_second = limits->down_bytes_per_second = 1000;
    Waiting stoppable = waiting();
    stoppable.stop = source.get_token();
    return limited(scripted({}), limits, stoppable);
  }();
};

TEST_F(Stopped, NoByteGoesBeforeItsTime) {
  ASSERT_TRUE(held->put("x", std::string(10'000, 'x')));
  ASSERT_TRUE(held->get("x", Range{0, 10'000}));
  source.request_stop();

  const Result<void> put = held->put("y", "y");
  const Result<std::string> got = held->get("x", Range{0, 1});

  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().fault(), Fault::Unavailable);
  EXPECT_NE(put.error().what().find("PUT y: stopped"), std::string::npos) << put.error().what();
  ASSERT_FALSE(got);
  EXPECT_EQ(script->calls, 2);
  EXPECT_TRUE(pauses.empty()) << "nobody waits for what takes too long";
  EXPECT_TRUE(held->remove("x")) << "what has no bytes to send waits for nothing";
}

TEST_F(Stopped, WhatClosesTheRunWaitsForItsTurn) {
  ASSERT_TRUE(held->put("x", std::string(3000, 'x')));
  source.request_stop();

  EXPECT_TRUE(held->put("index", "what was sent"));
  EXPECT_GE(clock.mono(), MonoTime(3s));
}

TEST_F(Stopped, APackIsNoneOfThat) {
  ASSERT_TRUE(held->put("x", std::string(3000, 'x')));
  source.request_stop();

  EXPECT_FALSE(held->put("pack", std::string(size_t{5} << 20, 'x')));
  EXPECT_EQ(clock.mono(), MonoTime(0));
}

/// Counts who is inside at once; each waits until `together` are, or nobody else can come.
struct CrowdedStore final : Forwarding {
  CrowdedStore() : Forwarding(memory_store()) {}
  std::atomic<int> inside{0}, most{0};
  Result<Info> stat(const std::string& name) override {
    const int now = ++inside;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
    for (int i = 0; i < 3; ++i) std::this_thread::yield();
    --inside;
    return Info{name, 0};
  }
};

TEST_F(Limited, LetsNoMoreInThanAllowed) {
  auto crowded = std::make_unique<CrowdedStore>();
  const CrowdedStore* const seen = crowded.get();
  limits->operations = 2;
  const auto gate = limited(std::move(crowded), limits, waiting());

  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < 50; ++j) EXPECT_TRUE(gate->stat("x"));
      });
    }
  }

  EXPECT_LE(seen->most, 2);
  EXPECT_GE(seen->most, 1);
}

TEST_F(Decorated, CountsWhatGoesThrough) {
  const auto traffic = std::make_shared<Traffic>();
  const auto store = counted(scripted({Fault::Unavailable}), traffic);

  EXPECT_FALSE(store->put("x", "hello"));
  EXPECT_TRUE(store->put("x", "hello"));
  EXPECT_TRUE(store->get("x", Range{1, 2}));
  EXPECT_FALSE(store->stat("y"));
  EXPECT_TRUE(store->remove_all({"x", "y"}));

  EXPECT_EQ(traffic->puts, 2U);
  EXPECT_EQ(traffic->failures, 1U) << "what is not there is an answer";
  EXPECT_EQ(traffic->bytes_up, 5U);
  EXPECT_EQ(traffic->bytes_down, 2U);
  EXPECT_EQ(traffic->stats, 1U);
  EXPECT_EQ(traffic->removes, 2U);
}

TEST_F(Decorated, APutThatIsRefusedForGoodIsToldFromOneThatMayYetPass) {
  const auto traffic = std::make_shared<Traffic>();
  const auto store = counted(scripted({Fault::Unavailable, Fault::Invalid}), traffic);

  EXPECT_FALSE(store->put("x", "hello"));
  EXPECT_EQ(traffic->puts_refused, 0U);
  EXPECT_FALSE(store->put("x", "hello"));
  EXPECT_EQ(traffic->puts_refused, 1U);
}

struct Cached : Decorated {
  std::filesystem::path folder{};
  std::shared_ptr<Traffic> traffic = std::make_shared<Traffic>();
  std::unique_ptr<Store> store{};
  const std::string bytes = "an index";
  const std::string name = "index/" + hex(sha256(bytes));

  void SetUp() override {
    std::string path = testing::TempDir() + "cached.XXXXXX";
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    folder = path;
    store = cached(counted(memory_store(), traffic), folder, {"index/", "snapshots/"});
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  /// The same blob, in a store that has never seen the cache's folder.
  void begin_anew() {
    auto inner = memory_store();
    ASSERT_TRUE(inner->put(name, bytes));
    store = cached(counted(std::move(inner), traffic), folder, {"index/"});
  }
  void damage() {
    const std::filesystem::path copy = folder / name;
    std::filesystem::permissions(copy, std::filesystem::perms::owner_all);
    std::ofstream(copy) << "another";
  }
};

TEST_F(Cached, ReadsOnceAndThenFromTheCopy) {
  begin_anew();
  EXPECT_EQ(*store->get(name), bytes);
  EXPECT_EQ(*store->get(name), bytes);
  EXPECT_EQ(*store->get(name, Range{3, 5}), "index");
  EXPECT_EQ(traffic->gets, 1U);

  begin_anew();
  EXPECT_EQ(*store->get(name, Range{3, 5}), "index");
  EXPECT_EQ(traffic->gets, 1U) << "the copy outlives the process";
}

TEST_F(Cached, WhatIsPutIsThereToo) {
  ASSERT_TRUE(store->put(name, bytes));

  EXPECT_EQ(*store->get(name), bytes);
  EXPECT_EQ(traffic->gets, 0U);
}

TEST_F(Cached, ADamagedCopyIsFetchedAnew) {
  ASSERT_TRUE(store->put(name, bytes));
  damage();
  begin_anew();

  EXPECT_EQ(*store->get(name, Range{3, 5}), "index");
  EXPECT_EQ(*store->get(name), bytes);
  EXPECT_EQ(*store->get(name), bytes);
  EXPECT_EQ(traffic->gets, 2U);
}

TEST_F(Cached, KeepsOnlyWhatIsNamedByItsHashUnderItsPrefixes) {
  const std::string other = "data/ab/" + hex(sha256("pack"));
  const std::string forged = "index/" + hex(sha256("x"));
  ASSERT_TRUE(store->put(other, "pack"));
  ASSERT_TRUE(store->put("config", "{}"));
  ASSERT_TRUE(store->put(forged, "not x"));

  EXPECT_EQ(*store->get(forged), "not x") << "judging the bytes is the reader's part";
  EXPECT_FALSE(std::filesystem::exists(folder / other));
  EXPECT_FALSE(std::filesystem::exists(folder / "config"));
  EXPECT_FALSE(std::filesystem::exists(folder / forged));
}

TEST_F(Cached, DropsCopiesOfWhatIsGone) {
  ASSERT_TRUE(store->put(name, bytes));
  store = cached(memory_store(), folder, {"index/"});

  ASSERT_TRUE(store->list("index/", [](const Info&) {}));

  EXPECT_FALSE(std::filesystem::exists(folder / name));
  EXPECT_EQ(store->get(name).error().fault(), Fault::NotFound);
}

TEST_F(Cached, RemovesTheCopyToo) {
  ASSERT_TRUE(store->put(name, bytes));
  ASSERT_TRUE(store->remove(name));

  EXPECT_EQ(store->get(name).error().fault(), Fault::NotFound);
}

TEST_F(Cached, WorksWithoutAFolder) {
  store = cached(memory_store(), "/proc/no-folder", {"index/"});

  ASSERT_TRUE(store->put(name, bytes));
  EXPECT_EQ(*store->get(name), bytes);
}

}  // namespace
}  // namespace holdfast::blob
