/// The judge: compares what clients were told before a kill with what the server says after it.
///
/// The restarted server's own history (a watch from before the load) is the reference. It must be
/// well formed, hold every acknowledged write at its revision, nothing that nobody asked for, and
/// lead from the state before the load to the state now. Whatever a client read must be in it:
/// what is missing there was shown before it was durable.
#pragma once

#include <holdfast/base/result.h>
#include <holdfast/net/client.h>

#include "kill/world.h"
#include "kill/writer.h"

#include <memory>
#include <string>
#include <vector>

namespace holdfast::campaign {

using Defects = std::vector<std::string>;

struct History {
  const Kind& kind;
  Listing before = {};              ///< the state it starts from
  std::vector<Event> events = {};   ///< up to and with the sentinel's
  Listing after = {};               ///< the state now
  std::vector<Listing> lists = {};  ///< read while writes were going on
};

/// The events after `from`, up to and with the one of revision `last`.
Result<std::vector<Event>> read_history(net::Client& client, const Kind& kind, int64_t from,
                                        int64_t last);

/// Each event follows from the one before it, and lists show states that the history went through.
void check_sequence(const History& history, Defects& defects);

struct Tally {
  size_t acknowledged = 0;
  size_t in_doubt = 0;
  size_t landed = 0;  ///< of those in doubt
};
/// Every acknowledged write is in the history, and every event there was asked for.
Tally check_writes(const History& history, const std::vector<std::unique_ptr<Writer>>& writers,
                   Defects& defects);

/// A watch got exactly these events, in this order.
void check_watch(const std::string& who, const std::vector<const Event*>& expected,
                 const std::vector<std::string>& got, Defects& defects);

}  // namespace holdfast::campaign
