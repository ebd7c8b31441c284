/// The status of a pod as kubelet 1.34 writes it.
#pragma once

#include "pods/machine.h"

#include <string>

namespace holdfast::node {

struct StatusFacts {
  std::string host_ip{}, pod_ip{};
  std::string start_time{};  ///< RFC 3339; "" before the pod was taken up
  WallTime now{};
  MonoTime mono{};
  const model::Value* before =
      nullptr;  ///< the status as last reported: times of conditions that have not changed
};

/// Whole; members that others own (nominated node, conditions of others, QoS) are taken from the
/// object.
model::Value pod_status(const PodMachine& machine, const StatusFacts& facts);

/// Why a container has not begun, in a word: PodInitializing, ErrImagePull, …
std::string waiting_reason(const PodMachine& machine, const ContainerDef& def, MonoTime now);

/// "holdfast://<id>"
std::string container_id(const std::string& id);

}  // namespace holdfast::node
