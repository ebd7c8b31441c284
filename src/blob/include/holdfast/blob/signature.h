/// AWS Signature Version 4, as S3 wants it: each part of the path encoded once, none normalised,
/// the payload's hash a header.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/net/http.h>

#include <string>
#include <string_view>

namespace holdfast::blob {

struct SigningKey {
  std::string access_key{}, secret_key{};
  std::string region{}, service = "s3";
};

/// What is signed. All headers given are; host and x-amz-date must be among them.
struct SigningInput {
  std::string method{};
  std::string path{};  ///< decoded: "/bucket/a b"
  net::Query query{};  ///< decoded, in any order
  net::Headers headers{};
  std::string payload_sha256{};  ///< hex
};

/// "20150830T123600Z".
std::string amz_date(WallTime now);
/// Slashes stay.
std::string encode_path(std::string_view path);
/// "a=1&b=" in the order given.
std::string encode_query(const net::Query& query);
/// Sixty-four hex digits.
std::string signature_v4(const SigningInput& input, const SigningKey& key);
/// The value of the Authorization header.
std::string authorization_v4(const SigningInput& input, const SigningKey& key);

}  // namespace holdfast::blob
