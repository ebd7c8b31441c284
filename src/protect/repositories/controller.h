/// The controllers of Repositories: one makes them, one maintains them.
#pragma once

#include <holdfast/protect/controllers.h>

namespace holdfast::protect {

/// Makes a Repository beside the location of each DataMove that has put something there. It has no
/// owner: deleting a location must not take away what is known of the data that stays in its
/// bucket.
control::ControllerSpec enrolment_controller();
control::ControllerSpec repository_controller(const MoverSettings& settings);

}  // namespace holdfast::protect
