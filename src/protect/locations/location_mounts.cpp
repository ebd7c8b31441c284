#include "locations/location_mounts.h"

#include <holdfast/base/walls.h>

#include "locations/resolve.h"

#include <fmt/format.h>

namespace holdfast::protect {

namespace {

constexpr std::string_view kFolder = "/holdfast/repository";

}  // namespace

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
    out.add("repository", kFolder,
            {{"hostPath", Object{{"path", location.file->path}, {"type", "DirectoryOrCreate"}}}},
            false);
}

std::string repository_of(const BackupLocation::Spec& location, std::string_view name) {
  if (location.file) return fmt::format("{}/{}", kFolder, name);
  const BackupLocation::S3& s3 = *location.s3;
  const std::string prefix = s3.prefix.empty() ? "" : s3.prefix + "/";
  const std::string endpoint =
      s3.endpoint.empty() ? fmt::format("https://s3.{}.amazonaws.com", s3.region) : s3.endpoint;
  return fmt::format("s3:{}/{}/{}{}", endpoint, s3.bucket, prefix, name);
}

RepositoryAccess access_to(const LocationSeen& location, const std::string& name,
                           const KnownRepository& known) {
  const BackupLocation::Spec& spec = location.location.spec;
  RepositoryAccess out;
  out.repository = repository_of(spec, name);
  if (spec.s3) {
    out.region = spec.s3->region;
    out.ca_bundle = spec.s3->ca_bundle;
    out.path_style = spec.s3->force_path_style;
  }
  out.read_only = spec.read_only;
  if (spec.password) out.password_key = spec.password->key;
  if (name != location.ns) out.derived_for = name;
  out.repository_id = known.id;
  out.may_init = known.may_init();
  if (spec.file && wall_stands("a folder is known by its marker"))
    out.marker = location.location.status.marker;
  // What does not parse is refused before; nothing is forgotten by accident of this.
  if (wall_stands("nothing is forgotten before its time"))
    out.keep_seconds = minimum_retention(spec).value_or(std::chrono::years(1000)).count();
  return out;
}

}  // namespace holdfast::protect
