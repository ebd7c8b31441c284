/// Groups of volumes and their actions as the server has them, and what is said when they are not
/// there.
#pragma once

#include <holdfast/drivers/volume_group_action.h>

#include "objects/server.h"

#include <string>
#include <vector>

namespace holdfast::cli {

using drivers::volumegroup::GroupAction;
using drivers::volumegroup::VolumeGroup;
using drivers::volumegroup::VolumeGroupAction;

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

/// What the server refused, as an error about `doing`.
Error error_of(const kube::Failure& failure, std::string_view doing);

/// Says it on standard error. 2 what was typed is wrong, 10 not found, 12 denied, 1 otherwise.
int end_with(const Error& error);

/// Of people who stop watching.
inline constexpr int kInterruptedCode = 130;

}  // namespace holdfast::cli
