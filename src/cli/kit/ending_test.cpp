// Exit codes and error messages of commands.
#include <holdfast/cli/ending.h>

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

TEST(Ending, AnErrorHasTheCodeOfItsFault) {
  EXPECT_EQ(end_with(Error(Fault::Invalid, "x")), 2);
  EXPECT_EQ(end_with(Error(Fault::NotFound, "x")), 10);
  EXPECT_EQ(end_with(Error(Fault::Denied, "x")), 12);
  EXPECT_EQ(end_with(Error(Fault::Unavailable, "x")), 1);
}

TEST(Ending, SaysAFailureOnlyOnStandardErrorAndTheRestOnStandardOutput) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(tell({.code = 1, .said = "no", .next = "try again"}, nullptr), 1);
  EXPECT_EQ(tell({.code = 3, .said = "half", .next = "the rest"}, nullptr), 3);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "half\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "error: no\n  try again\n  the rest\n");
}

TEST(Ending, WithJsonStandardOutputHasTheObjectAlone) {
  testing::internal::CaptureStdout();
  const model::Value object = model::Object{{"kind", "Thing"}};
  EXPECT_EQ(tell({.code = 0, .said = "done"}, &object), 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "{\n    \"kind\": \"Thing\"\n}\n");
}

TEST(Ending, APlanIsCarriedOutOnlyWithYes) {
  EXPECT_FALSE(agreed("", false));
  EXPECT_TRUE(agreed("", true));
}

TEST(Ending, AFailureIsToldInTheServersWords) {
  kube::Failure failure{Error(Fault::NotFound, "404")};
  failure.status = model::Object{{"message", "things \"a\" not found"}};
  EXPECT_EQ(error_of(failure, "read Thing a").what(), "read Thing a: things \"a\" not found");
  EXPECT_EQ(error_of(kube::Failure{Error(Fault::NotFound, "404")}, "read").what(), "read: 404");
}

}  // namespace
}  // namespace holdfast::cli
