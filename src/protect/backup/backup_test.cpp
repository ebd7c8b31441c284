// Backup of a cut: what its data moves are asked for, and where they are.
#include <holdfast/protect/cut/backup.h>

#include "plans_for_tests.h"

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

using Strings = std::vector<std::string>;

/// Of an administrators' object, of one claim in the tenants' namespace shop.
BackupInputs inputs() {
  BackupInputs out;
  out.ns = "shop";
  out.location = Reference{.name = "here"};
  out.repository = "admins.shop";
  out.nonce = "n1";
  ClaimRecord claim;
  claim.ns = "shop";
  claim.name = "data";
  claim.uid = "c1";
  claim.size = "1Gi";
  claim.snapshot_uid = "s1";
  claim.snapshot_id = "abc";
  out.claims = {claim};
  return out;
}

CutBackup backup(const BackupInputs& of) {
  return {.inputs = of, .tags = {"vg", "vga"}, .ns = "admins", .subject = "admins/db", .id = "u1"};
}

UsedMove uploaded() {
  UsedMove out{.object = cached_object("admins", "move")};
  out.move.status.snapshot_id = "def";
  out.move.status.files = 3;
  out.move.status.progress.emplace();
  out.move.status.progress->bytes_done = 40;
  return out;
}

TEST(Backup, AnUploadNamesTheCutAndNobodyElsesRepository) {
  const BackupInputs of = inputs();
  const DataMove move = upload_of(backup(of), 0, "cut");

  EXPECT_EQ(moves_ns(of, "admins"), "admins");
  EXPECT_EQ(move.spec.repository, "admins.shop");
  EXPECT_EQ(move.spec.location->ns, "") << "named from where the move is";
  EXPECT_EQ(move.spec.volume->ns, "shop");
  EXPECT_EQ(move.spec.volume->snapshot, "cut");
  EXPECT_EQ(move.spec.volume->snapshot_uid, "s1");
  EXPECT_EQ(move.spec.tags, (Strings{"vg=admins/db", "vga=u1", "pvc=shop/data", "claim=c1",
                                     "snapshot=s1", "nonce=n1"}));
}

TEST(Backup, OneFromBeforeIsCarriedOnBesideItsClaims) {
  BackupInputs of = inputs();
  of.repository.clear();
  of.nonce.clear();
  const DataMove move = upload_of(backup(of), 0, "cut");

  EXPECT_EQ(moves_ns(of, "admins"), "shop");
  EXPECT_EQ(move.spec.repository, "");
  EXPECT_EQ(move.spec.volume->ns, "") << "its own";
  EXPECT_EQ(move.spec.tags, (Strings{"vg=admins/db", "vga=u1", "pvc=shop/data"}));
  const DataMove back = download_of(backup(of), 0, "shop", "staged");
  EXPECT_EQ(back.spec.repository, "shop") << "what is made now is with the administrators";
  EXPECT_EQ(back.spec.location->ns, "shop");
  EXPECT_EQ(back.spec.volume->ns, "shop");
}

TEST(Backup, TheCatalogueExpectsWhatTheUploadsTell) {
  const BackupInputs of = inputs();
  const UsedMove upload = uploaded();
  const DataMove move = catalogue_of(backup(of), {.time = "2026-01-02T03:04:05Z"}, {&upload});

  EXPECT_EQ(move.spec.repository, "admins.shop");
  EXPECT_EQ(move.spec.tags, (Strings{"vg=admins/db", "vga=u1", "catalogue", "nonce=n1"}));
  const Result<Catalogue> read = parse_catalogue(move.spec.document->content.value_or(""));
  ASSERT_TRUE(read) << read.error().what();
  EXPECT_EQ(read->subject, "admins/db");
  EXPECT_EQ(read->id, "u1");
  EXPECT_EQ(read->claims[0].snapshot_id, "def");
  EXPECT_EQ(read->claims[0].bytes, 40);
  ASSERT_EQ(move.spec.expects.size(), 1U);
  Strings tags = upload_of(backup(of), 0, "cut").spec.tags;
  tags.push_back("dm=" + std::string(upload.object.uid()));
  EXPECT_EQ(move.spec.expects[0].tags, tags);
  EXPECT_EQ(move.spec.expects[0].files, 3);
  EXPECT_EQ(move.spec.expects[0].bytes, 40);
}

TEST(Backup, WhatAnEarlierMoverDidNotCountIsNotExpected) {
  const BackupInputs of = inputs();
  UsedMove upload = uploaded();
  upload.move.status.files.reset();
  EXPECT_TRUE(catalogue_of(backup(of), {}, {&upload}).spec.expects.empty());
  EXPECT_TRUE(catalogue_of(backup(of), {}, {nullptr}).spec.expects.empty());
}

TEST(Backup, AllOfItIsForgottenByItsId) {
  const BackupInputs of = inputs();
  const DataMove move = forget_of(backup(of));
  EXPECT_EQ(move.spec.direction, DataMove::Direction::Forget);
  EXPECT_TRUE(move.spec.all_tagged);
  EXPECT_EQ(move.spec.tags, Strings{"vga=u1"});
  EXPECT_EQ(move.spec.repository, "admins.shop");
}

TEST(Backup, ADownloadFillsTheClaimThatIsNamed) {
  const BackupInputs of = inputs();
  const DataMove move = download_of(backup(of), 0, "shop", "staged");
  EXPECT_EQ(move.spec.direction, DataMove::Direction::Restore);
  EXPECT_EQ(move.spec.volume->claim, "staged");
  EXPECT_EQ(move.spec.volume->ns, "shop");
  EXPECT_EQ(move.spec.snapshot, "abc");
}

}  // namespace
}  // namespace holdfast::protect
