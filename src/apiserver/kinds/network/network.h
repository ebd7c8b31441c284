/// The rules of networking.k8s.io, of endpoint slices and of autoscalers.
#pragma once

#include "kinds/rules.h"

namespace holdfast::apiserver::network {

extern const KindRules kIngress;
extern const KindRules kIngressClass;
extern const KindRules kNetworkPolicy;
extern const KindRules kIpAddress;
extern const KindRules kServiceCidr;
extern const KindRules kEndpointSlice;
extern const KindRules kHorizontalPodAutoscaler;

}  // namespace holdfast::apiserver::network
