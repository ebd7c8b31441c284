/// The BackupLocation that the flags of `holdfast location add` ask for, and its Secrets.
#pragma once

#include <holdfast/blob/credentials.h>
#include <holdfast/protect/types.h>

#include <map>
#include <string>
#include <vector>

namespace holdfast::cli {

struct LocationFlags {
  std::string name{};
  std::string endpoint{}, bucket{}, prefix{}, region{}, ca_bundle{};  ///< ca_bundle: its PEM text
  bool path_style = false;
  std::string path{};                                  ///< a folder instead of a bucket
  std::string credential_secret{}, password_secret{};  ///< that are there already
  bool is_default = false, read_only = false;
  std::vector<std::string> allowed{}, allow_forget{};
  std::string minimum_retention{};
};

/// Names of the Secrets that are made where none is named.
std::string credential_secret_of(const std::string& location);
std::string password_secret_of(const std::string& location);

/// Invalid names the flag that is missing, or too many.
Result<protect::BackupLocation> location_of(const LocationFlags& flags);

using SecretData = std::map<std::string, std::string>;
SecretData credential_data(const blob::S3Key& key);

/// A Secret with that data.
model::Value secret_object(const std::string& name, const SecretData& data);
/// Whether a Secret holds exactly that.
bool holds(const model::Value& secret, const SecretData& data);

}  // namespace holdfast::cli
