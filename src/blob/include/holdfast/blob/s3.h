/// A bucket of any S3 service.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/blob/store.h>

#include <filesystem>
#include <memory>

namespace holdfast::blob {

struct S3Credentials {
  std::string access_key{}, secret_key{}, session_token{};
};

struct S3Settings {
  std::string endpoint{};  ///< "https://s3.eu-central-1.amazonaws.com"; plain http is allowed
  std::string region{};    ///< "" = us-east-1
  std::string bucket{}, prefix{};
  bool path_style = true;  ///< false: the bucket is in the host name
  std::string ca{};        ///< PEM, besides the system's
  std::string proxy{};
  bool insecure = false;
  /// Asked before each request is signed, so that rotated credentials are picked up.
  std::function<Result<S3Credentials>()> credentials{};
  uint64_t multipart_above = uint64_t{200} << 20;
  int connections = 8;
  std::chrono::milliseconds timeout{300000};
};

/// Where credentials and region come from, first match wins: explicit values; AWS_ACCESS_KEY_ID,
/// AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, AWS_DEFAULT_REGION; a folder of files
/// named like a mounted Secret's keys; the shared files ~/.aws/credentials and ~/.aws/config with
/// AWS_PROFILE.
struct S3Sources {
  S3Credentials given{};
  std::filesystem::path secret_folder{};
  std::filesystem::path shared_credentials{}, shared_config{};  ///< "" = the usual places
  std::string profile{};
};
Result<std::function<Result<S3Credentials>()>> find_credentials(const S3Sources& sources);
std::string find_region(const S3Sources& sources);

/// Every request is signed (SigV4) with the hash of its payload: a service that checks it refuses a
/// damaged upload. The ability to put exclusively is tried with two small puts, never assumed.
Result<std::unique_ptr<Store>> s3_store(S3Settings settings, const Clock& clock);

/// For Authorization headers; exported for its test vectors.
struct S3Request {
  std::string method{}, host{}, path{}, payload_sha256{};
  std::vector<std::pair<std::string, std::string>> query{}, headers{};
};
std::string sign_v4(const S3Request& request, const S3Credentials& credentials,
                    std::string_view region, std::string_view service, WallTime now);

}  // namespace holdfast::blob
