/// Load for the two controllers under measurement.
#pragma once

#include <holdfast/base/result.h>

#include <string>

namespace holdfast::bench {

/// Creates pods pod-FROM … pod-(TO-1) in the namespace default, about 3 KB of JSON each.
Result<void> fill(const std::string& kubeconfig, int from, int to);
/// Writes the monotonic time into an annotation of one pod after the other, five ms apart.
Result<void> stamp(const std::string& kubeconfig, int count);

}  // namespace holdfast::bench
