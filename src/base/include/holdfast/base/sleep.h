/// Sleep: production blocks the thread, a test moves its clock.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

namespace holdfast {

using Sleep = std::function<void(std::chrono::milliseconds, const std::stop_token&)>;

/// Production's: blocks the thread, and ends early when asked to stop.
Sleep sleep_until_stopped();

}  // namespace holdfast
