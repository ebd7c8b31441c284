/// Shell scripts that quiesce an application, run inside its containers. POSIX sh as dash, bash and
/// busybox have it; each function makes the argv of one exec, without a shell word that is not ours
/// in the script.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace holdfast::protect {

/// A dead man's guard for commands that are owed: an exec with stdin, and with `HOLDFAST` lines on
/// stdout.
///
/// Prints `HOLDFAST ARMED` when it stands. The line `done` ends it with code 0 and nothing run.
/// When its stdin ends without that line, when the deadline has passed since it stood, or when it
/// is told to end, it runs `posts` in their order, one after the other whatever comes of them, and
/// prints `HOLDFAST POST I CODE` for each (I counts from 0). If that was before the deadline, it
/// does so once more then: a command that was under way may have taken its lock in between. It
/// ends with 0 if every code of the last time was 0, else with 1. What the posts print is thrown
/// away: by then nobody may be there to read it, and a command must not wait for a reader that is
/// gone. Without `sleep` in the image it cannot count and says `HOLDFAST FAILED NoSleep`, code 1,
/// before it stands.
std::vector<std::string> guard_command(const std::vector<std::vector<std::string>>& posts,
                                       std::chrono::seconds deadline);

/// A command that holds a lock until its stdin ends, with a deadline of its own, since a node that
/// is lost sends no end.
///
/// Stdin, stdout, stderr and the code are the command's. When the deadline passes, the command and,
/// where the image has `setsid`, all that it started is ended (TERM, after 2 s KILL); then the line
/// `HOLDFAST EXPIRED` and code 3. Told to end, it tells the command. `HOLDFAST FAILED NoSleep`,
/// code 1, before the command is started.
std::vector<std::string> watched_session(const std::vector<std::string>& command,
                                         std::chrono::seconds deadline);

/// Writes out what the kernel still holds of these file systems, so that a freeze or a cut that
/// follows finds little to do. It is a courtesy: the code is always 0.
std::vector<std::string> presync_command(const std::vector<std::string>& mount_paths);

}  // namespace holdfast::protect
