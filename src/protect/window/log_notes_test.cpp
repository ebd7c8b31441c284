#include <holdfast/base/bytes.h>
#include <holdfast/protect/cut/log_notes.h>

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

constexpr const char *kFirst = "000000010000000000000004", *kLast = "000000010000000000000005";

ClaimRecord claim(const std::string& name) {
  ClaimRecord out;
  out.ns = "shop";
  out.name = name;
  out.uid = "uid-of-" + name;
  return out;
}

/// A server with its folder on one volume, in a folder of it, and its log on another.
CutInputs inputs() {
  CutInputs out;
  out.claims = {claim("data"), claim("wal")};
  PodRecord pod;
  pod.name = "db-0";
  pod.mounts = {{"/var/lib/pg/", "data", "home"}, {"/var/lib/pg/log", "wal", ""}};
  out.pods = {pod};
  return out;
}

std::vector<QuiesceNote> notes() {
  return {
      {"db-0",
       "LABEL backup_label "
       "U1RBUlQgV0FMIExPQ0FUSU9OOiAwLzQwMDAwMjggKGZpbGUgMDAwMDAwMDEwMDAwMDAwMDAwMDAwMDA0KQo= ."},
      {"db-0", "LABEL tablespace_map  ."},
      {"db-0", std::string("WAL ") + kFirst + " " + kLast + " ."},
      {"db-0", "AT data /var/lib/pg/main"},
      {"db-0", "AT log /var/lib/pg/log/pg_wal"},
      {"db-0", "RELEASED"}};
}

std::string trouble(const CutInputs& of, const std::vector<QuiesceNote>& said) {
  const auto out = log_claims(of, said);
  return out ? "" : out.error().what();
}

TEST(LogNotes, TheClaimOfTheLogIsCutAgainAndKnowsWhereEverythingGoes) {
  const auto out = log_claims(inputs(), notes());

  ASSERT_TRUE(out) << out.error().what();
  ASSERT_EQ(out->size(), 1U);
  const ClaimRecord& kept = out->front();
  EXPECT_EQ(kept.name, "wal");
  ASSERT_TRUE(kept.log);
  EXPECT_EQ(kept.log->directory, "pg_wal");
  EXPECT_EQ(kept.log->data_claim, "data");
  EXPECT_EQ(kept.log->data_directory, "home/main");
  EXPECT_EQ(kept.log->segments, (std::vector<std::string>{kFirst, kLast}));
  EXPECT_EQ(kept.log->files.size(), 1U);  // there are no tablespaces
  EXPECT_EQ(presence_of(*kept.log).args.back(), kLast);
}

TEST(LogNotes, OneVolumeForBothIsCutAgainToo) {
  CutInputs of = inputs();
  of.pods[0].mounts.pop_back();
  const auto out = log_claims(of, notes());

  ASSERT_TRUE(out) << out.error().what();
  EXPECT_EQ(out->front().name, "data");
  EXPECT_EQ(out->front().log->directory, "home/log/pg_wal");
}

TEST(LogNotes, WhatWasCutShortIsNotTaken) {
  for (const size_t line : {size_t(0), size_t(2)}) {
    auto said = notes();
    said[line].text.pop_back();
    EXPECT_NE(trouble(inputs(), said).find("pod db-0 gave no label and log"), std::string::npos);
  }
}

TEST(LogNotes, AFolderOutsideOfTheGroupIsNamed) {
  auto said = notes();
  said[4].text = "AT log /mnt/elsewhere";
  EXPECT_NE(trouble(inputs(), said).find("log of the server in pod db-0 is on no volume"),
            std::string::npos);
  EXPECT_NE(trouble(inputs(), said).find("/mnt/elsewhere"), std::string::npos);
}

TEST(LogNotes, ATablespaceOutsideOfTheGroupIsNamed) {
  auto said = notes();
  said[1].text =
      "LABEL tablespace_map " + base64("16384 /var/lib/pg/more\n16385 /mnt/fast\n") + " .";
  EXPECT_NE(trouble(inputs(), said).find("tablespace of the server in pod db-0"),
            std::string::npos);
  EXPECT_NE(trouble(inputs(), said).find("/mnt/fast"), std::string::npos);
}

TEST(LogNotes, WhatIsMountedOverAVolumeIsNotOnIt) {
  CutInputs of = inputs();
  of.pods[0].mounts[1].claim = "";
  EXPECT_NE(trouble(of, notes()).find("is on no volume of the cut"), std::string::npos);
}

TEST(LogNotes, ASessionThatFailedSaysWhy) {
  EXPECT_NE(trouble(inputs(), {{"db-0", "FAILED SessionLost permission denied"}})
                .find("permission denied"),
            std::string::npos);
}

TEST(LogNotes, EveryPodHasToGiveItsOwn) {
  CutInputs of = inputs();
  of.pods.push_back(of.pods[0]);
  of.pods[1].name = "db-1";
  EXPECT_NE(trouble(of, notes()).find("pod db-1"), std::string::npos);
}

}  // namespace
}  // namespace holdfast::protect
