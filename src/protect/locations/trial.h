/// Trial of a location: whether it can be used, in bounded time.
#pragma once

#include <holdfast/protect/types.h>

#include "locations/plan.h"

#include <functional>
#include <map>
#include <string>

namespace holdfast::protect {

/// The entries of a Secret; nothing if there is none.
using SecretEntries = std::optional<std::map<std::string, std::string>>;

struct TrialTask {
  std::string ns{};
  BackupLocation::Spec spec{};
  SecretEntries credential{}, password{};
};

/// Whoever asks; tests ask nobody.
using TryLocation = std::function<Trial(const TrialTask&)>;

/// The Secrets hold what they must, and the bucket answers a listing, or the folder is there or can
/// be made. One request, no second try, at most ten seconds: a worker waits for it.
Trial try_location(const TrialTask& task);

}  // namespace holdfast::protect
