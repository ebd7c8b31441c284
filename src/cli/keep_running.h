/// Controllers beside a server: one that cannot run leaves the server serving, and is tried again.
#pragma once

#include <holdfast/base/result.h>

#include <functional>
#include <stop_token>
#include <string_view>

namespace holdfast::cli {

/// Runs `once` until asked to stop or until it ends well; when it fails, that is logged and it is
/// run again after a pause. `what` is for the log: "workload controllers".
void keep_running(std::string_view what, const std::stop_token& stop,
                  const std::function<Result<void>()>& once);

}  // namespace holdfast::cli
