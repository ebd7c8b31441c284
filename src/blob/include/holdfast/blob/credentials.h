/// Credentials for a bucket, and their sources.
#pragma once

#include <holdfast/base/result.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>

namespace holdfast::blob {

struct S3Key {
  std::string access_key{}, secret_key{}, session_token{};
  bool operator==(const S3Key&) const = default;
};

/// The key to sign with now. Safe to call from many threads.
using Credentials = std::function<Result<S3Key>()>;

/// Value of an environment variable, or null.
using Environment = std::function<const char*(const char*)>;
Environment process_environment();

/// First match wins:
/// 1. `given`;
/// 2. `folder`: files like a mounted Secret's keys, AWS_ACCESS_KEY_ID, access-key-id or accessKey
///    and so on, or `credentials` or `cloud` in the form of the shared file;
/// 3. AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN;
/// 4. the shared files ~/.aws/credentials and ~/.aws/config (AWS_SHARED_CREDENTIALS_FILE,
///    AWS_CONFIG_FILE), section AWS_PROFILE or "default".
struct CredentialSources {
  S3Key given{};
  std::filesystem::path folder{};
  std::string profile{};
  Environment environment = process_environment();
};

/// Files are read again when they have changed. Denied, with all places that were looked at, if
/// there is no key; a source that is there but broken is an error, never passed over.
Result<Credentials> find_credentials(const CredentialSources& sources);

/// The same of a Secret that is at hand: its entries by the names that files of `folder` have.
/// Denied if they hold no whole key.
Result<S3Key> key_in(const std::map<std::string, std::string>& entries,
                     const std::string& profile = "default");

/// From AWS_REGION, AWS_DEFAULT_REGION, a file `region` in the folder, or the shared files;
/// "" if nobody says.
std::string find_region(const CredentialSources& sources);

}  // namespace holdfast::blob
