/// The end of a run in a form that can be compared with the end of another: without what differs
/// by chance (uids, versions, times, addresses, nodes, drawn name parts).
#pragma once

#include <holdfast/sim/history.h>

#include <map>
#include <string>

namespace holdfast::sim {

/// One object, as text.
std::string normal(const model::Value& object);

/// One line per object, sorted.
std::string end_state(const History& history);

/// How often something was created and deleted, by resource and by whose it is:
/// "create pods of StatefulSet db" → 5. Counts from the commit number `from` on.
std::map<std::string, int64_t> counts(const History& history, size_t from);

}  // namespace holdfast::sim
