#include <holdfast/model/image.h>

#include <gtest/gtest.h>

namespace holdfast::model {
namespace {

TEST(Images, NamesAreCompleted) {
  const std::string library =
      canonical_image("host").substr(0, canonical_image("host").find("host"));
  EXPECT_EQ(canonical_image("host:v1"), library + "host:v1");
  EXPECT_EQ(canonical_image("reg.example:5000/a/b"), "reg.example:5000/a/b:latest");
  EXPECT_EQ(canonical_image("localhost/a:1"), "localhost/a:1");
}

TEST(Images, OfTagAndDigestTheDigestCounts) {
  const ImageName name = image_name("r.example/a:1@sha256:0f");
  EXPECT_EQ(name.registry, "r.example");
  EXPECT_EQ(name.path, "a");
  EXPECT_EQ(name.tag, "sha256:0f");
  EXPECT_TRUE(name.digest);
}

TEST(Images, NamesLeadToAFolderAndNowhereElse) {
  EXPECT_EQ(folder_of(image_name("localhost/a/b:1")), "localhost/a/b/1");
  for (const std::string_view each : {"a", "a/b:1", "r.example:5000/a__b/c-d:V_1.2", "a@sha256:0f"})
    EXPECT_TRUE(is_image_name(image_name(each))) << each;
  for (const std::string_view each :
       {"", "a/../b", "../a", "a:..", "a//b", "A", "a_", "a..b", "r..example/a", "a:.b", "a: b"})
    EXPECT_FALSE(is_image_name(image_name(each))) << each;
}

TEST(Images, TheMachineIsKnownInEverySpelling) {
  const std::string registry = image_name("host").registry;
  for (const std::string& each :
       {std::string("host"), std::string("host:latest"), std::string("library/host"),
        std::string("host:"), registry + "/host", registry + "/host:latest",
        registry + "/library/host", registry + "/library/host:latest"})
    EXPECT_TRUE(is_host_image(each)) << each;
  for (const std::string_view each :
       {"", "host:v1", "Host", " host", "hosts", "a.example/host", "localhost/host", "team/host",
        "host@sha256:0123456789abcdef0123456789abcdef"})
    EXPECT_FALSE(is_host_image(each)) << each;
}

TEST(Images, OurProgramIsKnownInEverySpelling) {
  for (const std::string_view each :
       {"localhost/holdfast", "localhost/holdfast:latest", "localhost/holdfast:"})
    EXPECT_TRUE(is_own_image(each)) << each;
  for (const std::string_view each :
       {"", "holdfast", "holdfast:1", "localhost/holdfast:1", "localhost/Holdfast",
        "localhost/a/holdfast", "localhost/holdfast@sha256:0123456789abcdef0123456789abcdef"})
    EXPECT_FALSE(is_own_image(each)) << each;
}

}  // namespace
}  // namespace holdfast::model
