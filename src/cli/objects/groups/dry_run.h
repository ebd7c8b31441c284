/// What an action would do, asked of the operator itself; and actions that go.
#pragma once

#include "objects/groups/group_access.h"

#include <string>

namespace holdfast::cli {

/// With the object its backup is to leave the repository.
Result<void> let_backup_go(Server& server, const FoundAction& found);

/// Waits until the object is gone; what it holds on to goes first.
Result<void> delete_action(Server& server, const std::string& name, const std::string& uid);

/// `action` is snapshot or backup. The exit code.
Result<int> show_dry_run(Server& server, const std::string& group, const std::string& action);

}  // namespace holdfast::cli
