#include <holdfast/base/bytes.h>
#include <holdfast/base/hmac.h>

#include <gtest/gtest.h>

namespace holdfast {
namespace {

TEST(HmacSha256, MatchesThePublishedVectors) {
  // RFC 4231, test cases 1 and 6: a short key, and one longer than a block.
  EXPECT_EQ(hex(hmac_sha256(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hex(hmac_sha256(std::string(131, '\xaa'),
                            "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(HmacSha256, TakesAnEmptyKeyAndAnEmptyText) {
  EXPECT_EQ(hex(hmac_sha256({}, {})),
            "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

}  // namespace
}  // namespace holdfast
