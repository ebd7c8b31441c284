// Cases for S3 services only. The double and services that others wrote must agree.
#include <holdfast/base/bytes.h>

#include "subject.h"

#include <algorithm>

namespace holdfast::blob_suite {
namespace {

struct AnyService : AnyStore {
  std::unique_ptr<blob::Store> open(blob::S3Settings settings, const Clock& clock) {
    auto opened = blob::s3_store(std::move(settings), {.clock = clock, .random = subject->random});
    EXPECT_TRUE(opened) << opened.error().what();
    return opened ? opened.take() : nullptr;
  }
  /// A client whose settings are wrong in one way; it is refused with this code.
  void expect_refused(const blob::S3Settings& settings, const Clock& clock, Fault fault,
                      const std::string& code) {
    const auto client = open(settings, clock);
    const auto put = client->put("refused", "x");
    ASSERT_FALSE(put);
    EXPECT_EQ(put.error().fault(), fault);
    const std::string text = put.error().what() + put.error().hint();
    EXPECT_NE(text.find(code), std::string::npos) << text;
    EXPECT_FALSE(client->list("", [](const blob::Info&) {}));
  }
  blob::S3Settings settings() {
    blob::S3Settings out = subject->settings();
    out.create_bucket = false;
    out.retry.give_up = std::chrono::milliseconds(0);
    return out;
  }
  static blob::Credentials key(const std::string& access, const std::string& secret) {
    return [=]() -> Result<blob::S3Key> { return blob::S3Key{access, secret, ""}; };
  }
};

TEST_P(AnyService, RefusesAWrongSecretKey) {
  blob::S3Settings wrong = settings();
  wrong.credentials = key(wrong.credentials()->access_key, "wrong-secret");
  expect_refused(wrong, subject->clock, Fault::Denied, "SignatureDoesNotMatch");
}

TEST_P(AnyService, RefusesAnUnknownAccessKey) {
  blob::S3Settings wrong = settings();
  wrong.credentials = key("NOBODYKNOWSTHISKEY00", "secret");
  // Services have more than one code for it.
  expect_refused(wrong, subject->clock, Fault::Denied, "access key");
  EXPECT_NE(open(wrong, subject->clock)->remove("a").error().hint().find("access key"),
            std::string::npos);
}

TEST_P(AnyService, RefusesAClockThatIsAnHourLate) {
  const ManualClock late(subject->clock.now() - std::chrono::hours(1));
  expect_refused(settings(), late, Fault::Denied, "RequestTimeTooSkewed");
}

TEST_P(AnyService, SaysThatABucketIsNotThere) {
  blob::S3Settings wrong = settings();
  wrong.bucket = "no-such-bucket-here";
  expect_refused(wrong, subject->clock, Fault::NotFound, "NoSuchBucket");
}

TEST_P(AnyService, RefusesBytesThatWereDamagedOnTheWay) {
  const auto client = open(settings(), subject->clock);

  const auto done = client->put("damaged", "what arrives", {.sha256 = sha256("what was signed")});

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().fault(), Fault::Corrupt);
  EXPECT_EQ(store->stat("damaged").error().fault(), Fault::NotFound);
}

TEST_P(AnyService, TakesLargeBlobsInParts) {
  blob::S3Settings small = settings();
  small.multipart_above = size_t{6} << 20;
  small.part_size = size_t{5} << 20;
  const auto client = open(small, subject->clock);
  const std::string bytes = subject->content.bytes(size_t{11} << 20);

  const auto done = client->put("large", bytes);

  ASSERT_TRUE(done) << done.error().what();
  EXPECT_TRUE(*store->get("large") == bytes);
  EXPECT_EQ(store->stat("large")->size, bytes.size());
  EXPECT_TRUE(*store->get("large", blob::Range{(size_t{5} << 20) - 3, 6}) ==
              bytes.substr((size_t{5} << 20) - 3, 6));
  EXPECT_EQ(names(""), std::vector<std::string>{"large"});
}

TEST_P(AnyService, RefusesPartsThatAreTooSmall) {
  blob::S3Settings small = settings();
  small.multipart_above = 1000;
  small.part_size = 1000;
  const auto client = open(small, subject->clock);

  const auto done = client->put("small", std::string(2500, 'x'));

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().fault(), Fault::Invalid);
  EXPECT_NE(done.error().what().find("EntityTooSmall"), std::string::npos) << done.error().what();
  EXPECT_TRUE(names("").empty());
}

TEST_P(AnyService, MakesABucketOnceAndFindsItAgain) {
  blob::S3Settings fresh = settings();
  fresh.bucket = "made-" + hex(subject->random.bytes(6));
  fresh.create_bucket = true;

  ASSERT_TRUE(open(fresh, subject->clock)->put("a", "1"));
  EXPECT_EQ(*open(fresh, subject->clock)->get("a"), "1");
  EXPECT_TRUE(open(fresh, subject->clock)->remove("a"));
}

std::vector<std::string> services() {
  std::vector<std::string> out = subjects();
  std::erase_if(out, [](const std::string& name) { return name == "memory" || name == "file"; });
  out.resize(1);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Services, AnyService, testing::ValuesIn(services()), subject_name);

}  // namespace
}  // namespace holdfast::blob_suite
