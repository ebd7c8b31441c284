/// The server: one listening socket, a few threads on one Asio loop, a sweep that finds overdue
/// connections.
#include <holdfast/base/log.h>
#include <holdfast/base/walls.h>
#include <holdfast/net/server.h>

#include "server/connection.h"
#include "server/server_state.h"
#include "server/tls_settings.h"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>
#include <malloc.h>
#include <netinet/tcp.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <thread>

namespace holdfast::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using namespace std::chrono_literals;

// One timer for all connections instead of one each: a deadline then costs a store, and no heap
// operation per request.
std::chrono::milliseconds sweep_interval(const ServerOptions& options) {
  const std::chrono::milliseconds shortest =
      std::min({options.idle_timeout, options.read_timeout, options.write_timeout});
  return std::clamp<std::chrono::milliseconds>(shortest / 4, 50ms, 1000ms);
}

Result<tcp::endpoint> endpoint_of(const ServerOptions& options) {
  error_code error;
  const std::string host = options.host == "localhost" ? "127.0.0.1" : options.host;
  const auto address = asio::ip::make_address(host, error);
  if (error)
    return Error(Fault::Invalid, fmt::format("listen on {}: not an IP address", options.host));
  return tcp::endpoint(address, options.port);
}

std::string text_of(const tcp::endpoint& peer) {
  const std::string address = peer.address().to_string();
  if (peer.address().is_v6()) return fmt::format("[{}]:{}", address, peer.port());
  return fmt::format("{}:{}", address, peer.port());
}

void set_socket_options(int fd) {
  const auto set = [fd](int level, int option, int value) {
    setsockopt(fd, level, option, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  // A peer that vanished without a word is noticed after about two minutes, also by a stream that
  // writes nothing.
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 60);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 15);
  set(IPPROTO_TCP, TCP_KEEPCNT, 4);
  // The kernel would take megabytes for a client that does not read.
  set(IPPROTO_TCP, TCP_NOTSENT_LOWAT, 128 * 1024);
}

// A login shell gives 1024 descriptors and allows more. Connections must leave some of them for the
// files of the process: with none left it could not even read its own state. A WebSocket may take
// as many again as lead on to where its other end is.
void keep_within_limits(ServerOptions& options) {
  constexpr size_t kForFiles = 128, kPerTalk = 4;
  const size_t wanted = options.max_connections + kPerTalk * options.max_talks + kForFiles;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t most = std::min<rlim_t>(limit.rlim_max, wanted);
  if (limit.rlim_cur < most) {
    limit.rlim_cur = most;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) getrlimit(RLIMIT_NOFILE, &limit);
  }
  if (limit.rlim_cur >= wanted) return;
  options.max_connections = std::min(options.max_connections, size_t(limit.rlim_cur / 2));
  options.max_talks = std::min(options.max_talks, std::max<size_t>(limit.rlim_cur / 16, 1));
}

class TcpServer final : public Server {
 public:
  TcpServer(ServerOptions options, Service& service, TlsSettings tls)
      : state_(std::make_shared<ServerState>(std::move(options), service, std::move(tls))),
        strand_(asio::make_strand(state_->io)),
        acceptor_(strand_),
        timer_(strand_),
        work_(asio::make_work_guard(state_->io)) {}
  TcpServer(const TcpServer&) = delete;
  TcpServer& operator=(const TcpServer&) = delete;
  // NOLINTNEXTLINE(bugprone-exception-escape): join throws only if a thread joins itself
  ~TcpServer() override { stop(0ms); }

  Result<void> listen();
  void run();
  uint16_t port() const override { return port_; }
  size_t connections() const override { return state_->size() + state_->talks.size(); }
  size_t waiting_connections() const override { return state_->waiting(); }
  MonoTime last_look() const override { return last_look_.load(); }
  Result<void> use_certificate(const std::string& certificate, const std::string& key) override;
  void stop(std::chrono::milliseconds grace) override;

 private:
  void accept();
  void welcome(Connection::Socket socket);
  void sweep();
  void give_back_memory();

  const std::shared_ptr<ServerState> state_;
  const Connection::Strand strand_;  // of the acceptor and the timer
  asio::basic_socket_acceptor<tcp, Connection::Strand> acceptor_;
  asio::basic_waitable_timer<std::chrono::steady_clock,
                             asio::wait_traits<std::chrono::steady_clock>, Connection::Strand>
      timer_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  uint16_t port_ = 0;
  std::atomic<MonoTime> last_look_{};
  // In strand_:
  bool accepting_ = false;
  size_t most_open_ = 0;  // since memory was last given back
  uint64_t last_id_ = 0;
  bool ended_ = false;  // the timer must not be set again

