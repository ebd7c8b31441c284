/// Knowledge of a repository in a location, as its Repository keeps it.
#pragma once

#include <holdfast/control/reconciler.h>

#include "locations/location_seen.h"

#include <string>

namespace holdfast::protect {

/// Repositories by LOCATION/NAME.
inline constexpr std::string_view kByPlace = "place";

struct KnownRepository {
  std::string id{};          ///< of the repository; "" = not known
  bool is_kept = false;      ///< something was there already, so there is nothing to begin
  bool is_given_up = false;  ///< somebody has said that it is gone for good
  bool may_init() const { return id.empty() && (!is_kept || is_given_up); }
};

kube::IndexFunction by_place();
/// The pass must watch Repositories, with that index.
KnownRepository known_repository(control::Pass& pass, const LocationSeen& location,
                                 const std::string& name);

/// On Repositories that were made for what a move had left: tells apart those whose names would be
/// the same, location a-b of namespace c, and location a of namespace b-c.
inline constexpr std::string_view kRepositoryOf = "holdfast.dev/repository-of";

}  // namespace holdfast::protect
