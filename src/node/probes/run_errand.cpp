#include "probes/run_errand.h"

#include <holdfast/base/clock.h>
#include <holdfast/base/text.h>
#include <holdfast/base/walls.h>
#include <holdfast/net/client.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>

namespace holdfast::node {
namespace {

using std::chrono::milliseconds;

constexpr size_t kMostOutput = 10240;  // kubelet's
constexpr int kLookMilliseconds = 100;
constexpr int kMostRedirects = 10;
constexpr size_t kMostRedirect = size_t(1) << 20;  // body of an answer that is none
constexpr milliseconds kReach{1000};

ErrandOutcome failed(std::string why) { return {false, std::move(why)}; }

/// Reads what comes until the command has ended or its time is over.
ErrandOutcome watch(ExecCall& call, Fd output, milliseconds timeout, const std::stop_token& stop) {
  const SystemClock clock;
  const MonoTime end = clock.mono() + timeout;
  ErrandOutcome outcome;
  for (;;) {
    char bytes[4096];
    for (ssize_t got = 0; (got = ::read(output.get(), bytes, sizeof bytes)) > 0;)
      if (outcome.output.size() < kMostOutput) outcome.output.append(bytes, size_t(got));
    const Result<int> code = call.exit_code(kLookMilliseconds);
    if (code) {
      for (ssize_t got = 0; (got = ::read(output.get(), bytes, sizeof bytes)) > 0;)
        if (outcome.output.size() < kMostOutput) outcome.output.append(bytes, size_t(got));
      outcome.well = *code == 0;
      if (!outcome.well && outcome.output.empty())
        outcome.output = fmt::format("command terminated with exit code {}", *code);
      return outcome;
    }
    if (code.error().fault() != Fault::Unavailable) return failed("the pod's shim is gone");
    if (stop.stop_requested()) return failed("stopped");
    if (clock.mono() >= end)
      return failed(fmt::format("command timed out after {}s",
                                std::chrono::duration_cast<std::chrono::seconds>(timeout).count()));
  }
}

ErrandOutcome run_command(const Errand& errand, const ErrandPlace& place, milliseconds timeout,
                          const std::stop_token& stop) {
  Result<ContainerSpec> spec =
      read_container_spec(place.pod_folder / "containers" / place.container_id / "spec.json");
  if (!spec) return failed(spec.error().what());
  ProcessSpec process = std::move(spec->process);
  process.args = errand.command;
  process.tty = false;
  Result<Pipe> output = make_pipe();
  if (!output) return failed(output.error().what());
  const Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  Result<ExecCall> call = ShimCalls(place.pod_folder)
                              .exec(place.container_id, process, null.get(), output->write.get(),
                                    output->write.get(), Leash::Short);
  if (!call) return failed(call.error().what());
  output->write.reset();
  return watch(*call, std::move(output->read), timeout, stop);
}

ErrandOutcome connect_to(const ContainerDef& container, const Errand& errand,
                         const ErrandPlace& place, milliseconds timeout) {
  const int port = port_of(container, errand.port);
  if (port == 0) return failed(fmt::format("couldn't find port: {}", errand.port));
  const std::string host = errand.host.empty() ? place.pod_ip : errand.host;
  const auto refused = [&](int cause) {
    return failed(
        fmt::format("dial tcp {}:{}: connect: {}", host, port, to_lower(strerrordesc_np(cause))));
  };
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_socktype = SOCK_STREAM;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found) != 0)
    return failed(fmt::format("dial tcp: lookup {}: no such host", host));
  const Fd socket(::socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int begun = ::connect(socket.get(), found->ai_addr, found->ai_addrlen);
  const int cause = errno;
  freeaddrinfo(found);
  if (begun == 0) return {true, ""};
  if (cause != EINPROGRESS) return refused(cause);
  pollfd ready{socket.get(), POLLOUT, 0};
  if (poll(&ready, 1, int(timeout.count())) <= 0)
    return failed(fmt::format("dial tcp {}:{}: i/o timeout", host, port));
  int result = 0;
  socklen_t size = sizeof result;
  getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &result, &size);
  return result == 0 ? ErrandOutcome{true, ""} : refused(result);
}

/// Where an HTTP errand goes; a redirect may lead on.
struct Address {
  std::string scheme, host;
  int port = 0;
  std::string target;
  std::string url() const { return fmt::format("{}://{}:{}{}", scheme, host, port, target); }
};

/// Why an HTTP errand got no answer, in the words that operators know from kubelet.
ErrandOutcome no_answer(const ContainerDef& container, const Errand& errand,
                        const ErrandPlace& place, const Address& to, const Error& error,
                        bool late) {
  const ErrandOutcome reached = connect_to(container, errand, place, kReach);
  const std::string why =
      !reached.well ? reached.output
      : late        ? "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
                    : error.what();
  return failed(fmt::format("Get \"{}\": {}", to.url(), why));
}

