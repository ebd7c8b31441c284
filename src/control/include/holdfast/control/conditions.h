/// Conditions and finalizers of objects in JSON form.
#pragma once

#include <holdfast/control/write.h>
#include <holdfast/model/object.h>

#include <optional>

namespace holdfast::control {

/// Puts the condition into object.status.conditions by type; lastTransitionTime moves only with
/// the status. True if anything but times changed.
bool set_condition(model::Value& object, const model::Condition& wanted, WallTime now);
std::optional<model::Condition> find_condition(const model::Value& object, std::string_view type);

bool has_finalizer(const kube::Cached& object, std::string_view finalizer);
/// Before any effect that must be undone when the object goes. Decides on the whole list, so two
/// writers cannot lose each other's finalizer.
Write add_finalizer(const kube::Resource& resource, const kube::Cached& seen,
                    std::string_view finalizer);
Write drop_finalizer(const kube::Resource& resource, const kube::Cached& seen,
                     std::string_view finalizer);

}  // namespace holdfast::control
