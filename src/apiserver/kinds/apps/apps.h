/// The rules of the kinds that keep copies of a pod running.
#pragma once

#include "kinds/pod/pod.h"
#include "kinds/rules.h"

namespace holdfast::apiserver::apps {

extern const KindRules kReplicationController;
extern const KindRules kDeployment;
extern const KindRules kReplicaSet;
extern const KindRules kStatefulSet;
extern const KindRules kDaemonSet;
extern const KindRules kControllerRevision;

}  // namespace holdfast::apiserver::apps
