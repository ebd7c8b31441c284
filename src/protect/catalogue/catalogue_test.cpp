#include <holdfast/protect/catalogue.h>

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

constexpr std::string_view kGood =
    R"({"version":1,"group":"shop/db","id":"u","time":"2026-01-02T03:04:05Z",
        "consistency":"Application","claims":[{"namespace":"shop","name":"data","size":"1Gi",
        "snapshotID":"abc","accessModes":["ReadWriteOnce"]}]})";

std::string with(std::string_view from, std::string_view to) {
  std::string out(kGood);
  out.replace(out.find(from), from.size(), to);
  return out;
}

TEST(Catalogue, SaysWhatARestoreNeeds) {
  const Result<Catalogue> read = parse_catalogue(kGood);

  ASSERT_TRUE(read) << read.error().what();
  EXPECT_EQ(read->verdict, Consistency::Application);
  ASSERT_EQ(read->claims.size(), 1U);
  EXPECT_EQ(read->claims[0].snapshot_id, "abc");
}

TEST(Catalogue, WhatIsNoneIsRefused) {
  for (const std::string& bad :
       {std::string(), std::string("[]"), std::string("{}"), with("\"version\":1", "\"version\":3"),
        with("\"snapshotID\":\"abc\"", "\"snapshotID\":\"\""), with("\"size\":\"1Gi\",", ""),
        with("Application", "Perfect"), with("\"claims\":[", "\"claims\":[5,")})
    EXPECT_FALSE(parse_catalogue(bad)) << bad;
}

constexpr std::string_view kLog =
    R"({"namespace":"shop","name":"data","size":"1Gi","snapshotID":"def","log":{"pod":"db-0",
        "directory":"wal","dataClaim":"data","dataDirectory":"","segments":[
        "000000010000000000000004"],"files":{"backup_label":"U1RBUlQgV0FMIExPQ0FUSU9OOiAwLzQwMDAwMjggKGZpbGUgMDAwMDAwMDEwMDAwMDAwMDAwMDAwMDA0KQo="}}})";

TEST(Catalogue, LogsComeAfterTheClaimsThatTheyAreOf) {
  const std::string end = R"("accessModes":["ReadWriteOnce"]})";
  EXPECT_TRUE(parse_catalogue(with(end, end + "," + std::string(kLog))));
  EXPECT_FALSE(parse_catalogue(with("\"claims\":[", "\"claims\":[" + std::string(kLog) + ",")));
  std::string other(kLog);
  other.replace(other.find("\"dataClaim\":\"data\""), 18, "\"dataClaim\":\"else\"");
  EXPECT_FALSE(parse_catalogue(with(end, end + "," + other)));
}

TEST(Catalogue, ANewerFormatIsNamed) {
  const Result<Catalogue> read = parse_catalogue(with("\"version\":1", "\"version\":7"));
  EXPECT_NE(read.error().what().find("version 7"), std::string::npos) << read.error().what();
}

TEST(Catalogue, OfAnotherNamespaceIsLookedForInItsOwnRepositoryFirst) {
  using Strings = std::vector<std::string>;
  const CatalogueWish wish{.subject = "admins/db"};
  EXPECT_EQ(repositories_with(wish, "shop"), (Strings{"admins.shop", "shop"}));
  EXPECT_EQ(repositories_with(wish, "admins"), Strings{"admins"});
  EXPECT_EQ(repositories_with(wish, "others.shop"), Strings{"others.shop"}) << "said exactly";
}

}  // namespace
}  // namespace holdfast::protect
