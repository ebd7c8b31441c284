/// `holdfast group logs`: what happened to an action, and what its movers say.
#pragma once

#include "objects/server.h"

#include <string>

namespace holdfast::cli {

Result<int> show_action_logs(const ServerChoice& choice, const std::string& name, int64_t tail);

}  // namespace holdfast::cli
