#include "keep_running.h"

#include <holdfast/base/log.h>
#include <holdfast/base/sleep.h>

#include <fmt/format.h>

namespace holdfast::cli {
namespace {

constexpr std::chrono::milliseconds kPause{2000};

}  // namespace

void keep_running(std::string_view what, const std::stop_token& stop,
                  const std::function<Result<void>()>& once) {
  const Sleep pause = sleep_until_stopped();
  while (!stop.stop_requested()) {
    const Result<void> ended = once();
    if (ended || stop.stop_requested()) return;
    log::error(fmt::format("{}: {} (starting again)", what, ended.error().what()));
    pause(kPause, stop);
  }
}

}  // namespace holdfast::cli
