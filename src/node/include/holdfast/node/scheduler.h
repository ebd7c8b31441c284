/// kube-scheduler's part for the embedded server: pending pods are bound to a node that fits them.
#pragma once

#include <holdfast/control/reconciler.h>

namespace holdfast::node {

/// For pods of `default-scheduler`. Honours nodeName, nodeSelector, required node affinity, taints,
/// scheduling gates, and claims: bound volumes' affinity, and those that wait for their first
/// consumer. It does not weigh nodes.
control::ControllerSpec scheduler();

}  // namespace holdfast::node
