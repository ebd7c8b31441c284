#include "locations/trial.h"

#include <holdfast/base/random.h>
#include <holdfast/base/text.h>
#include <holdfast/blob/location.h>
#include <holdfast/control/sabotage.h>

#include "locations/location_mounts.h"

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

Trial try_bucket(const std::string& ns, const BackupLocation::Spec& spec, const blob::S3Key& key,
                 const AskBucket& ask) {
  const BackupLocation::S3& s3 = *spec.s3;
  const std::string where = fmt::format("bucket {} of {}", s3.bucket,
                                        s3.endpoint.empty() ? "Amazon, " + s3.region : s3.endpoint);
  const BucketAnswer answer = ask({s3, repository_of(spec, ns), key});
  if (answer.answered || control::sabotage().no_try) return {"Answers", where + " answers", true};
  const Error& error = answer.answered.error();
  std::string message = fmt::format("{}: {}", where, told(error));
  if (!answer.asked) return bad("InvalidSpec", std::move(message));
  if (error.fault() == Fault::Denied)
    message += fmt::format("; the key is in Secret {}/{}", ns, spec.credential->name);
  return bad(reason_of(error.fault()), std::move(message));
}

Trial try_folder(const std::string& path, bool file_here) {
  if (!file_here)
    return {.reason = "FolderOfNode",
            .message = fmt::format(
                "folder {} is on the node where a mover runs: the mover checks it", path),
            .unknown = true};
  const SystemClock clock;
  SystemRandom random;
  blob::OpenOptions options{true, {clock, random}, {}, {}};
  options.retry.give_up = 0ms;
  blob::Location place;
  place.folder = path;
  const auto store = blob::open_store(place, options);
  if (!store)
    return bad("FolderNotUsable", fmt::format("folder {}: {}: make it, or name another one", path,
                                              told(store.error())));
  return {"Answers", fmt::format("folder {} is there", path), true};
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

Trial try_location(const std::string& ns, const BackupLocation::Spec& spec,
                   const OpenedSecrets& secrets, const AskBucket& ask, bool file_here) {
  if (secrets.missing) return *secrets.missing;
  return spec.file ? try_folder(spec.file->path, file_here)
                   : try_bucket(ns, spec, secrets.key, ask);
}

}  // namespace holdfast::protect
