/// HTTP over plain sockets, a thread for each connection, so that a connection can be made to fail
/// at any byte.
#pragma once

#include <holdfast/net/request_parser.h>

#include "service.h"

#include <list>
#include <thread>

namespace holdfast::s3_double {

class Wire {
 public:
  static Result<std::unique_ptr<Wire>> listen(const Options& options, S3Service& service);
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  uint16_t port() const { return port_; }

 private:
  struct Connection {
    int socket = -1;
    bool over = false;
    std::jthread thread{};
  };
  Wire(int socket, uint16_t port, S3Service& service);
  void accept_all();
  void serve(Connection& connection);
  /// False when the connection is over.
  bool serve_one(int socket, net::RequestParser& parser);
  bool receive(int socket, net::RequestParser& parser);
  void forget_ended();

  const int socket_;
  const uint16_t port_;
  S3Service& service_;
  Mutex mutex_;
  std::list<Connection> connections_ HF_GUARDED_BY(mutex_);
  std::jthread accepting_;
};

/// "slow-down=0.5&latency=20" over the weather there is; for a control request and for flags.
bool read_weather(const net::Query& query, Weather& weather);

}  // namespace holdfast::s3_double
