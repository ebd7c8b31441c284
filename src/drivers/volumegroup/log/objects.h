/// Objects for the log of a server: its second cut, and the pods that restore it.
#pragma once

#include <holdfast/control/write.h>

#include "action/seen.h"

namespace holdfast::drivers::volumegroup {

/// The second cut of the claim that the log is on.
control::Write create_log_cut(const ActionSeen& seen, size_t member);
/// The pod that puts a log back: it mounts what was made of the log's cut, and the volumes of the
/// restore that the server will find its folder and its log on.
control::Write create_log_pod(const ActionSeen& seen, size_t member, const GroupSettings& settings);

}  // namespace holdfast::drivers::volumegroup
