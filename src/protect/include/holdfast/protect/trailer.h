/// Trailer of a command in a pod: the last line of its output, which the container's sh prints when
/// the command has ended, so that the end is seen in band. The word of the servers on the way is no
/// proof of it: a kube-apiserver whose node is lost in mid-stream says Success
/// (kubernetes/kubernetes#137404).
///
///     HOLDFAST END NONCE CODE BYTES\n
///
/// NONCE is drawn for each command, so that no data that a command prints can hold it. CODE is the
/// command's, 126 and 127 the shell's for one that cannot be run or is not there. BYTES are those
/// of its output before the trailer, or of its input, as the container's dd counted them; "-": none
/// did, since there is no dd, it prints no count, or the command ended before its input.
///
/// It shows that all came that the container sent, not that the container tells the truth.
#pragma once

#include <holdfast/base/random.h>
#include <holdfast/kube/streams.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::protect {

/// What goes through the container's dd. Output that is counted ends when the last process has
/// closed it that the command left behind; one that writes on after a command whose output is not
/// counted hides its end.
enum class Counted { Nothing, Output, Input };

std::string draw_nonce(Random& random);

/// The argv of an exec that runs the command, in plain sh (dash, bash, busybox); its standard
/// input, its errors and its code are the command's own.
std::vector<std::string> with_trailer(const std::vector<std::string>& command, Counted counted,
                                      std::string_view nonce);

/// What stands in such an argv, for who plays the container.
struct TrailedCommand {
  std::string nonce{};
  Counted counted = Counted::Nothing;
  std::vector<std::string> words{};
};
std::optional<TrailedCommand> trailed_command(const std::vector<std::string>& argv);
std::string trailer_line(std::string_view nonce, int code, std::optional<uint64_t> bytes);

/// The session of such an argv, without the trailer in its output. The code of its end is the
/// trailer's; unknown if none came, if anything came after it, or if its count is not that of what
/// came or was written. The Status of its end stays the server's.
std::unique_ptr<kube::ExecSession> until_trailer(std::unique_ptr<kube::ExecSession> session,
                                                 Counted counted, std::string_view nonce);

/// Nothing was run, since the container has no /bin/sh that could run it; by the end of a session
/// of such an argv.
bool lacks_shell(const kube::ExecEnd& end);

}  // namespace holdfast::protect
