/// A bucket of any S3 service.
#pragma once

#include <holdfast/blob/around.h>
#include <holdfast/blob/credentials.h>
#include <holdfast/blob/store.h>

#include <atomic>
#include <functional>
#include <memory>

namespace holdfast::blob {

/// Whether the bucket stands in the path or in the host name. Auto: in the host name for Amazon's
/// own services, whose certificates allow it, else in the path.
enum class Addressing { Auto, Path, HostName };

struct S3Settings {
  std::string endpoint{};  ///< "https://s3.eu-central-1.amazonaws.com"; plain http is allowed
  std::string region{};    ///< "" = us-east-1
  std::string bucket{}, prefix{};
  Addressing addressing = Addressing::Auto;
  std::string ca{};  ///< PEM, besides the system's
  std::string proxy{};
  bool insecure = false;  ///< believes any certificate
  /// Asked before each request is signed, so that rotated credentials are picked up.
  Credentials credentials{};
  /// A key that was right and is no longer: another one is waited for so long. Mounted Secrets
  /// follow their objects a minute or two behind.
  std::chrono::seconds key_patience{0};
  bool create_bucket = false;
  uint64_t multipart_above = uint64_t{200} << 20;  ///< larger blobs go in parts
  uint64_t part_size = uint64_t{64} << 20;         ///< services refuse less than 5 MiB
  int connections = 8;                             ///< of one listing
  std::chrono::seconds stall{120};                 ///< no byte moved for so long is a failure
  RetryPolicy retry{};
  /// Bodies flow evenly at these rates; `operations` are requests at once. Null = no limits.
  std::shared_ptr<const Limits> limits{};
  /// Hears the service's own code of each refusal; "" where the answer is none of a bucket's.
  std::function<void(const std::string& code)> refused{};
  /// Counts the bytes of bodies as they flow, long before a large one has arrived.
  std::shared_ptr<std::atomic<uint64_t>> flown{};
};

/// What a person can do about a service's code: a text of ours, whatever the service says beside
/// it. "" for a code that nobody knows.
std::string hint_of(std::string_view code);

/// Every request is signed with the hash of its payload: a service that checks it refuses a damaged
/// upload. Retries are made within, request by request, so that a listing of a thousand pages goes
/// on where it was; `retrying` around it is not needed.
///
/// Whether the service keeps a second writer from overwriting is found out when it is first asked
/// for (by abilities() or an exclusive put), with two small puts of a name that nobody else uses;
/// never assumed. Where it does not, an exclusive put looks first and writes then.
///
/// Errors name verb, key, bucket and the service's own code and message. Denied comes with a hint
/// about what to change: key, secret, session, region or clock.
Result<std::unique_ptr<Store>> s3_store(S3Settings settings, Waiting waiting);

}  // namespace holdfast::blob
