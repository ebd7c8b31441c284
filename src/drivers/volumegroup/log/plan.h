/// Logs of servers: kept beside their cuts, and restored before the cuts are used. Pure.
#pragma once

#include <holdfast/control/outcome.h>

#include "action/plan.h"

namespace holdfast::drivers::volumegroup {

/// Writes down what sessions said: each log is one more cut of the claim that it is on.
void expect_logs(const ActionSeen& seen, const protect::WindowResult& window,
                 VolumeGroupAction::Status& status);
/// Nothing when they are kept, or are known not to be.
std::optional<control::Outcome> keep_logs(const ActionSeen& seen);
/// Why a log was not cut; empty if all were.
std::string log_cut_error(const ActionSeen& seen);
/// Which cuts a check was of.
std::string log_cuts(const ActionSeen& seen);

bool logs_are_back(const ActionSeen& seen);
/// Why they cannot be put back.
std::optional<Refusal> log_trouble(const ActionSeen& seen);
/// Nothing when they are, and what was made for it is gone.
std::optional<control::Outcome> put_logs_back(const ActionSeen& seen,
                                              const GroupSettings& settings);

}  // namespace holdfast::drivers::volumegroup
