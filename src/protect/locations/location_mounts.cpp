#include "locations/location_mounts.h"

#include <fmt/format.h>

namespace holdfast::protect {

using model::Object;

void PodMounts::add(std::string_view name, std::string_view path, Object source, bool read_only) {
  source["name"] = name;
  volumes.push_back(std::move(source));
  mounts.push_back(Object{{"name", name}, {"mountPath", path}, {"readOnly", read_only}});
}

void add_location(PodMounts& out, const BackupLocation::Spec& location) {
  if (location.credential)
    out.add("credential", "/holdfast/credential",
            {{"secret", Object{{"secretName", location.credential->name}}}}, true);
  if (location.password)
    out.add("password", "/holdfast/password",
            {{"secret", Object{{"secretName", location.password->name}}}}, true);
  if (location.file)
    out.add("repository", location.file->path,
            {{"hostPath", Object{{"path", location.file->path}, {"type", "DirectoryOrCreate"}}}},
            false);
}

std::string repository_of(const BackupLocation::Spec& location, std::string_view ns) {
  if (location.file) return fmt::format("{}/{}", location.file->path, ns);
  const BackupLocation::S3& s3 = *location.s3;
  const std::string prefix = s3.prefix.empty() ? "" : s3.prefix + "/";
  const std::string endpoint =
      s3.endpoint.empty() ? fmt::format("https://s3.{}.amazonaws.com", s3.region) : s3.endpoint;
  return fmt::format("s3:{}/{}/{}{}", endpoint, s3.bucket, prefix, ns);
}

RepositoryAccess access_to(const LocationSeen& location, const std::string& ns) {
  const BackupLocation::Spec& spec = location.location.spec;
  RepositoryAccess out;
  out.repository = repository_of(spec, ns);
  if (spec.s3) {
    out.region = spec.s3->region;
    out.ca_bundle = spec.s3->ca_bundle;
    out.path_style = spec.s3->force_path_style;
  }
  out.read_only = spec.read_only;
  if (spec.password) out.password_key = spec.password->key;
  if (ns != location.ns) out.derived_for = ns;
  return out;
}

}  // namespace holdfast::protect
