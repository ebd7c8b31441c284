/// The EndpointSlices of a Service: one group of slices for each address family and set of ports,
/// at most 100 endpoints in a slice, changed as little as possible.
#pragma once

#include <holdfast/control/outcome.h>

#include "endpoints/service.h"

#include <functional>

namespace holdfast::workloads::endpoints {

inline constexpr std::string_view kServiceName = "kubernetes.io/service-name";
inline constexpr std::string_view kSliceManager = "endpointslice.kubernetes.io/managed-by";
inline constexpr std::string_view kOurSlices = "endpointslice-controller.k8s.io";

struct SlicesSeen {
  Service service{};
  std::vector<Backend> pods{};
  std::vector<kube::Cached> slices{};  ///< of this Service's name and this controller, not going
  std::function<bool(std::string_view name)> name_taken{};
};
/// Pure: the first of the writes that are needed.
control::Outcome plan_slices(const SlicesSeen& seen);

}  // namespace holdfast::workloads::endpoints
