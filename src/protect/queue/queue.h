/// Queue of the moves of one location: who has a place among its movers, and who may begin next.
/// Pure but for `queue_of`.
///
/// A place is held by a Mover. Moves of the location's own namespace and of administrators' have as
/// many places as those of all other namespaces together, so that no tenant keeps them waiting.
#pragma once

#include <holdfast/control/reconciler.h>
#include <holdfast/control/refusal.h>
#include <holdfast/protect/controllers.h>

#include "locations/location_seen.h"

#include <string>
#include <vector>

namespace holdfast::protect {

/// DataMoves that are accepted and not over, by NAMESPACE/NAME of their location.
inline constexpr std::string_view kByLocation = "location-in-use";
kube::IndexFunction by_location();

struct InQueue {
  kube::Key key{};
  std::string uid{}, repository{};
  bool own = false;
  WallTime since{};
};

struct Queue {
  BackupLocation::Limits limits{};
  std::string location{};          ///< NAMESPACE/NAME
  std::vector<InQueue> working{};  ///< by their uid; they have a place
  std::vector<InQueue> waiting{};  ///< the oldest first
};

/// Those that may begin now, in this order.
std::vector<kube::Key> may_begin(const Queue& queue);
/// Why that one has to wait; no reason if it may begin.
control::Refusal must_wait(const Queue& queue, const kube::Key& move);

/// `movers` are of the location's namespace, `moves` those that use it. One that works is known by
/// its Mover and by its phase: of two caches one may be behind.
Queue queue_of(const LocationSeen& location, const std::vector<kube::Cached>& movers,
               const std::vector<kube::Cached>& moves, const MoverSettings& settings);

}  // namespace holdfast::protect
