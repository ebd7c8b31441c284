/// Time at which a finished Job is deleted.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/model/json.h>

#include <optional>

namespace holdfast::workloads::job {

/// spec.ttlSecondsAfterFinished after the end; nothing if it has not ended, has no such member, or
/// is being deleted.
std::optional<WallTime> expires_at(const model::Value& job);

}  // namespace holdfast::workloads::job
