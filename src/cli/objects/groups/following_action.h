/// An action watched until what was asked of it is over: one line on a terminal that is written
/// over, lines where there is none.
#pragma once

#include "objects/groups/action_view.h"

#include <stop_token>
#include <string>

namespace holdfast::cli {

/// How it ended, with the object as it was then; NotFound if it was deleted meanwhile. Nothing:
/// told to stop.
Result<std::optional<FoundAction>> follow_action(Server& server, const std::string& name,
                                                 const ActionGoal& goal,
                                                 const std::stop_token& stop);

/// What `-o` says of commands that follow.
Result<bool> wants_json(const std::string& output);

/// Follows, says how it ended, and gives the exit code; the object itself with `json`.
Result<int> see_to_the_end(Server& server, const std::string& name, const ActionGoal& goal,
                           bool json);

}  // namespace holdfast::cli
