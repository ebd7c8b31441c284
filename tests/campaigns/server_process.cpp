#include "server_process.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/files.h>
#include <holdfast/model/json.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace holdfast::campaign {
namespace {

constexpr std::chrono::seconds kReadyLimit{120};

// Between fork and exec of a program with threads only calls that are safe in a signal may be made.
[[noreturn]] void become_server(const std::array<const char*, 7>& arguments, int out, int log,
                                const rlimit& descriptors) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setrlimit(RLIMIT_NOFILE, &descriptors);
  std::signal(SIGPIPE, SIG_DFL);
  dup2(out, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  execv(arguments[0], const_cast<char* const*>(arguments.data()));
  _exit(127);
}

std::string decoded(const model::Value& entry, std::initializer_list<std::string_view> path) {
  return from_base64(model::string_at(entry, path)).value_or("");
}

bool is_free(uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool free = bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return free;
}

}  // namespace

uint16_t pick_port(Random& random) {
  // Linux gives connections ports from 32768 on.
  for (;;) {
    const auto port = uint16_t(20000 + random.below(12000));
    if (is_free(port)) return port;
  }
}

Result<std::unique_ptr<ServerProcess>> ServerProcess::spawn(const ServerSettings& settings,
                                                            const Clock& clock) {
  int ends[2];
  const int log = open(settings.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (log < 0 || pipe2(ends, O_CLOEXEC) != 0)
    return Error(Fault::Internal, fmt::format("start server: {}", std::strerror(errno)));
  const std::string listen = fmt::format("127.0.0.1:{}", settings.port);
  const std::array<const char*, 7> arguments{
      settings.binary.c_str(), "apiserver", "--data-dir", settings.data_dir.c_str(), "--listen",
      listen.c_str(),          nullptr};
  rlimit descriptors{};
  getrlimit(RLIMIT_NOFILE, &descriptors);
  if (settings.descriptors != 0) descriptors.rlim_cur = settings.descriptors;
  const pid_t pid = fork();
  if (pid == 0) become_server(arguments, ends[1], log, descriptors);
  close(ends[1]);
  close(log);
  if (pid < 0) {
    close(ends[0]);
    return Error(Fault::Internal, fmt::format("start server: {}", std::strerror(errno)));
  }
  return std::unique_ptr<ServerProcess>(new ServerProcess(pid, ends[0], clock));
}

ServerProcess::~ServerProcess() {
  kill_now();
  close(out_);
}

Result<std::chrono::milliseconds> ServerProcess::wait_ready() {
  std::string line;
  while (line.find('\n') == std::string::npos) {
    const MonoTime left = start_ + kReadyLimit - clock_.mono();
    pollfd readable{out_, POLLIN, 0};
    char bytes[256];
    if (left.count() <= 0 || poll(&readable, 1, int(left.count() / 1000) + 1) <= 0)
      return Error(Fault::Unavailable, "the server did not say ready in time");
    const ssize_t count = read(out_, bytes, sizeof bytes);
    if (count <= 0) return Error(Fault::Unavailable, "the server ended before it was ready");
    line.append(bytes, size_t(count));
  }
  if (!line.starts_with("ready https://"))
    return Error(Fault::Invalid, fmt::format("the server said {}", line));
  return std::chrono::duration_cast<std::chrono::milliseconds>(clock_.mono() - start_);
}

void ServerProcess::kill_now() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

int64_t ServerProcess::rss_bytes() const {
  // The kernel gives these files no size, so they are read as streams.
  std::FILE* file = std::fopen(fmt::format("/proc/{}/status", pid_).c_str(), "re");
  if (file == nullptr) return 0;
  char line[256];
  long kib = 0;
  while (std::fgets(line, sizeof line, file) != nullptr &&
         std::sscanf(line, "VmRSS: %ld", &kib) != 1) {
  }
  std::fclose(file);
  return int64_t(kib) * 1024;
}

Result<net::ClientOptions> admin_of(const std::filesystem::path& data_dir) {
  const std::string text = HF_TRY(read_file(data_dir / "admin.kubeconfig"));
  const model::Parsed parsed = HF_TRY(model::parse_yaml(text));
  const model::Array& clusters = model::array_at(parsed.value, {"clusters"});
  const model::Array& users = model::array_at(parsed.value, {"users"});
  if (clusters.empty() || users.empty())
    return Error(Fault::Invalid, "admin.kubeconfig names no cluster or no user");
  net::ClientOptions options;
  options.base_url = model::string_at(clusters[0], {"cluster", "server"});
  options.ca = decoded(clusters[0], {"cluster", "certificate-authority-data"});
  options.certificate = decoded(users[0], {"user", "client-certificate-data"});
  options.key = decoded(users[0], {"user", "client-key-data"});
  options.user_agent = "campaign";
  return options;
}

Result<std::unique_ptr<net::Client>> connect(const std::filesystem::path& data_dir) {
  return net::Client::make(HF_TRY(admin_of(data_dir)));
}

Result<std::string> send(net::Client& client, std::string method, std::string target,
                         std::string body, std::string_view type) {
  net::Call call;
  call.method = std::move(method);
  call.target = std::move(target);
  if (!body.empty()) call.headers.add("Content-Type", type);
  call.body = std::move(body);
  net::Response response = HF_TRY(client.call(call));
  if (response.status >= 300)
    return Error(Fault::Internal, fmt::format("{} {}: {} {}", call.method, call.target,
                                              response.status, response.body.substr(0, 500)));
  return std::move(response.body);
}

}  // namespace holdfast::campaign
