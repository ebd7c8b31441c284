#include "shim/descriptors.h"

#include <holdfast/base/walls.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace holdfast::node {
namespace {

constexpr size_t kMostFds = 8;

// Of linux/memfd.h as of 6.3, newer than the headers here. What is to be executed has to say so, on
// machines that allow no other file in memory to be.
constexpr unsigned kNeverProgram = 0x8, kProgram = 0x10;

/// Kernels before 6.3 know neither of the two.
Result<Fd> open_memory(const char* name, unsigned kind) {
  constexpr unsigned kAll = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  Fd file(memfd_create(name, kAll | kind));
  if (!file && errno == EINVAL) file = Fd(memfd_create(name, kAll));
  if (!file) return system_error("make a file in memory", errno);
  return file;
}

Result<void> write_whole(const Fd& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(file.get(), bytes.data(), bytes.size());
    if (wrote < 0) return system_error("write a file in memory", errno);
    bytes.remove_prefix(size_t(wrote));
  }
  return {};
}

Result<Fd> sealed_file(const char* name, std::string_view bytes, unsigned kind, mode_t mode) {
  Fd file = HF_TRY(open_memory(name, kind));
  HF_TRY(write_whole(file, bytes));
  constexpr int kSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  const bool sealed = !wall_stands("programs of the node are sealed") ||
                      fcntl(file.get(), F_ADD_SEALS, kSeals) == 0;
  if (fchmod(file.get(), mode) != 0 || !sealed) return system_error("seal a file in memory", errno);
  return file;
}

}  // namespace

Error system_error(std::string_view what, int cause) {
  Fault fault = Fault::Unavailable;
  if (cause == ENOENT) fault = Fault::NotFound;
  if (cause == EPERM || cause == EACCES) fault = Fault::Denied;
  if (cause == EINVAL || cause == ENAMETOOLONG) fault = Fault::Invalid;
  return {fault, fmt::format("{}: {}", what, std::generic_category().message(cause))};
}

Result<Pipe> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return system_error("make a pipe", errno);
  Pipe made{Fd(ends[0]), Fd(ends[1])};
  fcntl(made.read.get(), F_SETFL, O_NONBLOCK);
  return made;
}

Result<Pipe> make_packet_pair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return system_error("make a pair of sockets", errno);
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

Result<Fd> memory_file(const char* name, std::string_view bytes) {
  return sealed_file(name, bytes, kNeverProgram, 0444);
}

Result<Fd> memory_program(const char* name, std::string_view bytes) {
  return sealed_file(name, bytes, kProgram, 0555);
}

void place_descriptors(const std::vector<int>& descriptors) {
  // First out of the way: one may have a number that another is to get.
  std::vector<int> high;
  for (const int fd : descriptors) high.push_back(fcntl(fd, F_DUPFD_CLOEXEC, 64));
  for (size_t i = 0; i < high.size(); ++i) dup2(high[i], int(i));
}

void forget_signals() {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int number = 1; number < 32; ++number) signal(number, SIG_DFL);
}

Result<void> send_packet(int socket, std::string_view text, const std::vector<int>& fds) {
  iovec part{const_cast<char*>(text.data()), text.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMostFds)]{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!fds.empty()) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
    std::memcpy(CMSG_DATA(header), fds.data(), sizeof(int) * fds.size());
  }
  while (sendmsg(socket, &message, MSG_NOSIGNAL) < 0)
    if (errno != EINTR) return system_error("send to the other end of the pod's socket", errno);
  return {};
}

Result<Packet> receive_packet(int socket, int wait_milliseconds) {
  pollfd ready{socket, POLLIN, 0};
  int events = 0;
  do events = poll(&ready, 1, wait_milliseconds);
  while (events < 0 && errno == EINTR);
  if (events == 0) return Error(Fault::Unavailable, "no answer on the pod's socket");
  Packet packet;
  packet.text.resize(kPacketBound);
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMostFds)]{};
  iovec part{packet.text.data(), packet.text.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (got < 0) return system_error("read the pod's socket", errno);
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_type != SCM_RIGHTS) continue;
    for (size_t i = 0; i < (header->cmsg_len - CMSG_LEN(0)) / sizeof(int); ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof fd);
      packet.fds.emplace_back(fd);
    }
  }
  if (got == 0) return Error(Fault::NotFound, "the other end of the pod's socket has closed");
  packet.text.resize(size_t(got));
  return packet;
}

}  // namespace holdfast::node
