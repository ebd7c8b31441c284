/// The makers of the controllers; volumes.cpp lists them.
#pragma once

#include <holdfast/control/reconciler.h>
#include <holdfast/kube/group_kinds.h>

#include "provider/store.h"

#include <memory>
#include <string>

namespace holdfast::volumes {

/// What the controllers that touch the machine share.
struct Local {
  std::string node{};  ///< as kubernetes.io/hostname has it
  std::shared_ptr<Store> store{};
  std::string trouble{};     ///< with the folder, that a person should know of; "" if none
  kube::GroupKinds kinds{};  ///< in the version that the server has
};

control::ControllerSpec binding_controller();
control::ControllerSpec phases_controller();
control::ControllerSpec provisioning_controller(const Local& local);
control::ControllerSpec reclaiming_controller(const Local& local);
control::ControllerSpec snapshots_controller(const kube::GroupKinds& kinds);
control::ControllerSpec contents_controller(const Local& local);
control::ControllerSpec groups_controller(const kube::GroupKinds& kinds);
control::ControllerSpec group_contents_controller(const Local& local);

}  // namespace holdfast::volumes
