/// The makers of the controllers; the list in workloads.cpp names them.
#pragma once

#include <holdfast/control/reconciler.h>

namespace holdfast::workloads {

control::ControllerSpec replicaset_controller();
control::ControllerSpec statefulset_controller();
control::ControllerSpec deployment_controller();
control::ControllerSpec job_controller();
control::ControllerSpec ttl_after_finished_controller();
control::ControllerSpec endpoints_controller();
control::ControllerSpec endpointslice_controller();

}  // namespace holdfast::workloads
