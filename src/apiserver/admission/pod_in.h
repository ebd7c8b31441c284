/// The pod that an object is or makes, which several plugins judge.
#pragma once

#include "kinds/resource.h"

#include <optional>

namespace holdfast::apiserver {

/// Both borrow from the object; never null. A part that is not there is an empty object.
struct PodIn {
  const model::Value* metadata;
  const model::Value* spec;
  bool is_template;
};

/// Of an object that is a pod.
PodIn pod_of(const model::Value& pod);
/// Nothing for a kind that makes no pods, and for one that leaves its template out.
std::optional<PodIn> pod_in(const model::Value& object, const Resource& resource);

}  // namespace holdfast::apiserver
