/// Asking the bucket of a location itself whether it can be used.
#pragma once

#include <holdfast/base/result.h>
#include <holdfast/protect/types.h>

#include <functional>
#include <string>

namespace holdfast::blob {
class Store;
struct S3Key;
}  // namespace holdfast::blob

namespace holdfast::protect {

struct BucketAsked {
  const BackupLocation::S3& s3;
  std::string repository{};  ///< as blob/location.h reads it
  const blob::S3Key& key;
};

struct BucketAnswer {
  bool asked = true;             ///< false: its own words make no request; the error says why
  Result<void> answered = ok();  ///< the fault is what counts
  std::string code{};            ///< the service's own word for why not; "" if it is no bucket's
};

/// One request, no second try, and an end within ten seconds: a worker waits for it.
using AskBucket = std::function<BucketAnswer(const BucketAsked&)>;

/// Over the network, with the machine's own clock.
BucketAnswer ask_bucket(const BucketAsked& asked);

/// The request: for a name that nobody has, so that whatever lies in the bucket it is one page.
Result<void> list_nothing(blob::Store& store);

}  // namespace holdfast::protect
