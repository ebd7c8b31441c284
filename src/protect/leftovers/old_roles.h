/// Removal of the role that movers of earlier releases reported by: it let one account write the
/// status of every DataMove of a namespace.
#pragma once

#include <holdfast/control/reconciler.h>

namespace holdfast::protect {

control::ControllerSpec old_roles_controller();

}  // namespace holdfast::protect
