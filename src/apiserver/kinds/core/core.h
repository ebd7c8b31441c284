/// The rules of the core group's kinds other than pods and what keeps them running.
#pragma once

#include "kinds/rules.h"

namespace holdfast::apiserver::core {

extern const KindRules kNamespace;
extern const KindRules kService;
extern const KindRules kConfigMap;
extern const KindRules kSecret;
extern const KindRules kServiceAccount;
extern const KindRules kPersistentVolumeClaim;
extern const KindRules kPersistentVolume;
extern const KindRules kNode;
extern const KindRules kEvent;
extern const KindRules kNewEvent;  ///< events.k8s.io's form
extern const KindRules kEndpoints;
extern const KindRules kLimitRange;
extern const KindRules kResourceQuota;

}  // namespace holdfast::apiserver::core
