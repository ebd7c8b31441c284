#include "objects/locations/location_spec.h"

#include <holdfast/base/bytes.h>

namespace holdfast::cli {
namespace {

using model::Object;
using model::Value;
using protect::BackupLocation;

Error misuse(std::string what) { return {Fault::Invalid, std::move(what)}; }

/// NAME, or NAME:KEY.
protect::SecretKey secret_key(const std::string& text) {
  const size_t colon = text.find(':');
  if (colon == text.npos) return {text, "password"};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

Result<BackupLocation::S3> bucket_of(const LocationFlags& flags) {
  if (flags.endpoint.empty() && flags.region.empty())
    return misuse("--s3-endpoint is missing, or --region for Amazon's own");
  BackupLocation::S3 s3;
  s3.endpoint = flags.endpoint;
  s3.region = flags.region;
  s3.bucket = flags.bucket;
  s3.prefix = flags.prefix;
  s3.ca_bundle = flags.ca_bundle;
  s3.force_path_style = flags.path_style;
  return s3;
}

}  // namespace

std::string credential_secret_of(const std::string& location) { return location + "-credential"; }
std::string password_secret_of(const std::string& location) { return location + "-password"; }

Result<BackupLocation> location_of(const LocationFlags& flags) {
  BackupLocation out;
  if (flags.path.empty() == flags.bucket.empty())
    return misuse("exactly one of --bucket and --path must be given");
  if (!flags.path.empty()) {
    if (flags.path.front() != '/')
      return misuse("--path " + flags.path + ": not an absolute path of the machine");
    out.spec.file = BackupLocation::File{flags.path};
  } else {
    out.spec.s3 = HF_TRY(bucket_of(flags));
    out.spec.credential =
        protect::SecretName{flags.credential_secret.empty() ? credential_secret_of(flags.name)
                                                            : flags.credential_secret};
  }
  out.spec.password = flags.password_secret.empty()
                          ? protect::SecretKey{password_secret_of(flags.name), "password"}
                          : secret_key(flags.password_secret);
  out.spec.is_default = flags.is_default;
  out.spec.read_only = flags.read_only;
  out.spec.allowed_namespaces = flags.allowed;
  out.spec.allow_forget = flags.allow_forget;
  out.spec.minimum_retention = flags.minimum_retention;
  return out;
}

SecretData credential_data(const blob::S3Key& key) {
  SecretData out{{"AWS_ACCESS_KEY_ID", key.access_key}, {"AWS_SECRET_ACCESS_KEY", key.secret_key}};
  if (!key.session_token.empty()) out["AWS_SESSION_TOKEN"] = key.session_token;
  return out;
}

Value secret_object(const std::string& name, const SecretData& data) {
  Object encoded;
  for (const auto& [key, value] : data) encoded[key] = base64(value);
  return Object{
      {"apiVersion", "v1"},
      {"kind", "Secret"},
      {"metadata",
       Object{{"name", name}, {"labels", Object{{"app.kubernetes.io/managed-by", "holdfast"}}}}},
      {"data", std::move(encoded)}};
}

bool holds(const Value& secret, const SecretData& data) {
  const Object& there = model::object_at(secret, {"data"});
  if (there.size() != data.size()) return false;
  for (const auto& [key, value] : data)
    if (!equal_secret(model::string_at(secret, {"data", key}), base64(value))) return false;
  return true;
}

}  // namespace holdfast::cli
