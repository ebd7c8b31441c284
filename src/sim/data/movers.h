/// Movers of data moves: what `protect` runs in its pods, done to this world's volumes and, through
/// the network, to its bucket. A repository there has one object for each snapshot, which is put
/// last, and one for its data.
///
/// How a mover ends its attempt may be said by the move's annotation sim.holdfast.dev/exit: "1,0"
/// by the number of attempts, "" = it runs until it is deleted. Where that is 0, or nothing, it
/// does its work.
///
/// What a pod prints comes by a stream, which may be cut, with a trailer that may not. The oracle
/// `whole`: a move that is Completed has kept all of it.
#pragma once

#include <holdfast/blob/store.h>

#include "data/volumes.h"
#include "operators/network.h"
#include "world/server.h"

#include <memory>

namespace holdfast::sim {

/// On what belongs to a move: its uid.
inline constexpr std::string_view kMoveLabel = "holdfast.dev/data-move";

/// What the bucket holds under the id of a snapshot, in whichever repository; "" if none.
std::string saved_data(blob::Store& bucket, const std::string& snapshot_id);

/// A bucket that changes what was put into it, once its writer has looked: on a BackupLocation.
inline constexpr std::string_view kForges = "sim.holdfast.dev/forges";

/// `server` hears what movers write into the status of their moves, by the mover's own account.
std::unique_ptr<DriverPart> make_movers(Server& server, History& history, Network& network,
                                        const Clock& clock, Volumes& volumes);

}  // namespace holdfast::sim
