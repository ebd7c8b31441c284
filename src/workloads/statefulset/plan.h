/// Plan of a StatefulSet: members come one after the other from below, go from above, and are
/// replaced from above when the template changes.
#pragma once

#include <holdfast/control/outcome.h>

#include "statefulset/observed.h"

namespace holdfast::workloads::statefulset {

/// Pure: all it may know is in `seen`. Pods and revisions that must change hands are dealt with
/// before (pods/claim.h); every pod in `seen` is a member.
control::Outcome plan(const Observed& seen);

}  // namespace holdfast::workloads::statefulset
