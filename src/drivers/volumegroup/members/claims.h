/// Claims, volumes and pods, as far as a group needs them.
#pragma once

#include <holdfast/drivers/volumegroup/volume_group_run.h>

namespace holdfast::drivers::volumegroup {

inline constexpr kube::Resource kDaemonSets{"apps", "v1", "daemonsets", "DaemonSet"};

/// Names of the claims that a pod has as volumes, generic ephemeral ones among them.
std::vector<std::string> claims_of(const model::Value& pod);
std::vector<std::string> container_names(const model::Value& pod);
bool has_container(const model::Value& pod, std::string_view name);
/// With the container named, or the one that `kubectl exec` would take.
PodRecord pod_record(const kube::Cached& pod, const std::string& container);
ClaimRecord claim_record(const model::Value& claim, const model::Value& volume);

/// Takes off what a claim carries for its controllers' sake.
void drop_marks(ClaimRecord& claim);

/// A snapshot of this volume is of one instant; local volumes that are copied file by file are not.
bool is_cut_at_once(const ClaimRecord& claim);
/// Longhorn cuts the volumes of a group one after the other, whatever the specification says.
bool cuts_groups_at_once(std::string_view driver);

}  // namespace holdfast::drivers::volumegroup
