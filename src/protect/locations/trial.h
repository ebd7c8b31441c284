/// Trial of a location: what its Secrets hold, and what it answers when it is asked.
#pragma once

#include <holdfast/blob/credentials.h>
#include <holdfast/protect/ask_bucket.h>

#include "locations/plan.h"

#include <map>
#include <string>

namespace holdfast::protect {

/// The entries of a Secret; nothing if there is none.
using SecretEntries = std::optional<std::map<std::string, std::string>>;

/// What a trial needs of the Secrets.
struct OpenedSecrets {
  std::optional<Trial> missing{};  ///< they do not hold what they must; they are named, never shown
  blob::S3Key key{};               ///< the bucket's; of the password nothing is kept
};
OpenedSecrets open_secrets(const std::string& ns, const BackupLocation::Spec& spec,
                           const SecretEntries& credential, const SecretEntries& password);

/// Whether the bucket answers, or the folder is there, or can be made if nothing was in it yet. To
/// others than administrators a service that is no bucket's says nothing: the operator asks from
/// where they cannot.
Trial try_location(const LocationLook& seen, const OpenedSecrets& secrets, const AskBucket& ask);

}  // namespace holdfast::protect
