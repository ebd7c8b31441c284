/// The few calls on descriptors that a shim and a node need.
#pragma once

#include <holdfast/base/descriptor.h>
#include <holdfast/base/result.h>

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::node {

using Fd = Descriptor;

/// "WHAT: cause" with the fault that the cause means.
Error system_error(std::string_view what, int cause);

struct Pipe {
  Fd read, write;
};
/// Both ends close on exec; the reader's end does not block.
Result<Pipe> make_pipe();
/// Both ends pass packets and descriptors, and close on exec.
Result<Pipe> make_packet_pair();
/// An unnamed file with these bytes, sealed: nobody changes it any more, whoever gets hold of it.
Result<Fd> memory_file(const char* name, std::string_view bytes);
/// One that can be executed.
Result<Fd> memory_program(const char* name, std::string_view bytes);

// Between fork and exec of a process with one thread.
/// The descriptors become 0, 1, 2, … in their order, open across the exec.
void place_descriptors(const std::vector<int>& descriptors);
/// None is blocked or ignored: what the parent does with signals is its own business.
void forget_signals();

/// One packet of a SOCK_SEQPACKET socket, with the descriptors it carried.
struct Packet {
  std::string text;
  std::vector<Fd> fds;
};
inline constexpr size_t kPacketBound = size_t(256) << 10;
Result<void> send_packet(int socket, std::string_view text, const std::vector<int>& fds = {});
/// Unavailable when nothing came within the time; NotFound when the other end has closed.
Result<Packet> receive_packet(int socket, int wait_milliseconds);

}  // namespace holdfast::node
