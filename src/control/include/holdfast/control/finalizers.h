/// Finalizers of objects.
#pragma once

#include <holdfast/control/write.h>

namespace holdfast::control {

bool has_finalizer(const kube::Cached& object, std::string_view finalizer);
/// Before any effect that must be undone when the object goes. Decides on the whole list, so two
/// writers cannot lose each other's finalizer.
Write add_finalizer(const kube::Resource& resource, const kube::Cached& seen,
                    std::string_view finalizer);
Write drop_finalizer(const kube::Resource& resource, const kube::Cached& seen,
                     std::string_view finalizer);

}  // namespace holdfast::control
