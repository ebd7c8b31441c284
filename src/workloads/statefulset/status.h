/// Status of a StatefulSet.
#pragma once

#include <holdfast/control/write.h>

#include "statefulset/revisions.h"

#include <optional>

namespace holdfast::workloads::statefulset {

/// status as it should stand now: counts of pods, both revisions, the generation it is about. A
/// rolling update whose last pod is ready makes its revision the current one.
model::Object wanted_status(const Observed& seen, const History& history);
/// True if the revisions that the status names are not those that pods are made from.
bool names_other_revisions(const Observed& seen, const model::Object& wanted);
/// The write that makes it so; nothing if it already stands.
std::optional<control::Write> report(const Observed& seen, const model::Object& wanted);

}  // namespace holdfast::workloads::statefulset
