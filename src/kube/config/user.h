/// The `user` of a kubeconfig: which ways to prove who we are it offers.
#pragma once

#include <holdfast/kube/config.h>

#include "config/section.h"

namespace holdfast::kube {

Result<Credentials> read_user(const Section& user);

}  // namespace holdfast::kube
