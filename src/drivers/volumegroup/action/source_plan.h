/// Plan of an action with spec.source, for a backup known from its repository alone: its catalogue
/// is searched for, and then it can be restored like one that was made here. Pure.
#pragma once

#include <holdfast/control/outcome.h>

#include "action/seen.h"

namespace holdfast::drivers::volumegroup {

control::Outcome plan_source(const ActionSeen& seen, const GroupSettings& settings);
/// Name of the repository that is searched, and the namespace whose data it holds.
std::string source_repository(const ActionSeen& seen);
std::string source_ns(const ActionSeen& seen);
std::string search_name(const ActionSeen& seen);

}  // namespace holdfast::drivers::volumegroup
