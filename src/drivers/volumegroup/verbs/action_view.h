/// View of an action on a group: its state, and how it ended.
#pragma once

#include "actions.h"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::drivers::volumegroup {

/// What is waited for: the run itself, or a revert or restore.
struct ActionGoal {
  bool restore = false;
  int64_t restores_before = 0;  ///< how many there were when it was asked for
  bool found_first = false;     ///< the restore begins when a repository has been searched
};

bool at_rest(const VolumeGroupAction& action);
bool is_over(const VolumeGroupAction& action, const ActionGoal& goal);

/// "Started  snapshot, 2 of 4": the state and the step under way.
std::string stage_text(const VolumeGroupAction& action);

/// "profile mariadb → cut → …": what is done to the application, in its order.
std::string order_text(const Quiescing& how);

/// Of a backup: what its claims hold; nothing where that is not known.
std::optional<uint64_t> bytes_of(const VolumeGroupAction& action);

/// 0 done, 1 failed, 3 done, but less consistent than the group asks for.
cli::Ending end_of(const FoundAction& found, const ActionGoal& goal);

/// What to do about a reason; "" where the message says it all.
std::string advice_for(std::string_view reason, const FoundAction& found);

/// NAME GROUP ACTION STATE CONSISTENCY SIZE AGE
std::vector<std::string> action_row(const FoundAction& found, WallTime now);

}  // namespace holdfast::drivers::volumegroup
