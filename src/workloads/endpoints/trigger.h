/// The annotation last-change-trigger-time: when the change behind a write happened.
#pragma once

#include "endpoints/service.h"

#include <map>

namespace holdfast::workloads::endpoints {

/// Pods that an object shows, by uid, with whether they serve.
using Shown = std::map<std::string, bool, std::less<>>;

/// Sets endpoints.kubernetes.io/last-change-trigger-time to the earliest change of readiness of the
/// pods that `before` and `after` show differently or only one of them shows; with no `before` to
/// the creation of the Service. Nothing of that kind changed: it goes.
void set_trigger(model::Object& annotations, const Service& service,
                 const std::vector<Backend>& pods, const Shown* before, const Shown& after);

}  // namespace holdfast::workloads::endpoints
