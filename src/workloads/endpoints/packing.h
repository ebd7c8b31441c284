/// Packing of a Service's endpoints into slices: what is there stays where it is, gaps are filled,
/// and only then are new slices made.
#pragma once

#include "endpoints/service.h"

namespace holdfast::workloads::endpoints {

struct PackedSlice {
  kube::Cached object{};  ///< none: to be created
  model::Array ports{}, endpoints{};
  bool changed = false;
};

struct Packing {
  std::vector<PackedSlice> slices{};
  std::vector<kube::Cached> surplus{};
};

/// For one address family. A Service without endpoints keeps one empty slice, so that clients can
/// tell "none" from "not yet".
Packing pack(const Service& service, const std::vector<Backend>& pods,
             const std::vector<kube::Cached>& slices, std::string_view family);

}  // namespace holdfast::workloads::endpoints
