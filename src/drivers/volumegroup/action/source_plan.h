/// Plan of an action with spec.source, for a backup known from its repository alone: its catalogue
/// is searched for, and then it can be restored like one that was made here. Pure.
#pragma once

#include <holdfast/control/outcome.h>

#include "action/seen.h"

namespace holdfast::drivers::volumegroup {

control::Outcome plan_source(const ActionSeen& seen, const GroupSettings& settings);
/// The repositories that are searched, one after the other, and the names of the moves.
std::vector<SearchSeen> searches_of(const ActionSeen& seen, const GroupSettings& settings);

}  // namespace holdfast::drivers::volumegroup
