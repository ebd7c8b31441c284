// The list of drivers: each is one folder here and one line below.
#include <holdfast/drivers/drivers.h>

#include "volumegroup/controllers.h"

namespace holdfast::drivers {

std::vector<model::Value> definitions() { return volumegroup::definitions(); }

std::vector<control::ControllerSpec> controllers(const Settings& settings,
                                                 const std::function<Outside()>& outside) {
  const volumegroup::GroupSettings groups{.admin_namespaces = settings.admin_namespaces,
                                          .image = settings.movers.image,
                                          .command = settings.movers.command};
  return {volumegroup::action_controller(
              groups,
              [outside] {
                Outside to = outside();
                return volumegroup::Surroundings{
                    to.client,  to.exec,
                    to.clock,   std::move(to.sleep),
                    to.metrics, std::make_shared<volumegroup::ServedGroupKinds>(to.client)};
              }),
          volumegroup::group_controller(groups)};
}

}  // namespace holdfast::drivers
