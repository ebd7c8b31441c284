#include "mover/access.h"

#include <holdfast/base/files.h>
#include <holdfast/base/log.h>
#include <holdfast/base/text.h>
#include <holdfast/protect/repository.h>

#include "locations/marker.h"

#include <fmt/format.h>

namespace holdfast::protect {
namespace {

/// The kubelet brings a changed Secret into a pod within two minutes.
constexpr std::chrono::seconds kKeyPatience{150};

}  // namespace

Result<std::unique_ptr<blob::Store>> open_store(const RepositoryAccess& access,
                                                const std::filesystem::path& secrets,
                                                blob::OpenOptions options) {
  const blob::Location place = HF_TRY(blob::parse_location(access.repository));
  options.create = options.create && !place.folder.empty();
  options.retry.said = [](const std::string& what) { log::warn(what); };
  options.s3.region = access.region;
  if (access.path_style) options.s3.addressing = blob::Addressing::Path;
  options.s3.sources.folder = secrets / "credential";
  options.s3.key_patience = kKeyPatience;
  options.s3.ca = access.ca_bundle;
  return blob::open_store(place, options);
}

Result<std::string> read_password(const RepositoryAccess& access,
                                  const std::filesystem::path& secrets) {
  Result<std::string> text = read_file(secrets / "password" / access.password_key);
  if (!text) return text.take_error().with_context("read the repository's password");
  std::string password(trim(*text));
  if (password.empty()) return Error(Fault::Invalid, "the repository's password is empty");
  return access.derived_for.empty() ? password : derived_password(password, access.derived_for);
}

Result<void> expect_marker(const RepositoryAccess& access, std::string& trouble) {
  const blob::Location place = HF_TRY(blob::parse_location(access.repository));
  if (place.folder.empty() || access.marker.empty()) return {};
  const std::string found = HF_TRY(read_marker(place.folder.parent_path()));
  if (found == access.marker) return {};
  trouble = found.empty() ? "MarkerNotFound" : "MarkerChanged";
  return Error(Fault::Invalid,
               fmt::format("the folder of the location {}",
                           found.empty() ? "lacks the file holdfast-location"
                                         : "has the file holdfast-location of another location"))
      .with_hint("is its disk mounted where the mover ran? see: holdfast location describe");
}

Result<void> expect_known(const RepositoryAccess& access, const repo::Opened& opened,
                          std::string& trouble) {
  if (access.repository_id.empty() || access.repository_id == opened.config().id) return {};
  trouble = "RepositoryChanged";
  return Error(Fault::Invalid, fmt::format("the repository has the id {}, and {} was there before",
                                           opened.config().id, access.repository_id))
      .with_hint("bring that one back; if it is gone for good, annotate its Repository with " +
                 std::string(kAnewAnnotation) + "=yes");
}

std::string open_trouble(blob::Store& store, const Error& error) {
  // A name that nobody has: whether the store answers at all, whatever lies there.
  const Result<void> listed = store.list("holdfast-is-it-there/", [](const blob::Info&) {});
  const Result<void> there = listed ? repo::expect_repository(store) : ok();
  const Fault fault = !listed  ? listed.error().fault()
                      : !there ? there.error().fault()
                               : error.fault();
  switch (fault) {
    case Fault::Denied:
      return listed && there ? "WrongPassword" : "AccessDenied";
    case Fault::NotFound:
      return listed ? "RepositoryNotFound" : "BucketNotFound";
    case Fault::Unavailable:
      return "Unreachable";
    case Fault::Corrupt:
      return "DamagedData";
    case Fault::Conflict:
      return "Locked";
    case Fault::Invalid:
    case Fault::Internal:
      break;
  }
  return "NotUsable";
}

std::string_view move_failure(Fault fault) {
  switch (fault) {
    case Fault::Denied:
      return "AccessDenied";
    case Fault::NotFound:
      return "NotFound";
    case Fault::Invalid:
      return "Invalid";
    case Fault::Conflict:
      return "Locked";
    case Fault::Corrupt:
      return "Corrupt";
    case Fault::Unavailable:
      return "Unavailable";
    case Fault::Internal:
      break;
  }
  return "InternalError";
}

Result<void> write_report(const std::filesystem::path& path, std::string_view report) {
  FileWriter file = HF_TRY(FileWriter::create(path, 0644));
  HF_TRY(file.write(report));
  return file.finish();
}

}  // namespace holdfast::protect
