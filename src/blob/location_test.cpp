#include <holdfast/blob/location.h>

#include <gtest/gtest.h>

namespace holdfast::blob {
namespace {

TEST(Location, AFolderIsNamedAsResticNamesIt) {
  EXPECT_EQ(parse_location("/srv/backup")->folder, "/srv/backup");
  EXPECT_EQ(parse_location("local:/srv/backup")->folder, "/srv/backup");
  EXPECT_EQ(parse_location("local:some/where")->folder, "some/where");
  EXPECT_EQ(parse_location("s3/backup")->folder, "s3/backup");
}

struct Bucket {
  std::string text, endpoint, bucket, prefix;
};

TEST(Location, ABucketIsNamedAsResticNamesIt) {
  const Bucket buckets[] = {
      {"s3:https://eu.example:9000/b", "https://eu.example:9000", "b", ""},
      {"s3:http://127.0.0.1:9000/b/a/folder", "http://127.0.0.1:9000", "b", "a/folder"},
      {"s3:https://eu.example/b/p/", "https://eu.example", "b", "p"},
      {"s3:https://minio/b", "https://minio", "b", ""},
      {"s3:eu.example/b/p", "https://eu.example", "b", "p"},
      {"s3://eu.example/b", "https://eu.example", "b", ""},
      {"s3:localhost/b", "https://localhost", "b", ""},
  };
  for (const Bucket& expected : buckets) {
    const Result<Location> got = parse_location(expected.text);
    ASSERT_TRUE(got) << expected.text;
    EXPECT_TRUE(got->folder.empty());
    EXPECT_EQ(got->endpoint, expected.endpoint);
    EXPECT_EQ(got->bucket, expected.bucket);
    EXPECT_EQ(got->prefix, expected.prefix);
  }
}

TEST(Location, WhatIsNoneIsRefusedWithTheFormThatIs) {
  for (const char* text : {"s3:", "s3:bucket", "s3:bucket/prefix", "s3:https://", "s3:https:///b",
                           "s3:https://eu.example", "s3:eu.example/", "s3:https://key@eu.example/b",
                           "s3:https://eu.example/b?x=1"}) {
    const Result<Location> got = parse_location(text);
    ASSERT_FALSE(got) << text;
    EXPECT_EQ(got.error().fault(), Fault::Invalid);
    EXPECT_NE(got.error().what().find(text), std::string::npos) << got.error().what();
    EXPECT_NE(got.error().hint().find("s3:https://HOST/BUCKET"), std::string::npos);
  }
  for (const char* text : {"", "local:", "sftp:user@host:/x", "rest:http://x/", "gs:b:/"})
    EXPECT_EQ(parse_location(text).error().fault(), Fault::Invalid) << text;
}

TEST(Location, AFolderIsOpenedAndMadeOnlyIfAsked) {
  const SystemClock clock;
  SystemRandom random;
  const std::string folder = testing::TempDir() + "location-made";
  const Location location = parse_location("local:" + folder).take();

  EXPECT_EQ(open_store(location, {.waiting = {clock, random}}).error().fault(), Fault::NotFound);
  const auto store = open_store(location, {.create = true, .waiting = {clock, random}});
  ASSERT_TRUE(store);
  EXPECT_TRUE((*store)->put("config", "x"));
  EXPECT_EQ((*store)->text(), folder);
  std::filesystem::remove_all(folder);
}

TEST(Location, ABucketNeedsKeysAndNamesThePlacesWhereNoneWere) {
  const SystemClock clock;
  SystemRandom random;
  const Location location = parse_location("s3:http://127.0.0.1:1/b").take();
  const auto none = [](const char*) -> const char* { return nullptr; };

  const auto keyless =
      open_store(location, {.waiting = {clock, random}, .s3 = {.sources = {.environment = none}}});
  ASSERT_FALSE(keyless);
  EXPECT_EQ(keyless.error().fault(), Fault::Denied);

  const auto store =
      open_store(location, {.waiting = {clock, random},
                            .retry = {.give_up = std::chrono::milliseconds(0)},
                            .s3 = {.sources = {.given = {"a", "s", ""}, .environment = none}}});
  ASSERT_TRUE(store) << store.error().what();
  EXPECT_EQ((*store)->text(), "s3:http://127.0.0.1:1/b");
  const auto away = (*store)->get("config");
  ASSERT_FALSE(away);
  EXPECT_EQ(away.error().fault(), Fault::Unavailable);
  EXPECT_NE(away.error().what().find("GET config: s3:http://127.0.0.1:1/b"), std::string::npos)
      << away.error().what();
}

}  // namespace
}  // namespace holdfast::blob
