/// Reaches of a pod past itself, into the machine that runs it; and the right to them. Pods of the
/// embedded node run on the very machine that keeps everybody's secrets, so it is for its
/// administrators: who may create persistentvolumes reaches any folder of it anyway.
#pragma once

#include "admission/pod_in.h"
#include "rest/api.h"

#include <string>
#include <vector>

namespace holdfast::apiserver {

struct Reach {
  std::string what;    ///< all that it says: `volume "h" is folder /var/log of the machine`
  bool image = false;  ///< it is the image `host`, which a namespace can be allowed
};

std::vector<Reach> reaches_of(const PodIn& pod);
/// True if the two reach for the same in the same way: all of the spec is equal, and what else is
/// judged. Labels are not, nor the node that a scheduler has chosen.
bool same_reach(const PodIn& pod, const PodIn& old);

/// True for who may create persistentvolumes.
bool owns_machine(const Api& api, const User& user);
/// Nothing if `user` may have such a pod in that namespace, else why not. A pod that says so
/// (model/marks.h) is judged by its namespace alone.
std::string reach_refused(const Api& api, const User& user, std::string_view ns, const PodIn& pod);

}  // namespace holdfast::apiserver
