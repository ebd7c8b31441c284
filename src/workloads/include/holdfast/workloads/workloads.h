/// The workload controllers of kube-controller-manager, for the embedded API server: a cluster runs
/// its own. What they write is what the real ones of 1.34 write.
#pragma once

#include <holdfast/control/reconciler.h>

#include <string_view>
#include <vector>

namespace holdfast::workloads {

/// Every controller of this room, under kube-controller-manager's name.
std::vector<std::string_view> known();

/// Those that a `--controllers` text switches on: `*`, `NAME`, `-NAME`, comma-separated, the old
/// short names too. Names of other controllers are passed over: the API server has the whole list
/// and refuses what nobody knows.
std::vector<control::ControllerSpec> controllers(std::string_view list);

}  // namespace holdfast::workloads
