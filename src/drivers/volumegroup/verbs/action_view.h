/// View of an action on a group: its state, how it ended, and the plans of destructive commands.
#pragma once

#include <holdfast/cli/cuts.h>

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

/// 0 done, 1 failed, 3 done, but less consistent than the group asks for.
cli::Ending end_of(const FoundAction& found, const ActionGoal& goal);

/// How it is followed to that goal.
cli::Run run_of(Server& server, const std::string& name, const ActionGoal& goal);

/// Of a group; of an action that brings a backup back, of the one that was backed up.
const std::string& group_of(const VolumeGroupAction& action);
/// NAME GROUP ACTION STATE CONSISTENCY SIZE AGE
std::vector<std::string> action_row(const FoundAction& found, WallTime now);

std::string revert_plan(const FoundAction& found, const cli::VolumeOf& volume_of);
std::string replace_plan(const FoundAction& found, const std::string& into,
                         const cli::VolumeOf& volume_of);
/// `with_backup`: also what lies in the repository.
std::string delete_plan(const FoundAction& found, bool with_backup);

}  // namespace holdfast::drivers::volumegroup