  Mutex stop_mutex_;
  std::vector<std::thread> threads_ HF_GUARDED_BY(stop_mutex_);
};

Result<void> TcpServer::listen() {
  const tcp::endpoint endpoint = HF_TRY(endpoint_of(state_->options));
  error_code error;
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (error)
    return Error(error == asio::error::access_denied ? Fault::Denied : Fault::Conflict,
                 fmt::format("listen on {}: {}", text_of(endpoint), error.message()));
  port_ = acceptor_.local_endpoint(error).port();
  return ok();
}

void TcpServer::run() {
  last_look_.store(state_->clock.mono());
  asio::post(strand_, [this] {
    accept();
    sweep();
  });
  const Lock lock(stop_mutex_);
  for (int i = 0; i < std::max(1, state_->options.threads); ++i)
    threads_.emplace_back([this] { state_->io.run(); });
}

void TcpServer::accept() {
  accepting_ = true;
  acceptor_.async_accept(
      asio::make_strand(state_->io), [this](error_code error, Connection::Socket socket) {
        accepting_ = false;
        if (!acceptor_.is_open()) return;
        if (!error) {
          welcome(std::move(socket));
        } else if (error == asio::error::no_descriptors || error == asio::error::no_memory) {
          // Trying again at once would spin until somebody leaves: the sweep does it.
          log::warn(fmt::format("accept on port {}: {}", port_, error.message()));
          return;
        }
        accept();
      });
}

void TcpServer::welcome(Connection::Socket socket) {
  error_code error;
  const tcp::endpoint peer = socket.remote_endpoint(error);
  if (!error) socket.native_non_blocking(true, error);
  if (error) return;  // gone already
  set_socket_options(socket.native_handle());
  const auto connection =
      std::make_shared<Connection>(state_, std::move(socket), text_of(peer), ++last_id_);
  if (state_->add(connection)) connection->ask_begin();
}

// After a crowd has left, its memory lies in small pieces that malloc keeps: 76 MB for 5,000.
void TcpServer::give_back_memory() {
  constexpr size_t kCrowd = 1000;
  const size_t open = state_->size();
  most_open_ = std::max(most_open_, open);
  if (most_open_ < kCrowd || open > most_open_ / 2) return;
  most_open_ = open;
  malloc_trim(0);
}

void TcpServer::sweep() {
  last_look_.store(state_->clock.mono());
  timer_.expires_after(sweep_interval(state_->options));
  timer_.async_wait([this](error_code error) {
    if (error || ended_) return;
    for (const auto& connection : state_->overdue()) connection->ask_check_deadline();
    give_back_memory();
    if (!accepting_ && acceptor_.is_open()) accept();
    sweep();
  });
}

void TcpServer::stop(std::chrono::milliseconds grace) {
  const Lock lock(stop_mutex_);
  if (threads_.empty()) return;
  state_->begin_stop();
  asio::post(strand_, [this] {
    error_code ignored;
    acceptor_.close(ignored);
  });
  for (const auto& connection : state_->open()) connection->ask_stop();
  const MonoTime end = state_->clock.mono() + grace;
  state_->talks.stop("the server is stopping");
  state_->wait_until_empty(grace);
  for (const auto& connection : state_->open()) connection->ask_close();
  asio::post(strand_, [this] {
    ended_ = true;
    timer_.cancel();
  });
  work_.reset();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  const MonoTime left = std::max(end - state_->clock.mono(), MonoTime(0));
  state_->talks.join(std::chrono::duration_cast<std::chrono::milliseconds>(left));
}

Result<void> TcpServer::use_certificate(const std::string& certificate, const std::string& key) {
  if (state_->options.certificate.empty() || certificate.empty())
    return Error(Fault::Invalid, "use a certificate: the server speaks plain HTTP");
  ServerOptions options = state_->options;
  options.certificate = certificate;
  options.key = key;
  TlsSettings settings = HF_TRY(server_tls(options));
  state_->use_tls(std::move(settings));
  return ok();
}

}  // namespace

Result<std::unique_ptr<Server>> Server::start(ServerOptions options, Service& service) {
  TlsSettings tls = HF_TRY(server_tls(options));
  keep_within_limits(options);
  options.knows_users = options.knows_users && wall_stands("connections have shares");
  auto server = std::make_unique<TcpServer>(std::move(options), service, std::move(tls));
  HF_TRY(server->listen());
  server->run();
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace holdfast::net
