// The limit of a window as a setting of a driver: its text read, checked and chosen.
#include <holdfast/base/text.h>
#include <holdfast/model/time.h>
#include <holdfast/protect/cut/window.h>
#include <holdfast/protect/cut/window_limit.h>

#include <fmt/format.h>

#include <optional>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;

constexpr const char* kName = "window-limit";

Result<std::chrono::milliseconds> read_limit(std::string_view text) {
  const std::optional<std::chrono::nanoseconds> read = model::parse_duration(text);
  if (!read || *read < 1s || *read > 8s)
    return Error(Fault::Invalid, fmt::format("{} is no duration from 1s to 8s", quoted(text)));
  return std::chrono::duration_cast<std::chrono::milliseconds>(*read);
}

}  // namespace

DriverSetting window_limit_setting() {
  return {.name = kName,
          .doc = "latest time after the start of a window at which a cut is requested",
          .standard = "8s",
          .check = [](std::string_view value) -> Result<void> {
            HF_TRY(read_limit(value));
            return ok();
          }};
}

std::chrono::milliseconds window_limit(const DriverSettings& settings) {
  if (const auto chosen = settings.own.find(kName); chosen != settings.own.end())
    if (const auto limit = read_limit(chosen->second)) return *limit;
  return WindowTask().limit;
}

}  // namespace holdfast::protect
