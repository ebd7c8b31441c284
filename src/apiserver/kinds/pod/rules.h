/// The rules of the kinds Pod and PodTemplate.
#pragma once

#include "kinds/rules.h"

namespace holdfast::apiserver::pod {

extern const KindRules kPod;
extern const KindRules kPodTemplate;

}  // namespace holdfast::apiserver::pod
