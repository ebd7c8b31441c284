/// From the text by which people name a repository to its store.
#pragma once

#include <holdfast/blob/around.h>
#include <holdfast/blob/store.h>

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

struct OpenOptions {
  bool create = false;  ///< makes the folder if it is not there
  Waiting waiting;
  RetryPolicy retry{};
};

Result<std::unique_ptr<Store>> open_store(const Location& location, const OpenOptions& options);

}  // namespace holdfast::blob
