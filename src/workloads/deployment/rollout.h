/// The pieces of a Deployment's plan. Each gives an outcome, or nothing if there is nothing of its
/// kind to do.
#pragma once

#include "deployment/plan.h"

namespace holdfast::workloads::deployment {

/// The wanted template's ReplicaSet, if there is one, and all others, oldest first.
struct Sets {
  const ReplicaSet* current = nullptr;
  std::vector<const ReplicaSet*> old{};

  std::vector<const ReplicaSet*> all() const;
};

using MaybeOutcome = std::optional<control::Outcome>;

/// sets.cpp: which is which; revisions and annotations.
Sets split(const Deployment& wanted, const std::vector<const ReplicaSet*>& owned);
bool same_template(const model::Value& a, const model::Value& b);
/// The current one gets its revision, the Deployment's annotations and minReadySeconds; then the
/// Deployment gets the revision and, if it has none, its first Progressing condition.
MaybeOutcome keep_revision(const Seen& seen, const Sets& sets);
/// The ReplicaSet of the wanted template; or a higher collision count if its name is taken; or
/// the condition that tells why the server refused it.
control::Outcome create_current(const Seen& seen, const Sets& sets);
/// The name of the ReplicaSet that create_current makes.
std::string next_name(const Seen& seen);
MaybeOutcome clean_up(const Deployment& wanted, const Sets& sets);
/// The annotation by which clients of the oldest API versions asked for a rollback.
MaybeOutcome roll_back(const Seen& seen, const Sets& sets);

/// scale.cpp: sizes.
std::vector<const ReplicaSet*> active(const std::vector<const ReplicaSet*>& sets);
int64_t sum_replicas(const std::vector<const ReplicaSet*>& sets);
/// The size at which a ReplicaSet of the wanted template begins or goes on.
int64_t next_size(const Deployment& wanted, const Sets& sets);
bool being_scaled(const Deployment& wanted, const Sets& sets);
MaybeOutcome resize(const Deployment& wanted, const ReplicaSet& set, int64_t replicas);
/// To the wanted number: one ReplicaSet alone, or several in proportion.
MaybeOutcome scale(const Deployment& wanted, const Sets& sets);
MaybeOutcome roll(const Deployment& wanted, const Sets& sets);
MaybeOutcome recreate(const Seen& seen, const Sets& sets, bool& waiting);

/// status.cpp: what is told.
Condition condition(std::string_view type, std::string_view status, std::string_view reason,
                    std::string message, WallTime now);
/// Counts and the Available condition; no judgement of progress.
Status count_status(const Seen& seen, const Sets& sets);
/// With the Progressing and ReplicaFailure conditions.
Status rollout_status(const Seen& seen, const Sets& sets);
bool complete(const Deployment& wanted, const Status& status);
MaybeOutcome report(const Deployment& wanted, const Status& status);
MaybeOutcome report_pause(const Seen& seen);
/// Until when the rollout must have shown progress.
std::optional<std::chrono::microseconds> until_deadline(const Seen& seen, const Status& status);

}  // namespace holdfast::workloads::deployment
