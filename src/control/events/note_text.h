/// Texts and names of Event objects.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/control/write.h>

namespace holdfast::control {

/// events.k8s.io/v1. Events of objects without a namespace live in `default`.
model::Value new_event(std::string_view controller, std::string_view instance,
                       const kube::Resource& resource, const kube::Cached& about, const Note& note,
                       WallTime now);
/// The same one as core/v1 says it: regarding → involvedObject, note → message.
model::Value as_core_event(const model::Value& event);
model::Value series_patch(int64_t count, WallTime last_seen);
/// The 404 of a group or resource that the server does not have, not of an object.
bool is_unserved(const model::Value& status);

}  // namespace holdfast::control
