#include "locations/trial.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/files.h>
#include <holdfast/base/random.h>
#include <holdfast/base/text.h>
#include <holdfast/base/walls.h>
#include <holdfast/blob/location.h>
#include <holdfast/control/sabotage.h>
#include <holdfast/protect/repository.h>

#include "locations/location_mounts.h"
#include "locations/marker.h"
#include "locations/marker_verdict.h"

#include <fmt/format.h>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;

Trial bad(std::string_view reason, std::string message) {
  return {std::string(reason), std::move(message), false};
}

std::optional<Trial> missing_in(const std::string& ns, const BackupLocation::Spec& spec,
                                const SecretEntries& credential, const SecretEntries& password) {
  const auto no_secret = [&ns](const std::string& name, std::string_view what) {
    return bad("SecretNotFound", fmt::format("Secret {}/{} with {} is not there: make it, or name "
                                             "another one",
                                             ns, name, what));
  };
  if (spec.credential && !credential)
    return no_secret(spec.credential->name, "the bucket's access key");
  if (!password) return no_secret(spec.password->name, "the password");
  const auto entry = password->find(spec.password->key);
  if (entry == password->end() || trim(entry->second).empty())
    return bad("SecretKeyMissing",
               fmt::format("Secret {}/{} has no entry {}, or an empty one: it is the password of "
                           "the repositories",
                           ns, spec.password->name, holdfast::quoted(spec.password->key)));
  return std::nullopt;
}

std::string_view reason_of(Fault fault) {
  switch (fault) {
    case Fault::Denied:
      return "AccessDenied";
    case Fault::NotFound:
      return "BucketNotFound";
    case Fault::Unavailable:
      return "Unreachable";
    case Fault::Invalid:
      return "Refused";
    case Fault::Corrupt:
    case Fault::Conflict:
    case Fault::Internal:
      break;
  }
  return "Failed";
}

std::string told(const Error& error) {
  return error.hint().empty() ? error.what() : fmt::format("{} ({})", error.what(), error.hint());
}

Trial try_bucket(const LocationLook& seen, const blob::S3Key& key, const AskBucket& ask) {
  const BackupLocation::Spec& spec = seen.location.spec;
  const BackupLocation::S3& s3 = *spec.s3;
  const std::string where = fmt::format("bucket {} of {}", s3.bucket,
                                        s3.endpoint.empty() ? "Amazon, " + s3.region : s3.endpoint);
  const BucketAnswer answer = ask({s3, repository_of(spec, seen.ns), key});
  if (answer.answered || control::sabotage().no_try) return {"Answers", where + " answers", true};
  const Error& error = answer.answered.error();
  std::string message = fmt::format("{}: {}", where, told(error));
  if (!answer.asked) return bad("InvalidSpec", std::move(message));
  if (!seen.is_admin && wall_stands("trials tell tenants nothing of strangers")) {
    const std::string hint = blob::hint_of(answer.code);
    if (hint.empty())
      return bad("Unreachable", where +
                                    ": no answer of a bucket; check spec.s3.endpoint and the "
                                    "network, or see the log of a mover");
    message = fmt::format("{}: {} ({})", where, answer.code, hint);
  }
  if (error.fault() == Fault::Denied)
    message += fmt::format("; the key is in Secret {}/{}", seen.ns, spec.credential->name);
  return bad(reason_of(error.fault()), std::move(message));
}

/// What lies in the folder, of what is known to.
Result<MarkerSeen> look_at(const LocationLook& seen, const std::string& path) {
  MarkerSeen out{.remembered = seen.location.status.marker,
                 .repositories_known = !seen.repositories.empty()};
  out.found = HF_TRY(read_marker(path));
  for (const std::string& name : seen.repositories)
    out.repositories_found =
        out.repositories_found || !matching_paths(fmt::format("{}/{}/config", path, name)).empty();
  return out;
}

Trial try_folder(const LocationLook& seen) {
  const std::string& path = seen.location.spec.file->path;
  if (!seen.file_here)
    return {.reason = "FolderOfNode",
            .message = fmt::format(
                "folder {} is on the node where a mover runs: the mover checks it", path),
            .unknown = true};
  const SystemClock clock;
  SystemRandom random;
  const auto unusable = [&path](const Error& error) {
    return bad("FolderNotUsable",
               fmt::format("folder {}: {}: make it, or name another one", path, told(error)));
  };
  const Result<MarkerSeen> looked = look_at(seen, path);
  if (!looked) return unusable(looked.error());
  const MarkerVerdict verdict = judge_marker(*looked, hex(random.bytes(16)));
  if (!verdict.id)
    return bad(
        looked->found.empty() ? "MarkerNotFound" : "MarkerChanged",
        fmt::format("folder {} {} this location had put there: is its disk mounted? What was "
                    "backed up is there no longer; bring it back, or, if it is gone for "
                    "good, annotate the Repositories of the location with {}=yes",
                    path,
                    looked->found.empty() ? "lacks the file holdfast-location that"
                                          : "has another file holdfast-location than",
                    kAnewAnnotation));
  blob::OpenOptions options{!seen.location.spec.read_only, {clock, random}, {}, {}};
  options.retry.give_up = 0ms;
  blob::Location place;
  place.folder = path;
  if (const auto store = blob::open_store(place, options); !store) return unusable(store.error());
  Trial good{"Answers", fmt::format("folder {} is there", path), true};
  if (seen.location.spec.read_only && verdict.write) return good;
  if (verdict.write)
    if (const Result<void> written = write_marker(path, *verdict.id); !written)
      return unusable(written.error());
  good.marker = *verdict.id;
  return good;
}

}  // namespace

OpenedSecrets open_secrets(const std::string& ns, const BackupLocation::Spec& spec,
                           const SecretEntries& credential, const SecretEntries& password) {
  OpenedSecrets out;
  out.missing = missing_in(ns, spec, credential, password);
  if (out.missing || !spec.credential) return out;
  Result<blob::S3Key> key = blob::key_in(*credential);
  if (key)
    out.key = key.take();
  else
    out.missing =
        bad("SecretKeyMissing",
            fmt::format("Secret {}/{}: {}: it needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
                        ns, spec.credential->name, key.error().what()));
  return out;
}

Trial try_location(const LocationLook& seen, const OpenedSecrets& secrets, const AskBucket& ask) {
  if (secrets.missing) return *secrets.missing;
  return seen.location.spec.file ? try_folder(seen) : try_bucket(seen, secrets.key, ask);
}

}  // namespace holdfast::protect
