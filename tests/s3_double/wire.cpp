#include "wire.h"

#include <holdfast/base/sleep.h>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>

namespace holdfast::s3_double {
namespace {

constexpr size_t kMostBody = size_t{5} << 30;
constexpr std::string_view kControl = "/-/weather", kKeys = "/-/keys";

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(size_t(sent));
  }
  return true;
}

/// The next close tells the other side nothing but RST.
void reset(int socket) {
  const linger at_once{1, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

std::string head_of(const net::Response& response, bool keep_alive) {
  std::string out =
      fmt::format("HTTP/1.1 {} Double\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\n", response.status);
  for (const auto& [name, value] : response.headers) out += fmt::format("{}: {}\r\n", name, value);
  if (response.status != 204 && response.status != 304)
    out += fmt::format("Content-Length: {}\r\n", response.body.size());
  return out + (keep_alive ? "" : "Connection: close\r\n") + "\r\n";
}

Keys read_keys(const net::Query& query) {
  Keys out;
  out.old_code = "InvalidAccessKeyId";
  for (const auto& [name, value] : query) {
    if (name == "access-key") out.access_key = value;
    if (name == "secret-key") out.secret_key = value;
  }
  return out;
}

Error system_error(std::string_view doing) {
  return {Fault::Unavailable, fmt::format("{}: {}", doing, std::generic_category().message(errno))};
}

}  // namespace

bool read_weather(const net::Query& query, Weather& weather) {
  const std::pair<std::string_view, double Weather::*> shares[] = {
      {"slow-down", &Weather::slow_down},
      {"internal-error", &Weather::internal_error},
      {"lost-answer", &Weather::lost_answer},
      {"reset", &Weather::reset},
      {"half-upload", &Weather::half_upload},
      {"truncated", &Weather::truncated},
      {"twice", &Weather::twice},
      {"stale-list", &Weather::stale_list},
      {"conflict", &Weather::conflict}};
  for (const auto& [name, value] : query) {
    bool known = name == "latency";
    if (known) weather.latency = std::chrono::milliseconds(std::atoi(value.c_str()));
    for (const auto& [share, member] : shares) {
      if (name != share) continue;
      weather.*member = std::strtod(value.c_str(), nullptr);
      known = true;
    }
    if (!known) return false;
  }
  return true;
}

Result<std::unique_ptr<Wire>> Wire::listen(const Options& options, S3Service& service) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(options.port);
  if (::inet_pton(AF_INET, options.host.c_str(), &at.sin_addr) != 1)
    return Error(Fault::Invalid, options.host + " is no IPv4 address");
  socklen_t size = sizeof at;
  if (::bind(socket, reinterpret_cast<sockaddr*>(&at), size) != 0 || ::listen(socket, 128) != 0 ||
      ::getsockname(socket, reinterpret_cast<sockaddr*>(&at), &size) != 0) {
    const Error error = system_error(fmt::format("listen on {}:{}", options.host, options.port));
    ::close(socket);
    return error.copy();
  }
  return std::unique_ptr<Wire>(new Wire(socket, ntohs(at.sin_port), service));
}

Wire::Wire(int socket, uint16_t port, S3Service& service)
    : socket_(socket), port_(port), service_(service), accepting_([this] { accept_all(); }) {}

Wire::~Wire() {
  ::shutdown(socket_, SHUT_RDWR);
  accepting_.join();
  ::close(socket_);
  std::list<Connection> left;
  {
    const Lock lock(mutex_);
    for (const Connection& connection : connections_)
      if (!connection.over) ::shutdown(connection.socket, SHUT_RDWR);
    left.swap(connections_);
  }
  left.clear();  // joins
}

void Wire::forget_ended() {
  std::list<Connection> ended;
  const Lock lock(mutex_);
  for (auto at = connections_.begin(); at != connections_.end();) {
    const auto next = std::next(at);
    if (at->over) ended.splice(ended.end(), connections_, at);
    at = next;
  }
}

void Wire::accept_all() {
  for (;;) {
    const int socket = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    const int yes = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    forget_ended();
    const Lock lock(mutex_);
    Connection& connection = connections_.emplace_back();
    connection.socket = socket;
    connection.thread = std::jthread([this, &connection] { serve(connection); });
  }
}

void Wire::serve(Connection& connection) {
  net::RequestParser parser(kMostBody);
  while (serve_one(connection.socket, parser)) {
  }
  const Lock lock(mutex_);
  ::close(connection.socket);
  connection.over = true;
}

/// The first bytes of a request are taken alone, so that half an upload can be refused.
bool Wire::receive(int socket, net::RequestParser& parser) {
  constexpr size_t kFirst = 2000;
  std::string buffer(size_t{256} << 10, '\0');
  bool first = true;
  for (auto state = parser.feed(""); state != net::RequestParser::State::Done; first = false) {
    if (state == net::RequestParser::State::Failed) return false;
    if (parser.wants_continue() && !send_all(socket, "HTTP/1.1 100 Continue\r\n\r\n")) return false;
    const ssize_t count = ::recv(socket, buffer.data(), first ? kFirst : buffer.size(), 0);
    if (count <= 0) return false;
    state = parser.feed(std::string_view(buffer).substr(0, size_t(count)));
    const bool half = first && state == net::RequestParser::State::More &&
                      service_.happens(service_.weather().half_upload);
    if (half) return reset(socket), false;
  }
  return true;
}

bool Wire::serve_one(int socket, net::RequestParser& parser) {
  if (!receive(socket, parser)) return false;
  Weather weather = service_.weather();
  const bool keep_alive = parser.framing().keep_alive;
  net::Request request = parser.take();
  const bool is_head = request.method == "HEAD";
  if (request.path == kControl) {
    const bool known = read_weather(request.query, weather);
    if (known) service_.set_weather(weather);
    return send_all(socket, head_of({.status = known ? 204 : 400}, keep_alive)) && keep_alive;
  }
  if (request.path == kKeys) {
    service_.rotate(read_keys(request.query));
    return send_all(socket, head_of({.status = 204}, keep_alive)) && keep_alive;
  }
  if (service_.happens(weather.reset)) return reset(socket), false;
  if (weather.latency.count() > 0) sleep_until_stopped()(weather.latency, {});
  const net::Response response = service_.answer(std::move(request));
  if (service_.happens(weather.lost_answer)) return reset(socket), false;
  const bool truncated = service_.happens(weather.truncated) && response.body.size() > 1;
  if (!send_all(socket, head_of(response, keep_alive))) return false;
  if (is_head) return keep_alive;
  const std::string_view body = response.body;
  if (truncated) return send_all(socket, body.substr(0, body.size() / 2)), false;
  return send_all(socket, body) && keep_alive;
}

}  // namespace holdfast::s3_double
