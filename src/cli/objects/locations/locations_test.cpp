// Texts of `holdfast location` and `repository`: flags to objects, objects to verdicts.
#include "objects/locations/location_spec.h"
#include "objects/locations/upkeep_view.h"

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

model::Value json(std::string_view text) { return model::parse_json(text).take().value; }

std::string said(const LocationFlags& flags) {
  const auto made = location_of(flags);
  return made ? "" : made.error().what();
}

TEST(LocationSpec, OfABucketNamesTheSecretsThatAreMade) {
  const auto made = location_of({.name = "vault",
                                 .endpoint = "http://h:1",
                                 .bucket = "b",
                                 .prefix = "p",
                                 .is_default = true,
                                 .allowed = {"shop"}});
  ASSERT_TRUE(made) << made.error().what();
  EXPECT_EQ(made->spec.s3->bucket, "b");
  EXPECT_EQ(made->spec.credential->name, "vault-credential");
  EXPECT_EQ(made->spec.password->name, "vault-password");
  EXPECT_EQ(made->spec.password->key, "password");
  EXPECT_TRUE(made->spec.is_default);
  EXPECT_EQ(made->spec.allowed_namespaces, std::vector<std::string>{"shop"});
}

TEST(LocationSpec, OfAFolderHasNoKey) {
  const auto made = location_of({.name = "here", .path = "/srv/b", .password_secret = "s:k"});
  ASSERT_TRUE(made) << made.error().what();
  EXPECT_EQ(made->spec.file->path, "/srv/b");
  EXPECT_FALSE(made->spec.credential || made->spec.s3);
  EXPECT_EQ(made->spec.password->name, "s");
  EXPECT_EQ(made->spec.password->key, "k");
}

TEST(LocationSpec, NamesTheFlagThatIsMissingOrTooMuch) {
  EXPECT_NE(said({.name = "a"}).find("--bucket and --path"), std::string::npos);
  EXPECT_NE(said({.name = "a", .bucket = "b", .path = "/c"}).find("--bucket and --path"),
            std::string::npos);
  EXPECT_NE(said({.name = "a", .bucket = "b"}).find("--s3-endpoint"), std::string::npos);
  EXPECT_EQ(said({.name = "a", .bucket = "b", .region = "eu-west-1"}), "");
  EXPECT_NE(said({.name = "a", .path = "c"}).find("--path c"), std::string::npos);
}

TEST(LocationSpec, SecretsAreComparedWhole) {
  const SecretData key = credential_data({"id", "secret", ""});
  const model::Value secret = secret_object("s", key);
  EXPECT_TRUE(holds(secret, key));
  EXPECT_FALSE(holds(secret, credential_data({"id", "other", ""})));
  EXPECT_FALSE(holds(secret, credential_data({"id", "secret", "token"})));
  EXPECT_EQ(model::to_json(secret).find("secret\":\"secret"), std::string::npos);
}

TEST(JudgeLocation, OnlyAVerdictOnThisGenerationCounts) {
  const auto judge = [](std::string_view status, int64_t observed) {
    model::Value location = json(R"({"metadata":{"generation":2},"status":{"conditions":[
        {"type":"DefaultConflict","status":"False"},
        {"type":"Available","reason":"AccessDenied","message":"wrong key"}]}})");
    model::Object& condition =
        location.as_object()["status"].as_object()["conditions"].as_array()[1].as_object();
    condition["status"] = status;
    condition["observedGeneration"] = observed;
    return judge_location(location);
  };
  EXPECT_FALSE(judge("True", 1));
  EXPECT_EQ(judge("True", 2)->verdict, Verdict::Good);
  EXPECT_EQ(judge("False", 2)->verdict, Verdict::Bad);
  EXPECT_EQ(judge("False", 2)->said, "Unavailable: AccessDenied: wrong key");
  EXPECT_EQ(judge("Unknown", 2)->verdict, Verdict::Good);
  EXPECT_FALSE(judge_location(json(R"({"metadata":{"generation":1}})")));
}

TEST(JudgeUpkeep, WaitsForTheEndAndTellsIt) {
  const model::Value before = json(R"({"status":{"lastCheck":"2023-11-14T22:13:20Z"}})");
  const Judge judge = judge_upkeep(before, Upkeep::Check);
  EXPECT_FALSE(judge(json(R"({"metadata":{"annotations":{"holdfast.dev/run":"check"}}})")));
  EXPECT_FALSE(judge(json(R"({"status":{"running":{"kind":"Prune"}}})")));
  EXPECT_FALSE(judge(before)) << "between two writes";
  EXPECT_FALSE(judge(json(R"({"status":{"running":{"kind":"Check"}}})")));
  const auto good =
      judge(json(R"({"status":{"lastCheck":"2023-11-14T22:15:00Z","snapshots":3,"size":"5Mi",
               "conditions":[{"type":"Healthy","status":"Unknown"},
                             {"type":"Checked","status":"True"}]}})"));
  ASSERT_TRUE(good);
  EXPECT_EQ(good->verdict, Verdict::Good);
  EXPECT_EQ(good->said, "check done: 3 snapshots, 5Mi");
  const auto bad = judge(json(R"({"status":{"lastCheck":"2023-11-14T22:13:20Z","conditions":[
      {"type":"Checked","status":"False","reason":"Damaged","message":"2 packs"}]}})"));
  ASSERT_TRUE(bad) << "it ran, and runs no more";
  EXPECT_EQ(bad->verdict, Verdict::Bad);
  EXPECT_EQ(bad->said, "Damaged: 2 packs");
}

TEST(JudgeUpkeep, GivesUpOnWhatIsNotDone) {
  const model::Value before = json(R"({"status":{}})");
  const Judge judge = judge_upkeep(before, Upkeep::Prune);
  std::optional<Judgement> judged;
  for (int look = 0; look < 1000 && !judged; ++look) judged = judge(before);
  ASSERT_TRUE(judged);
  EXPECT_EQ(judged->verdict, Verdict::Bad);
  EXPECT_EQ(word_of(Upkeep::Prune), "prune");
}

}  // namespace
}  // namespace holdfast::cli
