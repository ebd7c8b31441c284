/// An action on a group as people follow it: where it stands, and how it ended.
#pragma once

#include "objects/groups/group_access.h"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::cli {

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

/// Of a backup: what its claims hold; nothing where that is not known.
std::optional<uint64_t> bytes_of(const VolumeGroupAction& action);

struct ActionEnd {
  int code = 0;  ///< 0 done, 1 failed, 3 done, but less consistent than the group asks for
  std::string said{};
  std::string next{};  ///< what to do about it, or the next command
};
ActionEnd end_of(const FoundAction& found, const ActionGoal& goal);

/// What to do about a reason; "" where the message says it all.
std::string advice_for(std::string_view reason, const FoundAction& found);

/// NAME GROUP ACTION STATE CONSISTENCY SIZE AGE
std::vector<std::string> action_row(const FoundAction& found, WallTime now);

}  // namespace holdfast::cli
