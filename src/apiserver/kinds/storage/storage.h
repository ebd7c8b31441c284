/// The rules of storage.k8s.io.
#pragma once

#include "kinds/place.h"
#include "kinds/rules.h"

namespace holdfast::apiserver::storage {

extern const KindRules kStorageClass;
extern const KindRules kVolumeAttributesClass;
extern const KindRules kCsiDriver;
extern const KindRules kCsiNode;
extern const KindRules kCsiStorageCapacity;
extern const KindRules kVolumeAttachment;

/// What a CSI driver may be called.
void check_driver_name(const Place& name);
const model::Value& member(const model::Value& object, std::string_view name);  ///< null if absent

}  // namespace holdfast::apiserver::storage
