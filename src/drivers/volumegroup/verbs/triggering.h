/// Requests for actions, made as any user would: by a label on a group or an action, by an action,
/// or by its deletion.
#pragma once

#include "actions.h"

#include <optional>
#include <stop_token>
#include <string>

namespace holdfast::drivers::volumegroup {

/// Sets the label on a group with an id of its own, and waits for the action that is made for it:
/// its name. What somebody else asked for before is waited for, not written over. Nothing: told to
/// stop.
Result<std::optional<std::string>> ask_group(Server& server, const std::string& group,
                                             GroupAction action, const std::stop_token& stop);

/// Sets the label `revert` or `restore` on that very action, and with `restore` what is wished of
/// it.
Result<void> ask_action(Server& server, const FoundAction& found, std::string_view label,
                        const std::optional<VolumeGroupAction::Restore>& restore);

/// Makes an action; `prefix` is of a name that is made up. Its name.
Result<std::string> make_action(Server& server, const VolumeGroupAction& action,
                                const std::string& name, const std::string& prefix,
                                std::string_view label);

/// With the object its backup is to leave the repository.
Result<void> let_backup_go(Server& server, const FoundAction& found);

/// Waits until the object is gone; what it holds on to goes first.
Result<void> delete_action(Server& server, const std::string& name, const std::string& uid);

}  // namespace holdfast::drivers::volumegroup
