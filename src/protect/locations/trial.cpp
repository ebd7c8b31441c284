#include "locations/trial.h"

#include <holdfast/base/text.h>
#include <holdfast/blob/location.h>

#include "locations/location_mounts.h"

#include <fmt/format.h>

#include <thread>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;

constexpr auto kLongest = 10s;

/// Asks for an end when the time is up.
class Deadline {
 public:
  Deadline()
      : thread_([this](const std::stop_token& over) {
          sleep_until_stopped()(kLongest, over);
          if (!over.stop_requested()) source_.request_stop();
        }) {}
  std::stop_token token() const { return source_.get_token(); }
  bool passed() const { return source_.stop_requested(); }

 private:
  std::stop_source source_{};
  std::jthread thread_;  ///< the last member: it ends first
};

Trial bad(std::string_view reason, std::string message) {
  return {std::string(reason), std::move(message), false};
}

/// What is missing in the Secrets; they are named, never shown.
std::optional<Trial> missing_secret(const TrialTask& task) {
  const BackupLocation::Spec& spec = task.spec;
  const auto no_secret = [&task](const std::string& name, std::string_view what) {
    return bad("SecretNotFound", fmt::format("Secret {}/{} with {} is not there: make it, or name "
                                             "another one",
                                             task.ns, name, what));
  };
  if (spec.credential && !task.credential)
    return no_secret(spec.credential->name, "the bucket's access key");
  if (!task.password) return no_secret(spec.password->name, "the password");
  const auto password = task.password->find(spec.password->key);
  if (password == task.password->end() || trim(password->second).empty())
    return bad("SecretKeyMissing",
               fmt::format("Secret {}/{} has no entry {}, or an empty one: it is the password of "
                           "the repositories",
                           task.ns, spec.password->name, holdfast::quoted(spec.password->key)));
  if (!spec.credential) return std::nullopt;
  if (const Result<blob::S3Key> key = blob::key_in(*task.credential); !key)
    return bad("SecretKeyMissing",
               fmt::format("Secret {}/{}: {}: it needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
                           task.ns, spec.credential->name, key.error().what()));
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

Trial try_bucket(const TrialTask& task) {
  const SystemClock clock;
  SystemRandom random;
  const BackupLocation::S3& s3 = *task.spec.s3;
  const Deadline deadline;
  blob::OpenOptions options{
      false, {clock, random, sleep_until_stopped(), deadline.token()}, {}, {}};
  options.retry.give_up = 0ms;
  options.s3.region = s3.region;
  if (s3.force_path_style) options.s3.addressing = blob::Addressing::Path;
  options.s3.sources.given = *blob::key_in(*task.credential);
  options.s3.ca = s3.ca_bundle;
  const std::string where = fmt::format("bucket {} of {}", s3.bucket,
                                        s3.endpoint.empty() ? "Amazon, " + s3.region : s3.endpoint);
  const Result<blob::Location> place = blob::parse_location(repository_of(task.spec, task.ns));
  if (!place) return bad("InvalidSpec", fmt::format("{}: {}", where, told(place.error())));
  const auto store = blob::open_store(*place, options);
  if (!store) return bad("InvalidSpec", fmt::format("{}: {}", where, told(store.error())));
  // A name that nobody has: one page, whatever lies in the bucket.
  const Result<void> listed = (*store)->list("holdfast-is-it-there/", [](const blob::Info&) {});
  if (listed) return {"Answers", where + " answers", true};
  if (deadline.passed())
    return bad("Unreachable",
               fmt::format("{}: no answer within {} s: check spec.s3.endpoint and the network",
                           where, kLongest.count()));
  std::string message = fmt::format("{}: {}", where, told(listed.error()));
  if (listed.error().fault() == Fault::Denied)
    message += fmt::format("; the key is in Secret {}/{}", task.ns, task.spec.credential->name);
  return bad(reason_of(listed.error().fault()), std::move(message));
}

Trial try_folder(const TrialTask& task) {
  const std::string& path = task.spec.file->path;
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

Trial try_location(const TrialTask& task) {
  if (std::optional<Trial> missing = missing_secret(task)) return *std::move(missing);
  return task.spec.file ? try_folder(task) : try_bucket(task);
}

}  // namespace holdfast::protect