/// Where a Location leads, as seen from there; nothing if it is another kind of address.
std::optional<Address> redirected(const Address& from, std::string_view location) {
  Address to = from;
  if (location.starts_with('/')) {
    to.target = location;
    return to;
  }
  const size_t scheme = location.find("://");
  if (scheme == std::string_view::npos) return std::nullopt;
  to.scheme = to_lower(location.substr(0, scheme));
  std::string_view rest = location.substr(scheme + 3);
  const size_t path = rest.find('/');
  to.target = path == std::string_view::npos ? "/" : rest.substr(path);
  rest = rest.substr(0, path);
  const size_t colon = rest.rfind(':');
  to.host = rest.substr(0, colon);
  to.port = to.scheme == "https" ? 443 : 80;
  if (colon != std::string_view::npos)
    std::from_chars(rest.data() + colon + 1, rest.data() + rest.size(), to.port);
  return to;
}

/// The answer is the pod's, which may send for ever, or nothing more: of its body we read what is
/// reported, while there is time.
Result<net::Response> ask_briefly(net::Client& client, net::Call& call, std::string& body) {
  const bool bounded = wall_stands("answers to probes are read with a bound");
  const size_t most = bounded ? kMostOutput : call.max_response;
  if (bounded) call.max_response = kMostRedirect;
  call.stall = std::chrono::ceil<std::chrono::seconds>(call.timeout);
  const SystemClock clock;
  const MonoTime end = clock.mono() + call.timeout;
  return client.stream(call, [&](std::string_view data) {
    body += data.substr(0, most - body.size());
    return body.size() < most && clock.mono() < end;
  });
}

ErrandOutcome ask(const ContainerDef& container, const Errand& errand, const ErrandPlace& place,
                  const Address& to, milliseconds timeout, const std::stop_token& stop, int left) {
  net::ClientOptions options;
  options.base_url = fmt::format("{}://{}:{}", to.scheme, to.host, to.port);
  options.insecure = true;  // a probe asks whether it answers, not who it is
  options.user_agent = "kube-probe/1.34";
  Result<std::unique_ptr<net::Client>> client = net::Client::make(std::move(options));
  if (!client) return failed(client.error().what());
  net::Call call;
  call.target = to.target;
  call.timeout = timeout;
  call.stop = stop;
  call.headers.set("Accept", "*/*");
  call.headers.set("Connection", "close");
  for (const auto& [name, value] : errand.headers) call.headers.add(name, value);
  const SystemClock clock;
  const MonoTime begun = clock.mono();
  std::string body;
  const Result<net::Response> response = ask_briefly(**client, call, body);
  const bool late = clock.mono() - begun >= timeout;
  if (!response) return no_answer(container, errand, place, to, response.error(), late);
  const std::string_view location = response->headers.get("Location");
  const bool moved = response->status >= 301 && response->status <= 308 &&
                     response->status != 304 && !location.empty();
  const std::optional<Address> next = moved ? redirected(to, location) : std::nullopt;
  // To another host it does not go; that this one answered is enough.
  if (next && next->host == to.host) {
    if (left == 0) return failed(fmt::format("Get \"{}\": stopped after 10 redirects", to.url()));
    return ask(container, errand, place, *next, timeout, stop, left - 1);
  }
  if (late)
    return no_answer(container, errand, place, to, Error(Fault::Unavailable, "too slow"), late);
  if (response->status >= 200 && response->status < 400) return {true, std::move(body)};
  return failed(fmt::format("HTTP probe failed with statuscode: {}", response->status));
}

ErrandOutcome get(const ContainerDef& container, const Errand& errand, const ErrandPlace& place,
                  milliseconds timeout, const std::stop_token& stop) {
  Address to;
  to.port = port_of(container, errand.port);
  if (to.port == 0) return failed(fmt::format("couldn't find port: {}", errand.port));
  to.scheme = errand.scheme.empty() ? "http" : to_lower(errand.scheme);
  to.host = errand.host.empty() ? place.pod_ip : errand.host;
  to.target = errand.path.starts_with('/') ? errand.path : "/" + errand.path;
  return ask(container, errand, place, to, timeout, stop, kMostRedirects);
}

}  // namespace

ErrandOutcome run_errand(const ContainerDef& container, const Errand& errand,
                         const ErrandPlace& place, milliseconds timeout,
                         const std::stop_token& stop) {
  switch (errand.kind) {
    case Errand::Kind::Exec:
      return run_command(errand, place, timeout, stop);
    case Errand::Kind::Http:
      return get(container, errand, place, timeout, stop);
    case Errand::Kind::Tcp:
      return connect_to(container, errand, place, timeout);
    case Errand::Kind::Sleep:
      sleep_until_stopped()(errand.sleep, stop);
      return {true, ""};
    case Errand::Kind::Grpc:
      return failed(
          "gRPC probes are not served by this node: use an exec, httpGet or tcpSocket probe");
    case Errand::Kind::None:
      break;
  }
  return {true, ""};
}

}  // namespace holdfast::node
