/// An HTTP/1.1 server over TLS or plain TCP: keep-alive, pipelining one at a time, chunked streams,
/// gzip.
///
/// Hostile clients cost bounded memory: header block ≤ 64 KiB, body ≤ `max_body`, a response that
/// the client does not read is dropped after `write_timeout`, an idle connection after
/// `idle_timeout`, a request that does not finish arriving after `read_timeout`; connections past
/// `max_connections` are closed at accept. Where the process may open few files, fewer are taken.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/result.h>
#include <holdfast/net/http.h>
#include <holdfast/net/websocket.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace holdfast::net {

struct ServerOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 0;  ///< 0 picks a free one
  int threads = 2;
  size_t max_body = (size_t(3) << 20) + 65536;  ///< more: 413 through `error_page`
  size_t max_connections = 20000;
  size_t max_talks = 256;  ///< WebSockets at once, each with a thread; more: 503
  /// The service says whose requests are (Response::user); a client's certificate says it too.
  /// Peers that have proven nothing then have a quarter of the connections and `stranger_timeout`
  /// of idling, the oldest gives way to the next, and no user has more than half of the rest, nor
  /// more than a quarter of the WebSockets.
  bool knows_users = false;
  std::chrono::seconds stranger_timeout{10};
  WebSocketLimits websocket{};
  std::chrono::seconds idle_timeout{180};
  std::chrono::seconds read_timeout{60};
  std::chrono::seconds write_timeout{60};
  /// TLS if the certificate is set (PEM texts). Client certificates are asked for when `client_ca`
  /// is set, and verified against it; a certificate that does not verify is treated as absent and
  /// the service decides.
  std::string certificate{}, key{}, client_ca{};
  /// Body and content type of the 400, 413, 429, 431, 500, 501 and 503 that the server itself
  /// answers; null: plain text.
  std::function<Response(int status, std::string_view reason)> error_page{};
};

class Server {
 public:
  virtual ~Server() = default;
  /// Listening when it returns. `service` must outlive the server.
  static Result<std::unique_ptr<Server>> start(ServerOptions options, Service& service);
  virtual uint16_t port() const = 0;
  /// Connections open now; for metrics.
  virtual size_t connections() const = 0;
  /// Those of them that wait for a request: one of these gives way where there are too many.
  virtual size_t waiting_connections() const = 0;
  /// When one of its threads last looked at all connections, as one does every second. Long ago:
  /// the service holds all of them, and nobody is accepted, read or answered.
  virtual MonoTime last_look() const = 0;
  /// Connections made from now on see this certificate (PEM texts). The old one stays if the new
  /// does not parse or does not fit its key. Invalid for a server without TLS.
  virtual Result<void> use_certificate(const std::string& certificate, const std::string& key) = 0;
  /// Stops accepting, closes WebSockets, lets requests under way finish for at most `grace`, ends
  /// streams, then closes all and waits for what talks. Idempotent.
  virtual void stop(std::chrono::milliseconds grace) = 0;
};

}  // namespace holdfast::net
