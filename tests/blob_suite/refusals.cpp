// Keys, clocks, regions and buckets that are wrong: each is told apart, with what to do about it.
#include "bucket.h"

#include <cstdlib>
#include <fstream>

namespace holdfast::blob_suite {
namespace {

struct Refusals : Bucket {
  void expect_denied(const std::unique_ptr<blob::Store>& store, const std::string& code,
                     const std::string& hint) {
    const Result<std::string> got = store->get("config");
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().fault(), Fault::Denied);
    EXPECT_NE(got.error().what().find(code), std::string::npos) << got.error().what();
    EXPECT_NE(got.error().hint().find(hint), std::string::npos) << got.error().hint();
    EXPECT_EQ(got.error().what().find("secret"), std::string::npos) << got.error().what();
    const Result<blob::Info> head = store->stat("config");
    ASSERT_FALSE(head);
    EXPECT_EQ(head.error().fault(), Fault::Denied) << "HEAD has no body, and is told apart too";
    EXPECT_NE(head.error().what().find(code), std::string::npos) << head.error().what();
    EXPECT_TRUE(said.empty()) << "nobody waits for a wrong key to become right";
  }
};

TEST_F(Refusals, AnUnknownAccessKey) {
  start();
  blob::S3Settings wrong = settings();
  wrong.create_bucket = false;
  wrong.credentials = key("nobody", "double-secret");
  expect_denied(open(wrong), "403 InvalidAccessKeyId", "does not know this access key");
}

TEST_F(Refusals, AWrongSecretKey) {
  start();
  blob::S3Settings wrong = settings();
  wrong.create_bucket = false;
  wrong.credentials = key("double", "another-secret");
  expect_denied(open(wrong), "403 SignatureDoesNotMatch", "check the secret key and the region");
}

TEST_F(Refusals, AWrongRegionIsToldTheRightOne) {
  start({.region = "eu-central-9"});
  blob::S3Settings wrong = settings();
  wrong.create_bucket = false;
  expect_denied(open(wrong), "AuthorizationHeaderMalformed", "eu-central-9");
}

TEST_F(Refusals, AClockThatIsWrong) {
  start();
  const auto store = open();
  ManualClock late(clock.now() + std::chrono::minutes(16));
  const auto skewed =
      blob::s3_store(settings(), {.clock = late, .random = random, .sleep = waiting().sleep});
  ASSERT_TRUE(skewed) << skewed.error().what();
  expect_denied(*skewed, "403 RequestTimeTooSkewed", "set the clock of this machine");
}

TEST_F(Refusals, ASessionTokenThatIsMissing) {
  start({.session_token = "t"});
  blob::S3Settings wrong = settings();
  wrong.create_bucket = false;
  expect_denied(open(wrong), "InvalidToken", "renew the session token");

  blob::S3Settings right = settings();
  right.credentials = key("double", "double-secret", "t");
  EXPECT_TRUE(open(right)->put("config", "x"));
}

TEST_F(Refusals, KeysThatExpireInMidRun) {
  start();
  const auto store = open();
  ASSERT_TRUE(store->put("config", "x"));
  service->rotate("second", "second-secret", "", "ExpiredToken");

  expect_denied(store, "400 ExpiredToken", "renew the session token");
}

TEST_F(Refusals, RotatedKeysArePickedUpInMidRun) {
  start();
  std::string name = testing::TempDir() + "rotated.XXXXXX";
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  const auto write = [&name](const char* file, const std::string& text) {
    std::ofstream(name + "/new") << text;
    std::filesystem::rename(name + "/new", name + "/" + file);
  };
  write("access-key", "double");
  write("secret-key", "double-secret");
  blob::S3Settings watched = settings();
  watched.credentials = blob::find_credentials({.folder = name}).take();
  const auto store = open(watched);
  ASSERT_TRUE(store->put("config", "x"));

  service->rotate("second", "second-secret", "", "ExpiredToken");
  write("access-key", "second");
  write("secret-key", "second-secret");

  EXPECT_EQ(*store->get("config"), "x");
  EXPECT_TRUE(said.empty());
  std::filesystem::remove_all(name);
}

/// Mounted Secrets follow their objects: the old key ceases before the new one is there.
TEST_F(Refusals, AKeyThatWasRightIsGivenTimeToBeReplaced) {
  start();
  blob::S3Settings patient = settings();
  patient.key_patience = std::chrono::seconds(30);
  int asked = 0;
  bool rotated = false;
  patient.credentials = [&]() -> Result<blob::S3Key> {
    if (rotated && ++asked > 5) return blob::S3Key{"second", "second-secret", ""};
    return blob::S3Key{"double", "double-secret", ""};
  };
  const auto store = open(patient);
  ASSERT_TRUE(store->put("config", "x"));

  service->rotate("second", "second-secret", "", "InvalidAccessKeyId");
  rotated = true;

  EXPECT_EQ(*store->get("config"), "x");
  EXPECT_GT(asked, 5);
}

TEST_F(Refusals, AKeyThatWasNeverRightIsNotWaitedFor) {
  start();
  blob::S3Settings wrong = settings();
  wrong.create_bucket = false;
  wrong.key_patience = std::chrono::hours(1);
  int asked = 0;
  wrong.credentials = [&asked]() -> Result<blob::S3Key> {
    ++asked;
    return blob::S3Key{"nobody", "double-secret", ""};
  };
  expect_denied(open(wrong), "403 InvalidAccessKeyId", "does not know this access key");
  EXPECT_LT(asked, 10);
}

/// The key is replaced after it was read and before the service has seen it.
TEST_F(Refusals, AKeyThatWasReplacedOnTheWayIsTriedAnewAtOnce) {
  start();
  blob::S3Settings changing = settings();
  int asked = 0;
  changing.credentials = [&asked]() -> Result<blob::S3Key> {
    return ++asked == 4 ? blob::S3Key{"double", "old-secret", ""}
                        : blob::S3Key{"double", "double-secret", ""};
  };
  const auto store = open(changing);

  for (int i = 0; i < 5; ++i) EXPECT_TRUE(store->put("config", "x"));
  EXPECT_GE(asked, 6);
}

TEST_F(Refusals, ABucketThatIsNotThere) {
  start();
  blob::S3Settings other = settings();
  other.create_bucket = false;
  other.bucket = "elsewhere";
  const auto store = open(other);

  const auto got = store->put("config", "x");
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().fault(), Fault::NotFound);
  EXPECT_NE(got.error().what().find("404 NoSuchBucket"), std::string::npos);
  EXPECT_NE(got.error().hint().find("make the bucket"), std::string::npos);
  EXPECT_EQ(store->remove("config").error().fault(), Fault::NotFound);
  EXPECT_FALSE(store->list("", [](const blob::Info&) {}));
}

TEST_F(Refusals, SettingsThatMakeNoSense) {
  start();
  for (const char* endpoint : {"", "127.0.0.1", "ftp://x", "http://", "http://x/y", "http://u@x"}) {
    blob::S3Settings wrong = settings();
    wrong.endpoint = endpoint;
    const auto made = blob::s3_store(wrong, waiting());
    ASSERT_FALSE(made) << endpoint;
    EXPECT_EQ(made.error().fault(), Fault::Invalid);
  }
}

}  // namespace
}  // namespace holdfast::blob_suite
