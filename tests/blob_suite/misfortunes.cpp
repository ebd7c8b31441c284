// Failures of requests, which are put right or reported.
#include <holdfast/base/bytes.h>

#include "bucket.h"

#include <set>
#include <thread>

namespace holdfast::blob_suite {
namespace {

struct Storm {
  const char* name;
  s3_double::Weather weather;
};

struct Misfortunes : Bucket, testing::WithParamInterface<Storm> {};

/// Whatever the weather, what put() says is there is there, once, and as it was put.
TEST_P(Misfortunes, WhatWasPutIsThere) {
  start({.page = 7});
  const auto store = open();
  ASSERT_TRUE(store->abilities().exclusive_put);
  service->set_weather(GetParam().weather);
  std::set<std::string> expected;
  for (int i = 0; i < 30; ++i) {
    const std::string bytes = random.bytes(4000 + size_t(i));
    const std::string name = "data/" + hex(sha256(bytes));
    const auto done = store->put(name, bytes, {.exclusive = i % 2 == 0});
    ASSERT_TRUE(done) << done.error().what();
    const auto back = store->get(name);
    ASSERT_TRUE(back) << back.error().what();
    EXPECT_EQ(name, "data/" + hex(sha256(*back)));
    EXPECT_EQ(*store->get(name, blob::Range{100, 1000}), bytes.substr(100, 1000));
    EXPECT_EQ(store->stat(name)->size, bytes.size());
    expected.insert(name);
  }

  std::multiset<std::string> listed;
  const auto done =
      store->list("data/", [&listed](const blob::Info& info) { listed.insert(info.name); });
  ASSERT_TRUE(done) << done.error().what();
  EXPECT_EQ(listed, std::multiset<std::string>(expected.begin(), expected.end()));
  const std::vector<std::string> names(expected.begin(), expected.end());
  EXPECT_TRUE(store->remove_all(names)->empty());
  EXPECT_FALSE(said.empty() && GetParam().weather.twice == 0) << "nothing went wrong";
}

TEST_P(Misfortunes, LargeBlobsArriveInParts) {
  start({.least_part = 1});
  blob::S3Settings small = settings();
  small.multipart_above = 20'000;
  small.part_size = 8'000;
  const auto store = open(small);
  service->set_weather(GetParam().weather);
  for (int i = 0; i < 10; ++i) {
    const std::string bytes = random.bytes(20'001 + size_t(i));
    const std::string name = fmt::format("data/{}", i);
    const auto done = store->put(name, bytes, {.exclusive = i % 2 == 0});
    ASSERT_TRUE(done) << done.error().what();
    EXPECT_TRUE(*store->get(name) == bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(Weather, Misfortunes,
                         testing::Values(Storm{"SlowDown", {.slow_down = 0.5}},
                                         Storm{"InternalError", {.internal_error = 0.3}},
                                         Storm{"LostAnswer", {.lost_answer = 0.3}},
                                         Storm{"Reset", {.reset = 0.3}},
                                         Storm{"HalfUpload", {.half_upload = 0.3}},
                                         Storm{"Truncated", {.truncated = 0.3}},
                                         Storm{"Twice", {.twice = 0.5}},
                                         Storm{"Conflict", {.conflict = 0.5}},
                                         Storm{"All",
                                               {.slow_down = 0.1,
                                                .internal_error = 0.1,
                                                .lost_answer = 0.1,
                                                .reset = 0.1,
                                                .half_upload = 0.1,
                                                .truncated = 0.1,
                                                .twice = 0.1,
                                                .conflict = 0.1,
                                                .latency = std::chrono::milliseconds(1)}}),
                         [](const auto& chosen) { return chosen.param.name; });

struct Faults : Bucket {};

TEST_F(Faults, AStormThatDoesNotEndIsUnavailableInTheWordsOfTheService) {
  start();
  const auto store = open();
  service->set_weather({.slow_down = 1});

  const auto done = store->put("config", "x");

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().fault(), Fault::Unavailable);
  EXPECT_EQ(
      done.error().what(),
      fmt::format("PUT config: s3:http://127.0.0.1:{}/bucket/some/where: 503 SlowDown: Please "
                  "reduce your request rate. (request double)",
                  service->port()));
  ASSERT_GT(said.size(), 10U) << "fifteen minutes of tries";
  EXPECT_NE(said[0].find("503 SlowDown"), std::string::npos);
}

TEST_F(Faults, AnExclusivePutWhoseAnswerWasLostIsOurs) {
  start();
  const auto store = open();
  ASSERT_TRUE(store->abilities().exclusive_put);
  service->set_weather({.lost_answer = 0.7});

  for (int i = 0; i < 20; ++i)
    EXPECT_TRUE(store->put("lock-" + std::to_string(i), "mine", {.exclusive = true}));
  service->set_weather({});
  EXPECT_EQ(store->put("lock-1", "yours", {.exclusive = true}).error().fault(), Fault::Conflict);
}

TEST_F(Faults, ASilentServiceIsUnavailable) {
  start();
  blob::S3Settings impatient = settings();
  impatient.stall = std::chrono::seconds(1);
  impatient.retry.give_up = std::chrono::milliseconds(0);
  const auto store = open(impatient);
  service->set_weather({.latency = std::chrono::seconds(4)});

  EXPECT_EQ(store->get("config").error().fault(), Fault::Unavailable);
}

TEST_F(Faults, BytesThatAreNotThoseHashedAreNeverStored) {
  start();
  const auto store = open();

  const auto done = store->put("a", "damaged in memory", {.sha256 = sha256("as it was built")});

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().fault(), Fault::Corrupt);
  EXPECT_EQ(store->stat("a").error().fault(), Fault::NotFound);
}

TEST_F(Faults, AStopEndsTheTries) {
  start();
  std::stop_source source;
  blob::Waiting stoppable = waiting();
  stoppable.stop = source.get_token();
  stoppable.sleep = [&](std::chrono::milliseconds, const std::stop_token&) {
    source.request_stop();
  };
  const auto store = blob::s3_store(settings(), stoppable).take();
  service->set_weather({.slow_down = 1});

  EXPECT_EQ(store->get("config").error().fault(), Fault::Unavailable);
}

TEST_F(Faults, AfterAStopALockIsGivenBackAndNoPackIsSent) {
  start();
  std::stop_source source;
  blob::Waiting stoppable = waiting();
  stoppable.stop = source.get_token();
  const auto store = blob::s3_store(settings(), stoppable).take();
  ASSERT_TRUE(store->put("locks/a", "held"));
  source.request_stop();

  const auto index = store->put("index/a", "what was sent");
  const auto pack = store->put("data/a", std::string(size_t{5} << 20, 'x'));
  const auto released = store->remove("locks/a");

  EXPECT_TRUE(index) << index.error().what();
  ASSERT_FALSE(pack);
  EXPECT_EQ(pack.error().fault(), Fault::Unavailable);
  EXPECT_TRUE(released) << released.error().what();
  EXPECT_EQ(open()->stat("locks/a").error().fault(), Fault::NotFound);
  EXPECT_EQ(open()->stat("data/a").error().fault(), Fault::NotFound);
}

}  // namespace
}  // namespace holdfast::blob_suite
