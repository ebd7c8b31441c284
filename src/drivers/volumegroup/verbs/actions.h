/// Groups of volumes and their actions as the server has them, what is said when they are not
/// there, and how they are asked for something.
#pragma once

#include <holdfast/cli/runs.h>
#include <holdfast/drivers/volumegroup/volume_group_action.h>

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace holdfast::drivers::volumegroup {

namespace codes = cli::codes;
using cli::Server;
using cli::ServerChoice;

using FoundAction = cli::Found<VolumeGroupAction>;

inline constexpr const char* kDescribe = "holdfast group describe";
inline constexpr const char* kList = "holdfast group list";

const kube::Resource& actions();

/// NotFound names those that are there.
Result<model::Value> read_group(Server& server, const std::string& name);
Result<FoundAction> read_action(Server& server, const std::string& name);
/// The newest first; of one group, or with "" of all.
Result<std::vector<FoundAction>> list_actions(Server& server, const std::string& ns,
                                              const std::string& group);

/// By a label on the group: the name of the action that is made for it. Nothing: told to stop.
Result<std::optional<std::string>> ask_group(Server& server, const std::string& group,
                                             GroupAction action, const std::stop_token& stop);
/// Sets the label `revert` or `restore` on that very action, and with `restore` what is wished of
/// it.
Result<void> ask_action(Server& server, const FoundAction& found, std::string_view label,
                        const std::optional<VolumeGroupAction::Restore>& restore);
/// Waits until it is gone; with `with_backup` its backup leaves the repository too.
Result<void> delete_action(Server& server, const FoundAction& found, bool with_backup);

}  // namespace holdfast::drivers::volumegroup
