/// Follows an action until its run, revert or restore ends.
#pragma once

#include "action_view.h"

#include <optional>
#include <stop_token>
#include <string>

namespace holdfast::drivers::volumegroup {

/// The action as it was when it was over; NotFound if it was deleted meanwhile. Nothing: told to
/// stop.
Result<std::optional<FoundAction>> follow_action(Server& server, const std::string& name,
                                                 const ActionGoal& goal,
                                                 const std::stop_token& stop);

/// Follows, says how it ended, and gives the exit code; the object itself with `json`.
Result<int> see_to_the_end(Server& server, const std::string& name, const ActionGoal& goal,
                           bool json);

}  // namespace holdfast::drivers::volumegroup
