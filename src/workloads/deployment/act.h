/// Effects of a Deployment's plan on the server.
#pragma once

#include "deployment/plan.h"

namespace holdfast::workloads::deployment {

/// A ReplicaSet of the wanted template.
control::Write create_set(const Seen& seen, const std::string& name, int64_t replicas,
                          const Annotations& annotations);
/// `min_ready_seconds`: also those.
control::Write update_set(const ReplicaSet& set, int64_t replicas, const Annotations& annotations,
                          std::optional<int64_t> min_ready_seconds = {});
control::Write write_status(const Deployment& wanted, const Annotations& annotations,
                            const Status& status);
control::Write write_template(const Deployment& wanted, const Annotations& annotations,
                              const model::Value& pod_template);

}  // namespace holdfast::workloads::deployment
