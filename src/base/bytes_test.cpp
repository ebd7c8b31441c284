#include <holdfast/base/bytes.h>

namespace holdfast {
namespace {

TEST(Base64, RoundTripsEveryLength) {
  std::string bytes;
  for (int i = 0; i < 70; ++i) {
    EXPECT_EQ(from_base64(base64(bytes)), bytes);
    EXPECT_EQ(from_base64url(base64url(bytes)), bytes);
    bytes += char(i * 37);
  }
}

TEST(Base64, RefusesWhatIsNotCanonical) {
  EXPECT_EQ(from_base64("QQ"), std::nullopt);    // no padding
  EXPECT_EQ(from_base64("QR=="), std::nullopt);  // left-over bits
  EXPECT_EQ(from_base64("Q!=="), std::nullopt);
  EXPECT_EQ(from_base64("===="), std::nullopt);
  EXPECT_EQ(from_base64("QQ=="), "A");
}

TEST(Sha256, MatchesThePublishedVector) {
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Utf8, RefusesSurrogatesOverlongAndTruncated) {
  EXPECT_TRUE(is_utf8("plain, \xc3\xa9, \xe2\x82\xac, \xf0\x9f\x98\x80"));
  EXPECT_FALSE(is_utf8("\xed\xa0\x80"));
  EXPECT_FALSE(is_utf8("\xc0\xaf"));
  EXPECT_FALSE(is_utf8("\xe2\x82"));
  EXPECT_FALSE(is_utf8("\xf4\x90\x80\x80"));
}

}  // namespace
}  // namespace holdfast
