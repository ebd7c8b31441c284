/// Groups of volumes and their actions as the server has them, and what is said when they are not
/// there.
#pragma once

#include <holdfast/cli/ending.h>
#include <holdfast/cli/server.h>
#include <holdfast/drivers/volumegroup/volume_group_action.h>

#include <string>
#include <vector>

namespace holdfast::drivers::volumegroup {

namespace codes = cli::codes;
using cli::error_of;
using cli::Server;
using cli::ServerChoice;

struct FoundAction {
  model::Value object{};
  VolumeGroupAction action{};
  std::string ns{}, name{}, uid{};
};

Result<FoundAction> to_action(model::Value object);

/// NotFound names those that are there.
Result<model::Value> read_group(Server& server, const std::string& name);
Result<FoundAction> read_action(Server& server, const std::string& name);
/// The newest first; of one group, or with "" of all.
Result<std::vector<FoundAction>> list_actions(Server& server, const std::string& ns,
                                              const std::string& group);

}  // namespace holdfast::drivers::volumegroup
