// Shapes of requests: in parts, together, in parallel, over TLS, to services of every kind.
#include <holdfast/base/bytes.h>
#include <holdfast/net/pki.h>

#include "bucket.h"

#include <filesystem>
#include <set>
#include <thread>

namespace holdfast::blob_suite {
namespace {

using s3_double::Conditional;

struct Shapes : Bucket {};

TEST_F(Shapes, LargeBlobsGoInParts) {
  start({.least_part = 1});
  blob::S3Settings small = settings();
  small.multipart_above = 1000;
  small.part_size = 400;
  const auto store = open(small);
  const std::string bytes = random.bytes(1001);

  ASSERT_TRUE(store->put("large", bytes));
  ASSERT_TRUE(store->put("small", bytes.substr(1)));

  EXPECT_EQ(service->counts().parts, 3U);
  EXPECT_EQ(service->counts().puts, 1U);
  EXPECT_TRUE(*store->get("large") == bytes);
  EXPECT_EQ(store->put("large", bytes + "x", {.exclusive = true}).error().fault(), Fault::Conflict);
  EXPECT_TRUE(store->put("large", bytes, {.exclusive = true}));
  EXPECT_EQ(service->open_uploads(), 0U);
}

TEST_F(Shapes, HalfAnUploadIsThrownAway) {
  start({.least_part = 1});
  blob::S3Settings small = settings();
  small.multipart_above = 1000;
  small.part_size = 400;
  small.retry.give_up = std::chrono::milliseconds(0);
  const auto store = open(small);
  const std::string bytes = random.bytes(5000);
  int failed = 0;
  service->set_weather({.internal_error = 0.2});
  for (int i = 0; i < 20; ++i) failed += store->put("large", bytes) ? 0 : 1;
  EXPECT_GT(failed, 0);
  service->set_weather({});

  ASSERT_TRUE(store->put("large", bytes));
  EXPECT_TRUE(*store->get("large") == bytes);
}

TEST_F(Shapes, AThousandNamesAreRemovedWithOneRequest) {
  start();
  const auto store = open();
  std::vector<std::string> names;
  for (int i = 0; i < 1500; ++i) names.push_back("data/" + std::to_string(i));

  EXPECT_TRUE(store->remove_all(names)->empty());

  EXPECT_EQ(service->counts().multi_deletes, 2U);
  EXPECT_EQ(service->counts().deletes, 0U);
}

TEST_F(Shapes, WhereNamesAreManyListingsRunInParallelAndMissNone) {
  start({.page = 20});
  const auto store = open();
  std::set<std::string> expected;
  for (int i = 0; i < 900; ++i) {
    const std::string id = hex(sha256(std::to_string(i)));
    expected.insert("data/" + id.substr(0, 2) + "/" + id);
  }
  // At and between the borders of the stretches, and of another shape.
  for (const char* odd :
       {"data/00", "data/7f", "data/80", "data/zz", "data/A", "data/ff/~", "data/f"})
    expected.insert(odd);
  for (const std::string& name : expected) ASSERT_TRUE(store->put(name, "x"));
  const uint64_t before = service->counts().lists;

  std::multiset<std::string> listed;
  ASSERT_TRUE(store->list("data/", [&](const blob::Info& info) { listed.insert(info.name); }));

  EXPECT_EQ(listed, std::multiset<std::string>(expected.begin(), expected.end()));
  EXPECT_GT(service->counts().lists - before, 46U) << "it was not split";
}

/// By a clock that runs faster than the world's.
TEST_F(Shapes, BytesFlowAtTheRateThatIsSet) {
  start();
  const auto limits = std::make_shared<blob::Limits>();
  blob::S3Settings slow = settings();
  slow.limits = limits;
  const auto store = open(slow);
  const std::string bytes = random.bytes(200'000);
  ASSERT_TRUE(store->put("free", bytes));
  limits->up_bytes_per_second = 1'000'000;
  limits->down_bytes_per_second = 1'000'000;
  std::jthread time([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      clock.advance(std::chrono::milliseconds(5));
      sleep_until_stopped()(std::chrono::milliseconds(1), stop);
    }
  });
  const MonoTime before = clock.mono();

  ASSERT_TRUE(store->put("slow", bytes));
  EXPECT_GE(clock.mono() - before, std::chrono::milliseconds(180));
  const MonoTime between = clock.mono();
  ASSERT_TRUE(*store->get("slow") == bytes);
  ASSERT_TRUE(*store->get("slow") == bytes);
  EXPECT_GE(clock.mono() - between, std::chrono::milliseconds(180)) << "the first came all at once";
}

struct Promise {
  const char* name;
  Conditional conditional;
  bool able;
};
struct Promises : Bucket, testing::WithParamInterface<Promise> {};

TEST_P(Promises, AreTriedNeverAssumed) {
  start({.conditional = GetParam().conditional});
  const auto store = open();

  EXPECT_EQ(store->abilities().exclusive_put, GetParam().able);
  ASSERT_TRUE(store->put("config", "first", {.exclusive = true}));
  EXPECT_EQ(store->put("config", "second", {.exclusive = true}).error().fault(), Fault::Conflict);
  EXPECT_TRUE(store->put("config", "first", {.exclusive = true}));
  EXPECT_EQ(*store->get("config"), "first");
}

INSTANTIATE_TEST_SUITE_P(Services, Promises,
                         testing::Values(Promise{"Keeps", Conditional::Keeps, true},
                                         Promise{"Says304", Conditional::Says304, true},
                                         Promise{"Overwrites", Conditional::Overwrites, false},
                                         Promise{"Says501", Conditional::Says501, false}),
                         [](const auto& chosen) { return chosen.param.name; });

TEST_F(Shapes, AStorageThatIsAwayPromisesNothingYet) {
  start();
  blob::S3Settings hasty = settings();
  hasty.retry.give_up = std::chrono::milliseconds(0);
  const auto store = open(hasty);
  service->set_weather({.internal_error = 1});
  EXPECT_FALSE(store->abilities().exclusive_put);
  service->set_weather({});
  EXPECT_TRUE(store->abilities().exclusive_put) << "an answer that never came is not remembered";
}

TEST_F(Shapes, TheFolderOfABucketIsTheRepositoryAsItStands) {
  const std::string root = testing::TempDir() + "double-root";
  start({.root = root});
  ASSERT_TRUE(open()->put("data/ab/x", "bytes"));

  EXPECT_TRUE(std::filesystem::exists(root + "/bucket/some/where/data/ab/x"));
  std::filesystem::remove_all(root);
}

TEST_F(Shapes, TlsIsTrustedOnlyWithItsAuthority) {
  const SystemClock now;
  const net::KeyPair ca_key = net::make_key().take();
  const net::KeyPair server_key = net::make_key().take();
  const std::string ca = net::make_certificate({.common_name = "ca", .ca = true},
                                               ca_key.private_pem, "", "", now, random)
                             .take();
  const std::string server =
      net::make_certificate({.common_name = "s3", .ip_addresses = {"127.0.0.1"}, .server = true},
                            server_key.private_pem, ca, ca_key.private_pem, now, random)
          .take();
  start({.certificate = server, .key = server_key.private_pem});
  blob::S3Settings secure = settings();
  secure.endpoint = fmt::format("https://127.0.0.1:{}", service->port());
  secure.create_bucket = false;

  const auto untrusted = open(secure)->get("config");
  ASSERT_FALSE(untrusted);
  EXPECT_EQ(untrusted.error().fault(), Fault::Denied) << untrusted.error().what();
  EXPECT_NE(untrusted.error().hint().find("PEM file"), std::string::npos);

  secure.ca = ca;
  secure.create_bucket = true;
  const auto store = open(secure);
  ASSERT_TRUE(store->put("config", "x"));
  EXPECT_EQ(*store->get("config"), "x");

  secure.ca.clear();
  secure.insecure = true;
  EXPECT_EQ(*open(secure)->get("config"), "x");
}

}  // namespace
}  // namespace holdfast::blob_suite
