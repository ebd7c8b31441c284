/// A data move watched until it ends: one line on a terminal that is written over, lines where
/// there is none, or lines of JSON.
#pragma once

#include "objects/moves/move_view.h"
#include "objects/server.h"

#include <stop_token>
#include <string>

namespace holdfast::cli {

struct Following {
  bool json = false;
  bool cancel_is_good = false;  ///< who asked for the cancel has what they wanted
};

/// The exit code: 0 Completed, 1 Failed, canceled, gone or not to be seen, 130 told to stop.
int follow_move(Server& server, const std::string& name, const Following& style,
                const std::stop_token& stop);

/// What Ctrl-C says: the move goes on.
std::string goes_on(const std::string& name);

}  // namespace holdfast::cli
