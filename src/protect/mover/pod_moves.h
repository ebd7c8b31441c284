/// Moves of a running pod: its folder is read and written by the pod's own tar, a command by its
/// output and input.
#pragma once

#include <holdfast/repo/snapshot.h>

#include "mover/pod_command.h"

namespace holdfast::protect {

/// The name, in a snapshot, of what a command printed.
inline constexpr std::string_view kOutputName = "/output";

/// Whose account, clock and wish to stop a command runs by.
struct PodCaller {
  const MoveTask& task;
  const Clock& clock;
  Random& random;
  const std::stop_token& stop;
  Result<std::unique_ptr<PodCommand>> run(const std::vector<std::string>& command,
                                          bool input) const {
    return PodCommand::start(task, command, input, clock, random, stop);
  }
};

/// Whether the container has a shell, without which no end of a command is seen.
Result<bool> has_shell(const PodCaller& caller);
/// The pod's folder into the mover's own, from where it is backed up as any other.
Result<void> fetch_folder(const PodCaller& caller);
/// Invalid unless the pod's folder is empty.
Result<void> expect_empty_folder(const PodCaller& caller);
/// A snapshot into the pod's folder, or its one file into the command. Every blob is checked before
/// it goes out; `sent` hears of the bytes.
Result<void> restore_to_pod(const PodCaller& caller, repo::Indexed& index,
                            const repo::Snapshot& snapshot,
                            const std::function<void(uint64_t bytes)>& sent);

}  // namespace holdfast::protect
