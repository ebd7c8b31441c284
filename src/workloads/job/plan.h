/// Plan of a Job: pods until enough have succeeded or too many have failed, every one of them
/// counted exactly once.
#pragma once

#include <holdfast/control/outcome.h>

#include "job/observed.h"

namespace holdfast::workloads::job {

/// Pure: all it may know is in `seen`.
control::Outcome plan(const Observed& seen);

}  // namespace holdfast::workloads::job
