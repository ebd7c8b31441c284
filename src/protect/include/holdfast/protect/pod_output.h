/// Output of a command in a pod, for drivers that keep it, or read numbers and names from it.
#pragma once

#include <holdfast/protect/cut/quiesce.h>

namespace holdfast::protect {

/// Its standard output, once it has ended with code 0. At most 512 KiB, as a document's text; more
/// is Invalid, like any other code. Unavailable: its end is not known within the limit, so it may
/// have run, or still run.
Result<std::string> pod_output(PodExec& exec, const Clock& clock, const ExecTarget& where,
                               const std::vector<std::string>& command,
                               std::chrono::milliseconds limit);

}  // namespace holdfast::protect
