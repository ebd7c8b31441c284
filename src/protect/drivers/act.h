/// The writes of the controller of Driver objects.
#pragma once

#include "drivers/plan.h"

namespace holdfast::protect {

control::Write make_record(const std::string& name);
control::Write report(const DriverSeen& seen, DriverRecord::Status status);

}  // namespace holdfast::protect
