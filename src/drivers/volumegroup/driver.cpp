// The driver of volume groups: its kinds, its controllers, and what they reach outside the server.
#include <holdfast/base/text.h>
#include <holdfast/drivers/volumegroup/driver.h>
#include <holdfast/model/time.h>

#include "controllers.h"

#include <fmt/format.h>

#include <optional>

namespace holdfast::drivers::volumegroup {
namespace {

using namespace std::chrono_literals;

constexpr const char* kWindowLimit = "window-limit";

Result<std::chrono::milliseconds> read_window_limit(std::string_view text) {
  const std::optional<std::chrono::nanoseconds> read = model::parse_duration(text);
  if (!read || *read < 1s || *read > 8s)
    return Error(Fault::Invalid, fmt::format("{} is no duration from 1s to 8s", quoted(text)));
  return std::chrono::duration_cast<std::chrono::milliseconds>(*read);
}

std::vector<control::ControllerSpec> controllers(const protect::DriverSettings& settings,
                                                 const std::function<protect::Outside()>& outside) {
  GroupSettings groups{.admin_namespaces = settings.admin_namespaces,
                       .image = settings.movers.image,
                       .command = settings.movers.command};
  if (const auto chosen = settings.own.find(kWindowLimit); chosen != settings.own.end())
    if (const auto limit = read_window_limit(chosen->second)) groups.window_limit = *limit;
  return {action_controller(groups, outside), group_controller(groups)};
}

}  // namespace

protect::Driver driver() {
  return {
      .name = "volumegroup",
      .definitions = definitions(),
      .controllers = controllers,
      .settings = {{.name = kWindowLimit,
                    .doc = "latest time after the start of a window at which a cut is requested",
                    .standard = "8s",
                    .check = [](std::string_view value) -> Result<void> {
                      HF_TRY(read_window_limit(value));
                      return ok();
                    }}},
      .admin_namespaces = {"longhorn-system"}};
}

}  // namespace holdfast::drivers::volumegroup
