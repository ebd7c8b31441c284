#include "shim/calls.h"

#include <holdfast/base/files.h>
#include <holdfast/model/json.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

extern char** environ;

namespace holdfast::node {
namespace {

// A start waits for mounts of the image, on a machine that may be busy with many.
constexpr int kStartMilliseconds = 120000, kAnswerMilliseconds = 30000;
constexpr int kListener = 3;
constexpr size_t kMostOfShimLog = 4096;

/// Paths of sockets are short by law (108 bytes); data folders need not be.
struct SocketName {
  Fd folder;
  sockaddr_un address{};
};
Result<SocketName> name_of(const std::filesystem::path& folder) {
  SocketName name;
  name.folder = Fd(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!name.folder) return system_error("open " + folder.string(), errno);
  name.address.sun_family = AF_UNIX;
  const std::string path = fmt::format("/proc/self/fd/{}/shim.sock", name.folder.get());
  std::memcpy(name.address.sun_path, path.c_str(), path.size() + 1);
  return name;
}

Result<Fd> listen_at(const std::filesystem::path& folder) {
  const SocketName name = HF_TRY(name_of(folder));
  Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!socket) return system_error("make the pod's socket", errno);
  ::unlink((folder / "shim.sock").c_str());
  if (bind(socket.get(), reinterpret_cast<const sockaddr*>(&name.address), sizeof name.address) !=
          0 ||
      listen(socket.get(), 64) != 0)
    return system_error("listen at " + (folder / "shim.sock").string(), errno);
  return socket;
}

Result<model::Value> parsed(const std::string& text) {
  model::Parsed answer = HF_TRY(model::parse_json(text));
  const std::string_view error = model::string_at(answer.value, {"error"});
  if (!error.empty()) return Error(Fault::Invalid, std::string(error));
  return std::move(answer.value);
}

Result<pid_t> spawn_program(const std::filesystem::path& program,
                            const std::filesystem::path& folder, int listener, int null,
                            int complaints, int held) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // High first, so that no source is overwritten before it is used.
  posix_spawn_file_actions_adddup2(&actions, listener, kListener);
  if (held >= 0) posix_spawn_file_actions_adddup2(&actions, held, kHeldLock);
  posix_spawn_file_actions_adddup2(&actions, null, 0);
  posix_spawn_file_actions_adddup2(&actions, complaints, 1);
  posix_spawn_file_actions_adddup2(&actions, complaints, 2);
  // Sockets of the server that this node runs in are not for pods, nor to be kept open by them.
  posix_spawn_file_actions_addclosefrom_np(&actions, held >= 0 ? kHeldLock + 1 : kHeldLock);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  std::string words[] = {"holdfast", "shim", "--pod", folder.string()};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  pid_t pid = 0;
  const int cause = posix_spawn(&pid, program.c_str(), &actions, &attributes, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (cause != 0) return system_error("start the pod's shim " + program.string(), cause);
  return pid;
}

/// Above the numbers that the new process gives its own meaning to.
Fd raised(int fd) { return Fd(fd < 0 ? fd : fcntl(fd, F_DUPFD_CLOEXEC, 10)); }
Fd raised(const Fd& fd) { return raised(fd.get()); }

}  // namespace

Result<int> ExecCall::exit_code(int wait_milliseconds) {
  const Packet packet = HF_TRY(receive_packet(connection_.get(), wait_milliseconds));
  const model::Value answer = HF_TRY(parsed(packet.text));
  return int(model::int_at(answer, {"exit"}, 0));
}

Result<void> ShimCalls::spawn(const std::filesystem::path& program, int held) const {
  const Fd listener = raised(HF_TRY(listen_at(folder_)));
  const Fd null = raised(Fd(::open("/dev/null", O_RDWR | O_CLOEXEC)));
  const std::filesystem::path log = folder_ / "shim.log";
  const Fd complaints =
      raised(Fd(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)));
  const Fd lock = raised(held);
  const pid_t pid = HF_TRY(
      spawn_program(program, folder_, listener.get(), null.get(), complaints.get(), lock.get()));
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  const Result<std::string> why = read_end(log, kMostOfShimLog);
  return Error(Fault::Unavailable,
               fmt::format("start the pod's shim: {}", why && !why->empty() ? *why : "it ended"));
}

Result<Fd> ShimCalls::connect() const {
  const SocketName name = HF_TRY(name_of(folder_));
  Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!socket) return system_error("make a socket", errno);
  const auto* address = reinterpret_cast<const sockaddr*>(&name.address);
  if (::connect(socket.get(), address, sizeof name.address) != 0)
    return Error(Fault::NotFound, "the pod's shim does not run");
  return socket;
}

bool ShimCalls::alive() const { return bool(connect()); }

Result<std::string> ShimCalls::ask(const std::string& request, int wait_milliseconds) const {
  const Fd socket = HF_TRY(connect());
  HF_TRY(send_packet(socket.get(), request));
  Packet answer = HF_TRY(receive_packet(socket.get(), wait_milliseconds));
  return std::move(answer.text);
}

Result<ContainerRecord> ShimCalls::start(const std::string& id) const {
  const std::string text =
      HF_TRY(ask(fmt::format(R"({{"do":"start","id":"{}"}})", id), kStartMilliseconds));
  const model::Value answer = HF_TRY(parsed(text));
  const model::Value* record = model::find(answer, {"record"});
  return parse_container_record(record != nullptr ? model::to_json(*record) : "{}");
}

Result<void> ShimCalls::signal(const std::string& id, int number) const {
  const std::string text = HF_TRY(ask(
      fmt::format(R"({{"do":"signal","id":"{}","signal":{}}})", id, number), kAnswerMilliseconds));
  HF_TRY(parsed(text));
  return {};
}

Result<std::vector<ContainerRecord>> ShimCalls::list() const {
  const std::string text = HF_TRY(ask(R"({"do":"list"})", kAnswerMilliseconds));
  const model::Value answer = HF_TRY(parsed(text));
  std::vector<ContainerRecord> records;
  for (const model::Value& each : model::array_at(answer, {"records"}))
    records.push_back(HF_TRY(parse_container_record(model::to_json(each))));
  return records;
}

Result<Fd> ShimCalls::watch() const {
  Fd socket = HF_TRY(connect());
  HF_TRY(send_packet(socket.get(), R"({"do":"watch"})"));
  return socket;
}

Result<ExecCall> ShimCalls::exec(const std::string& id, const ProcessSpec& process, int input,
                                 int output, int error, Leash leash) const {
  Fd socket = HF_TRY(connect());
  const Fd spec = HF_TRY(memory_file("process", to_text(process)));
  HF_TRY(
      send_packet(socket.get(),
                  fmt::format(R"({{"do":"exec","id":"{}","leash":{}}})", id, leash == Leash::Short),
                  {spec.get(), input, output, error}));
  const Packet answer = HF_TRY(receive_packet(socket.get(), kAnswerMilliseconds));
  HF_TRY(parsed(answer.text));
  return ExecCall(std::move(socket));
}

Result<void> ShimCalls::end() const {
  if (!alive()) return {};
  const Result<std::string> ended = ask(R"({"do":"end"})", kAnswerMilliseconds);
  if (ended || ended.error().fault() == Fault::NotFound) return {};
  return ended.error().copy();
}

}  // namespace holdfast::node
