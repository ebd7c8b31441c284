/// Plan of a revert or restore: new volumes are filled and proven beside what lives, and only then
/// take its place. What they replace is kept as volumes of their own.
#pragma once

#include "action/plan.h"

namespace holdfast::drivers::volumegroup {

/// Writes down what is asked for.
control::Outcome begin_restore(const ActionSeen& seen);
/// Nothing when every claim is there and bound.
std::optional<control::Outcome> plan_restore(const ActionSeen& seen, const GroupSettings& settings);
control::Outcome complete_restore(const ActionSeen& seen);
/// Before the action goes: a claim whose switch has begun comes back. Nothing if that is done.
std::optional<control::Outcome> finish_switch(const ActionSeen& seen);
/// Removes what a restore that failed has made so far. Nothing if that is done.
std::optional<control::Outcome> clear_restore(const ActionSeen& seen);

}  // namespace holdfast::drivers::volumegroup
