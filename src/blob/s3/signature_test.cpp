#include <holdfast/base/bytes.h>
#include <holdfast/base/text.h>
#include <holdfast/blob/signature.h>

#include <gtest/gtest.h>

namespace holdfast::blob {
namespace {

const char* const kSession =
    "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSP"
    "fIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT"
    "7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlz"
    "m8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";
const char* const kLetters = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The vectors of AWS's signing test suite that do not normalise paths (S3 never does).
struct Vector {
  const char* name;
  const char* method;
  std::string path;
  net::Query query;
  std::vector<std::pair<const char*, const char*>> headers;
  const char* body;
  const char* signature;
};

const char* const kForm = "application/x-www-form-urlencoded";
const char* const kFormSha256 = "9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e";
const char* const kVanilla = "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31";

const std::vector<Vector> kVectors = {
    {"get-vanilla", "GET", "/", {}, {}, "", kVanilla},
    {"get-header-key-duplicate",
     "GET",
     "/",
     {},
     {{"My-Header1", "value2"}, {"My-Header1", "value2"}, {"My-Header1", "value1"}},
     "",
     "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"},
    {"get-header-value-multiline",
     "GET",
     "/",
     {},
     {{"My-Header1", "value1\n  value2\n     value3"}},
     "",
     "cfd34249e4b1c8d6b91ef74165d41a32e5fab3306300901bb65a51a73575eefd"},
    {"get-header-value-order",
     "GET",
     "/",
     {},
     {{"My-Header1", "value4"},
      {"My-Header1", "value1"},
      {"My-Header1", "value3"},
      {"My-Header1", "value2"}},
     "",
     "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"},
    {"get-header-value-trim",
     "GET",
     "/",
     {},
     {{"My-Header1", " value1"}, {"My-Header2", " \"a   b   c\""}},
     "",
     "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"},
    {"get-relative-relative-unnormalized",
     "GET",
     "/example1/example2/../..",
     {},
     {},
     "",
     "dc33e0856fd4baca4d7aa2146c38958283844764f38c74252a333df5e613003b"},
    {"get-relative-unnormalized",
     "GET",
     "/example/..",
     {},
     {},
     "",
     "eca7ead57bb5aa5c8e28007acd4ff04e1ff9a0ff3b237ec1554a184887ff9282"},
    {"get-slash-dot-slash-unnormalized",
     "GET",
     "/./",
     {},
     {},
     "",
     "68714168e6557f8f2de0ef956fc24dc2593a4bd2961f8df51898d8a134695145"},
    {"get-slash-pointless-dot-unnormalized",
     "GET",
     "/./example",
     {},
     {},
     "",
     "beb03f223f7deae4146464f06e29eebbee9c8afbe15c290cf07aa8b119e14cff"},
    {"get-slash-unnormalized",
     "GET",
     "//",
     {},
     {},
     "",
     "c88bcd3d312d75078c0cd961d6deae3f4c754924b01669efcfcb439fd5e5b76e"},
    {"get-slashes-unnormalized",
     "GET",
     "//example//",
     {},
     {},
     "",
     "87cca117541a147f6df867677d98a7d80dff226d2bfca9e4ffa899665623c7e5"},
    {"get-space-unnormalized",
     "GET",
     "/example space/",
     {},
     {},
     "",
     "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"},
    {"get-unreserved",
     "GET",
     std::string("/") + kLetters,
     {},
     {},
     "",
     "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"},
    {"get-utf8",
     "GET",
     "/\xe1\x88\xb4",
     {},
     {},
     "",
     "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"},
    {"get-vanilla-empty-query-key",
     "GET",
     "/",
     {{"Param1", "value1"}},
     {},
     "",
     "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"},
    {"get-vanilla-query-order-encoded",
     "GET",
     "/",
     {{"Param-3", "Value3"}, {"Param", "Value2"}, {"\xe1\x88\xb4", "Value1"}},
     {},
     "",
     "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac"},
    {"get-vanilla-query-order-key-case",
     "GET",
     "/",
     {{"Param2", "value2"}, {"Param1", "value1"}},
     {},
     "",
     "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
    {"get-vanilla-query-unreserved",
     "GET",
     "/",
     {{kLetters, kLetters}},
     {},
     "",
     "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"},
    {"get-vanilla-utf8-query",
     "GET",
     "/",
     {{"\xe1\x88\xb4", "bar"}},
     {},
     "",
     "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"},
    {"get-vanilla-with-session-token",
     "GET",
     "/",
     {},
     {{"X-Amz-Security-Token", "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267"}},
     "",
     "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8"},
    {"post-header-key-sort",
     "POST",
     "/",
     {},
     {{"My-Header1", "value1"}},
     "",
     "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"},
    {"post-header-value-case",
     "POST",
     "/",
     {},
     {{"My-Header1", "VALUE1"}},
     "",
     "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"},
    {"post-sts-header-before",
     "POST",
     "/",
     {},
     {{"X-Amz-Security-Token", kSession}},
     "",
     "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"},
    {"post-vanilla",
     "POST",
     "/",
     {},
     {},
     "",
     "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
    {"post-vanilla-query",
     "POST",
     "/",
     {{"Param1", "value1"}},
     {},
     "",
     "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"},
    {"post-x-www-form-urlencoded",
     "POST",
     "/",
     {},
     {{"Content-Type", kForm}, {"Content-Length", "13"}, {"x-amz-content-sha256", kFormSha256}},
     "Param1=value1",
     "d3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b"},
};

TEST(Signature, EqualsEveryVectorOfTheSuite) {
  const SigningKey key{.access_key = "AKIDEXAMPLE",
                       .secret_key = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                       .region = "us-east-1",
                       .service = "service"};
  for (const Vector& vector : kVectors) {
    SigningInput input{.method = vector.method,
                       .path = vector.path,
                       .query = vector.query,
                       .payload_sha256 = hex(sha256(vector.body))};
    input.headers.add("Host", "example.amazonaws.com");
    input.headers.add("X-Amz-Date", "20150830T123600Z");
    for (const auto& [name, value] : vector.headers) input.headers.add(name, value);
    EXPECT_EQ(signature_v4(input, key), vector.signature) << vector.name;
  }
}

/// The worked examples of the S3 reference: GET with a range, PUT with an odd name, a
/// sub-resource, and a listing.
TEST(Signature, EqualsTheExamplesOfTheS3Reference) {
  const SigningKey key{.access_key = "AKIAIOSFODNN7EXAMPLE",
                       .secret_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                       .region = "us-east-1"};
  const std::string nothing = hex(sha256(""));
  const auto input = [](const char* method, const char* path, net::Query query,
                        const std::string& sha256_text) {
    SigningInput out{
        .method = method, .path = path, .query = std::move(query), .payload_sha256 = sha256_text};
    out.headers.add("Host", "examplebucket.s3.amazonaws.com");
    out.headers.add("x-amz-date", "20130524T000000Z");
    out.headers.add("x-amz-content-sha256", sha256_text);
    return out;
  };

  SigningInput get = input("GET", "/test.txt", {}, nothing);
  get.headers.add("Range", "bytes=0-9");
  EXPECT_EQ(authorization_v4(get, key),
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
            "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
            "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");

  SigningInput put = input("PUT", "/test$file.text", {}, hex(sha256("Welcome to Amazon S3.")));
  put.headers.add("Date", "Fri, 24 May 2013 00:00:00 GMT");
  put.headers.add("x-amz-storage-class", "REDUCED_REDUNDANCY");
  EXPECT_EQ(signature_v4(put, key),
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");

  EXPECT_EQ(signature_v4(input("GET", "/", {{"lifecycle", ""}}, nothing), key),
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
  EXPECT_EQ(signature_v4(input("GET", "/", {{"prefix", "J"}, {"max-keys", "2"}}, nothing), key),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

TEST(Signature, WritesTheDateAsAmazonDoes) {
  EXPECT_EQ(amz_date(WallTime(std::chrono::seconds(1440938160))), "20150830T123600Z");
}

TEST(Signature, EncodesPartsOfThePathAndQueriesOnce) {
  EXPECT_EQ(encode_path("/b/a b/%/\xc3\xa4"), "/b/a%20b/%25/%C3%A4");
  EXPECT_EQ(encode_query({{"prefix", "data/ab"}, {"delete", ""}}), "prefix=data%2Fab&delete=");
}

}  // namespace
}  // namespace holdfast::blob
