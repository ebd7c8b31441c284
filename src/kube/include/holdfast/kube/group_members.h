/// Members of a group snapshot: which snapshot is of which volume. Drivers and releases of
/// snapshot-controller tell it in different places.
#pragma once

#include <holdfast/model/object.h>

#include <map>
#include <string>

namespace holdfast::kube {

/// Of a VolumeGroupSnapshotContent, in any version: volume handles by snapshot handle.
std::map<std::string, std::string> volumes_told(const model::Value& group_content);

/// Name of the content of a VolumeSnapshot; "" while it has none.
std::string content_of(const model::Value& snapshot);

/// Handle of the volume that a VolumeSnapshotContent is a snapshot of; "" while nobody says.
std::string volume_of(const model::Value& content, const std::map<std::string, std::string>& told);

/// Whether the content belongs to that snapshot: what a snapshot says of itself, whoever may write
/// it in a namespace may say.
bool is_bound_to(const model::Value& content, const model::Value& snapshot);

}  // namespace holdfast::kube
