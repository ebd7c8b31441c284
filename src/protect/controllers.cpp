#include <holdfast/protect/controllers.h>

#include "leftovers/old_roles.h"
#include "locations/controller.h"
#include "moves/controller.h"
#include "repositories/controller.h"

namespace holdfast::protect {

std::vector<control::ControllerSpec> controllers(const MoverSettings& settings,
                                                 const std::function<Outside()>& outside) {
  return {location_controller(settings, outside), move_controller(settings), old_roles_controller(),
          enrolment_controller(), repository_controller(settings)};
}

}  // namespace holdfast::protect
