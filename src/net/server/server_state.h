/// State shared by the connections of one server. Each holds it, so it outlives them all.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/mutex.h>
#include <holdfast/net/server.h>

#include "server/shares.h"
#include "tls/openssl.h"
#include "websocket/talks.h"

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <memory>
#include <unordered_map>
#include <vector>

namespace holdfast::net {

class Connection;

class ServerState {
 public:
  ServerState(ServerOptions chosen, Service& answers, TlsSettings settings)
      : io(chosen.threads),
        options(std::move(chosen)),
        service(answers),
        talks(options.max_talks),
        tls_(std::move(settings)),
        shares_(Shares::of(options.max_connections)) {}

  boost::asio::io_context io;
  const ServerOptions options;
  Service& service;
  const SystemClock clock;
  Talks talks;

  /// What new connections start with; those that are open keep what they have.
  TlsSettings tls() const;
  void use_tls(TlsSettings settings);

  /// The answer that the server itself gives.
  Response page(int status, std::string_view reason) const;

  /// False if the server is full or stopping. Another may have to go for it.
  bool add(const std::shared_ptr<Connection>& connection);
  /// The connection is a user's. False if the user has no room for it.
  bool prove(uint64_t id, const std::string& user);
  void remove(const std::shared_ptr<Connection>& connection);
  std::vector<std::shared_ptr<Connection>> open() const;
  std::vector<std::shared_ptr<Connection>> overdue() const;
  size_t size() const;
  size_t waiting() const;

  bool stopping() const { return stopping_; }
  /// From here on nobody is added.
  void begin_stop();
  void wait_until_empty(std::chrono::milliseconds limit);

 private:
  bool let_go(const Shares::Verdict& verdict) HF_REQUIRES(mutex_);
  Shares::Waits waits() const HF_REQUIRES(mutex_);

  mutable Mutex tls_mutex_;
  TlsSettings tls_ HF_GUARDED_BY(tls_mutex_);
  mutable Mutex mutex_;
  CondVar changed_;
  std::unordered_map<uint64_t, std::shared_ptr<Connection>> open_ HF_GUARDED_BY(mutex_);
  Shares shares_ HF_GUARDED_BY(mutex_);
  std::atomic<bool> stopping_{false};  ///< set under mutex_, so that add() cannot miss it
};

}  // namespace holdfast::net
