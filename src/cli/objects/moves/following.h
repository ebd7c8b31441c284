/// Follows a data move until it ends.
#pragma once

#include <holdfast/cli/server.h>

#include <stop_token>
#include <string>

namespace holdfast::cli {

struct MoveStyle {
  bool json = false;            ///< lines of JSON in place of progress
  bool cancel_is_good = false;  ///< who asked for the cancel has what they wanted
};

/// The exit code: 0 Completed, 1 Failed, canceled, gone or not to be seen, 130 told to stop.
int follow_move(Server& server, const std::string& name, const MoveStyle& style,
                const std::stop_token& stop);

/// What Ctrl-C says: the move goes on.
std::string goes_on(const std::string& name);

}  // namespace holdfast::cli
