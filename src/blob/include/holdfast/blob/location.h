/// Repository location: the text that names a repository, turned into its store.
#pragma once

#include <holdfast/blob/s3.h>

#include <filesystem>
#include <memory>

namespace holdfast::blob {

/// restic's forms: "/path", "relative/path", "local:path",
/// "s3:https://host[:port]/bucket[/prefix]", "s3:http://…", and with https understood
/// "s3:host/bucket[/prefix]" and "s3://host/bucket[/prefix]".
struct Location {
  std::filesystem::path folder{};  ///< "" if it is a bucket
  std::string endpoint{};          ///< "https://host:port"
  std::string bucket{}, prefix{};
};

/// Invalid for a form that is not ours, with the form that is in the hint.
Result<Location> parse_location(const std::string& text);

/// For buckets; what is empty is found as `credentials.h` says.
struct S3Options {
  std::string region{};
  Addressing addressing = Addressing::Auto;
  std::filesystem::path ca_file{};  ///< PEM, besides the system's
  std::string ca{};                 ///< the same as text
  std::string proxy{};              ///< "" = HTTPS_PROXY, HTTP_PROXY, NO_PROXY of the environment
  bool insecure = false;
  CredentialSources sources{};
  std::chrono::seconds key_patience{0};  ///< as S3Settings has it
  int connections = 8;
  std::function<void(const std::string& code)> refused{};  ///< as S3Settings has them
  std::shared_ptr<std::atomic<uint64_t>> flown{};
};

struct OpenOptions {
  bool create = false;  ///< makes the folder or the bucket if it is not there
  Waiting waiting;
  RetryPolicy retry{};
  S3Options s3{};
  std::shared_ptr<const Limits> limits{};  ///< null = none; may be changed while the store is used
};

/// With retries and limits in it. That the bucket can be reached is seen at its first use.
Result<std::unique_ptr<Store>> open_store(const Location& location, const OpenOptions& options);

}  // namespace holdfast::blob
