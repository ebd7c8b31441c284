// The driver of volume groups: its kinds, its controllers, and what they reach outside the server.
#include <holdfast/drivers/volumegroup/driver.h>
#include <holdfast/protect/cut/window_limit.h>

#include "controllers.h"

namespace holdfast::drivers::volumegroup {
namespace {

std::vector<control::ControllerSpec> controllers(const protect::DriverSettings& settings,
                                                 const std::function<protect::Outside()>& outside) {
  const GroupSettings groups{.admin_namespaces = settings.admin_namespaces,
                             .image = settings.movers.image,
                             .command = settings.movers.command,
                             .window_limit = protect::window_limit(settings)};
  return {action_controller(groups, outside), group_controller(groups)};
}

}  // namespace

protect::Driver driver() {
  return {.name = "volumegroup",
          .definitions = definitions(),
          .controllers = controllers,
          .settings = {protect::window_limit_setting()},
          .admin_namespaces = {"longhorn-system"}};
}

}  // namespace holdfast::drivers::volumegroup
