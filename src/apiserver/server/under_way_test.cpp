#include "server/under_way.h"

#include <holdfast/apiserver/core.h>
#include <holdfast/base/text.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <list>
#include <optional>

namespace holdfast::apiserver {
namespace {

using namespace std::chrono_literals;

struct UnderWayTest : testing::Test {
  ManualClock clock{WallTime(std::chrono::hours(500000))};
  UnderWay all;
  net::Request asked{.method = "POST", .target = "/api/v1/namespaces?dryRun=All"};
  const std::string user = "kubernetes-admin";
  const std::string about =
      "POST /api/v1/namespaces by a client without a user yet has had no answer for ";

  std::string after(std::chrono::seconds wait, const Committer& committer = {}) {
    clock.advance(wait);
    return join(all.overdue(clock.mono(), committer), "\n");
  }
};

TEST_F(UnderWayTest, SpeaksOfARequestAfterTenSecondsAndThenEachTimeThatItHasLastedTwiceAsLong) {
  UnderWay::Entry entry(all, asked, clock.mono());

  EXPECT_EQ(after(9s), "");
  EXPECT_EQ(after(1s), about + "10 s: it is being decided");
  EXPECT_EQ(after(9s), "");
  EXPECT_EQ(after(1s), about + "20 s: it is being decided");
  EXPECT_EQ(after(19s), "");
  EXPECT_EQ(after(1s), about + "40 s: it is being decided");
}

TEST_F(UnderWayTest, SaysWhoAskedOnceThatIsKnown) {
  UnderWay::Entry entry(all, asked, clock.mono());
  entry.known_as(user);

  EXPECT_EQ(after(10s),
            "POST /api/v1/namespaces by \"kubernetes-admin\" has had no answer for 10 s: it is "
            "being decided");
}

TEST_F(UnderWayTest, SaysWhatTheCommitterIsAtWhenTheDiskIsWaitedFor) {
  UnderWay::Entry entry(all, asked, clock.mono());
  entry.waits_for_disk(7);

  EXPECT_EQ(after(12s, {.at = Committer::At::Disk, .since = 1s, .upto = 7}),
            about +
                "12 s: revision 7 is not durable; revisions up to 7 have been on their way to "
                "the disk for 11 s");
  EXPECT_EQ(
      after(12s, {.at = Committer::At::Listeners, .since = 4s, .upto = 6}),
      about +
          "24 s: revision 7 is not durable; watches and replies that wait for revisions up to 6 "
          "have been notified for 20 s");
  EXPECT_EQ(after(24s, {.at = Committer::At::Rest, .since = 4s, .upto = 6}),
            about +
                "48 s: revision 7 is not durable; nothing is being committed, the last were "
                "revisions up to 6");
}

TEST_F(UnderWayTest, SaysThatANodeIsWaitedFor) {
  UnderWay::Entry entry(all, asked, clock.mono());
  entry.waits_for_disk(7);
  entry.waits_for_node();

  EXPECT_EQ(after(10s), about + "10 s: the pod's node has been asked");
}

TEST_F(UnderWayTest, ForgetsWhatIsAnswered) {
  std::optional<UnderWay::Entry> first, second, third;
  for (auto* each : {&first, &second, &third}) each->emplace(all, asked, clock.mono());
  clock.advance(10s);

  second.reset();
  EXPECT_EQ(all.overdue(clock.mono(), {}).size(), 2u);
  clock.advance(10s);
  first.reset();
  EXPECT_EQ(all.overdue(clock.mono(), {}).size(), 1u);
  clock.advance(1000s);
  third.reset();
  EXPECT_EQ(all.overdue(clock.mono(), {}).size(), 0u);
}

TEST_F(UnderWayTest, OfManyItTellsSomeAndCountsTheRest) {
  std::list<UnderWay::Entry> many;
  for (int i = 0; i < 15; ++i) many.emplace_back(all, asked, clock.mono());
  clock.advance(10s);

  const std::vector<std::string> lines = all.overdue(clock.mono(), {});

  ASSERT_EQ(lines.size(), 11u);
  EXPECT_EQ(lines.back(), "5 more requests have had no answer for long");
}

TEST_F(UnderWayTest, CountsThoseThatWriteAndThoseThatRead) {
  const net::Request read{.method = "GET", .target = "/api"};
  UnderWay::Entry one(all, asked, clock.mono()), two(all, read, clock.mono()),
      three(all, read, clock.mono());

  EXPECT_EQ(all.count().mutating, 1u);
  EXPECT_EQ(all.count().read_only, 2u);
}

/// A core with a file that nobody commits.
struct UncommittedCore : testing::Test {
  std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("under_way_test." + std::to_string(getpid()));
  ManualClock clock{WallTime(std::chrono::hours(500000))};
  SeededRandom random{1};
  std::unique_ptr<Core> core;
  std::vector<int> codes;

  void SetUp() override {
    std::filesystem::create_directories(folder);
    CoreOptions options;
    options.state_file = folder / "state.db";
    auto made = Core::make(std::move(options), clock, random);
    ASSERT_TRUE(made) << made.error().what();
    core = made.take();
  }
  void TearDown() override {
    core.reset();
    std::filesystem::remove_all(folder);
  }
  void ask(std::string method, std::string target, std::string body = {}) {
    net::Request request{.method = std::move(method),
                         .target = std::move(target),
                         .body = std::move(body),
                         .peer = {.certificate = true,
                                  .common_name = "kubernetes-admin",
                                  .organizations = {"system:masters"}}};
    request.headers.set("Content-Type", "application/json");
    net::split_target(request);
    core->serve(std::move(request),
                [this](const net::Response& response) { codes.push_back(response.status); });
  }
};

TEST_F(UncommittedCore, TellsOfAWriteThatNoCommitterTakesUntilOneDoes) {
  while (core->commit()) {
  }
  ask("POST", "/api/v1/namespaces",
      R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}})");
  clock.advance(11s);

  const std::string told = join(core->overdue(), "\n");
  EXPECT_TRUE(
      told.starts_with("POST /api/v1/namespaces by \"kubernetes-admin\" has had no answer "
                       "for 11 s: revision "))
      << told;
  EXPECT_NE(told.find(" is not durable; nothing is being committed"), std::string::npos) << told;

  ASSERT_TRUE(core->commit());
  clock.advance(100s);
  EXPECT_EQ(codes, std::vector{201});
  EXPECT_EQ(join(core->overdue(), "\n"), "");
}

TEST_F(UncommittedCore, IsSilentAboutWatchesAndWhatIsAnswered) {
  while (core->commit()) {
  }
  ask("GET", "/api/v1/namespaces?watch=1");
  ask("GET", "/api/v1/namespaces");
  clock.advance(100s);

  EXPECT_EQ(codes, (std::vector{200, 200}));
  EXPECT_EQ(join(core->overdue(), "\n"), "");
}

}  // namespace
}  // namespace holdfast::apiserver
