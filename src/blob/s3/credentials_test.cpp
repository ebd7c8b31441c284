#include <holdfast/blob/credentials.h>

#include "s3/profiles.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>

namespace holdfast::blob {
namespace {

struct CredentialsTest : testing::Test {
  std::filesystem::path folder{};
  std::map<std::string, std::string> variables;

  void SetUp() override {
    std::string name = testing::TempDir() + "credentials.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
    variables["HOME"] = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  CredentialSources sources() {
    return {.environment = [this](const char* name) -> const char* {
      const auto found = variables.find(name);
      return found == variables.end() ? nullptr : found->second.c_str();
    }};
  }
  /// Replaced, as a mounted Secret's files are, so that each is a new file.
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder / name).parent_path());
    std::ofstream(folder / "new") << text;
    std::filesystem::rename(folder / "new", folder / name);
  }
};

TEST_F(CredentialsTest, WhatIsGivenWinsOverTheEnvironmentAndThatOverTheSharedFile) {
  write(".aws/credentials",
        "# c\n[other]\naws_access_key_id=o\n\n[default]\naws_access_key_id = f\n"
        "aws_secret_access_key = fs\ns3 =\n  aws_access_key_id = nested\n");
  EXPECT_EQ((*(*find_credentials(sources()))()).access_key, "f");

  variables["AWS_ACCESS_KEY_ID"] = "e";
  variables["AWS_SECRET_ACCESS_KEY"] = "es";
  variables["AWS_SESSION_TOKEN"] = "et";
  EXPECT_EQ((*(*find_credentials(sources()))()).session_token, "et");

  CredentialSources given = sources();
  given.given = {"g", "gs", ""};
  EXPECT_EQ((*(*find_credentials(given))()).access_key, "g");
}

TEST_F(CredentialsTest, ProfilesAreChosenByName) {
  write(".aws/config",
        "[profile ci]\nregion = eu-1\naws_access_key_id=c\naws_secret_access_key=s\n");
  variables["AWS_PROFILE"] = "ci";

  EXPECT_EQ((*(*find_credentials(sources()))()).access_key, "c");
  EXPECT_EQ(find_region(sources()), "eu-1");
  variables["AWS_REGION"] = "us-9";
  EXPECT_EQ(find_region(sources()), "us-9");
}

TEST_F(CredentialsTest, FilesOfAMountedSecretGoByManyNames) {
  const std::pair<const char*, const char*> forms[] = {
      {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"},
      {"access-key-id", "secret-access-key"},
      {"accessKey", "secretKey"},
      {"access_key", "secret_key"}};
  for (const auto& [access, secret] : forms) {
    write("secret/" + std::string(access), "a\n");
    write("secret/" + std::string(secret), "s\n");
    write("secret/region", "eu-2\n");
    CredentialSources chosen = sources();
    chosen.folder = folder / "secret";
    const auto found = find_credentials(chosen);
    ASSERT_TRUE(found) << found.error().what();
    EXPECT_EQ((*found)()->access_key, "a");
    EXPECT_EQ((*found)()->secret_key, "s");
    EXPECT_EQ(find_region(chosen), "eu-2");
    std::filesystem::remove_all(folder / "secret");
  }
  write("secret/cloud", "[default]\naws_access_key_id=v\naws_secret_access_key=vs\n");
  CredentialSources chosen = sources();
  chosen.folder = folder / "secret";
  EXPECT_EQ((*(*find_credentials(chosen))()).access_key, "v");
}

TEST(Credentials, EntriesOfASecretGoByTheSameNames) {
  EXPECT_EQ(*key_in({{"access-key-id", "a"}, {"secretKey", "s\n"}, {"note", "x"}}),
            (S3Key{"a", "s", ""}));
  EXPECT_EQ(*key_in({{"cloud", "[default]\naws_access_key_id=c\naws_secret_access_key=cs\n"}}),
            (S3Key{"c", "cs", ""}));
  const Result<S3Key> half = key_in({{"AWS_ACCESS_KEY_ID", "a"}});
  ASSERT_FALSE(half);
  EXPECT_EQ(half.error().what(), "it has no secret key");
}

TEST_F(CredentialsTest, RotatedFilesAreReadAgain) {
  write("secret/access-key", "old");
  write("secret/secret-key", "old");
  CredentialSources chosen = sources();
  chosen.folder = folder / "secret";
  const Credentials credentials = find_credentials(chosen).take();
  EXPECT_EQ(credentials()->access_key, "old");

  write("secret/access-key", "new");
  write("secret/secret-key", "newer");
  write("secret/session-token", "t");

  EXPECT_EQ(*credentials(), (S3Key{"new", "newer", "t"}));
  std::filesystem::remove(folder / "secret/access-key");
  EXPECT_EQ(credentials().error().fault(), Fault::Denied);
}

TEST_F(CredentialsTest, WhatIsMissingIsNamedAndNothingSecretIsShown) {
  const auto none = find_credentials(sources());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().fault(), Fault::Denied);
  EXPECT_NE(none.error().what().find(".aws/credentials"), std::string::npos);
  EXPECT_NE(none.error().hint().find("AWS_ACCESS_KEY_ID"), std::string::npos);

  variables["AWS_SECRET_ACCESS_KEY"] = "hush";
  const auto half = find_credentials(sources());
  ASSERT_FALSE(half);
  EXPECT_NE(half.error().what().find("no access key"), std::string::npos);
  EXPECT_EQ(half.error().what().find("hush"), std::string::npos);
}

TEST(Profiles, NoiseIsPassedOver) {
  EXPECT_TRUE(read_profile("", "x").empty());
  EXPECT_TRUE(read_profile("[", "x").empty());
  EXPECT_TRUE(read_profile("a=b\n[]\n=c\n[y]\nk=v", "x").empty());
  EXPECT_EQ(read_profile("[x]\r\nK = a = b\r\n", "x").at("k"), "a = b");
}

}  // namespace
}  // namespace holdfast::blob
