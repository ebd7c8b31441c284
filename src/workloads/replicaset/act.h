/// Effects of a ReplicaSet's plan on the server.
#pragma once

#include <holdfast/control/write.h>

#include "pods/pod.h"
#include "replicaset/replica_set.h"

namespace holdfast::workloads::replicaset {

control::Write create_pod(const ReplicaSet& set, const std::string& name);
control::Write delete_pod(const Pod& pod);
control::Write write_status(const ReplicaSet& set, const ReplicaSetStatus& status);

}  // namespace holdfast::workloads::replicaset
