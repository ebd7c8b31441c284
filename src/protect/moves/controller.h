/// The controller of DataMoves.
#pragma once

#include <holdfast/protect/controllers.h>

namespace holdfast::protect {

control::ControllerSpec move_controller(const MoverSettings& settings);

}  // namespace holdfast::protect
