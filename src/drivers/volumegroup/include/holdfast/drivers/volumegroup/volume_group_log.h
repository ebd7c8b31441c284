/// The log of a server whose volumes are cut one after the other: how what a base backup of it
/// needs beside the cuts is kept, and put back before the server starts on them.
///
///     base backup begins → the volumes are cut → it ends, and says: label, segments of the log
///     → the volume with the log is cut once more → the segments are still in the live log, so
///     they are in that cut
///
/// A restore fills the volumes and, beside them, one from that second cut; a pod of ours copies the
/// segments from it to where the log is, and writes the label. Then it goes.
#pragma once

#include <holdfast/protect/cut/server_log.h>

namespace holdfast::drivers::volumegroup {

/// On the second cut of a claim: the pod whose log it is for.
inline constexpr std::string_view kLogOf = "holdfast.dev/log-of";

using protect::LogRecord;

}  // namespace holdfast::drivers::volumegroup
