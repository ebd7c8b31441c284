#include "volumegroup/action/catalogue.h"

#include <gtest/gtest.h>

namespace holdfast::drivers::volumegroup {
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
       {std::string(), std::string("[]"), std::string("{}"), with("\"version\":1", "\"version\":2"),
        with("\"snapshotID\":\"abc\"", "\"snapshotID\":\"\""), with("\"size\":\"1Gi\",", ""),
        with("Application", "Perfect"), with("\"claims\":[", "\"claims\":[5,")})
    EXPECT_FALSE(parse_catalogue(bad)) << bad;
}

TEST(Catalogue, ANewerFormatIsNamed) {
  const Result<Catalogue> read = parse_catalogue(with("\"version\":1", "\"version\":7"));
  EXPECT_NE(read.error().what().find("version 7"), std::string::npos) << read.error().what();
}

}  // namespace
}  // namespace holdfast::drivers::volumegroup
