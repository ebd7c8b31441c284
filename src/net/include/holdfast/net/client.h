/// An HTTP client on libcurl: pooled keep-alive connections, TLS with client certificates,
/// streaming responses.
#pragma once

#include <holdfast/base/result.h>
#include <holdfast/net/http.h>
#include <holdfast/net/websocket.h>

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::net {

struct ClientOptions {
  std::string base_url{};                  ///< "https://127.0.0.1:6443"
  std::string ca{}, certificate{}, key{};  ///< PEM texts; empty = none
  std::string bearer_token{};
  std::string user_agent = "holdfast";
  std::string proxy{};
  std::string server_name{};  ///< expected in the certificate, when it differs from the URL's host
  bool insecure = false;
  /// A server's certificate (PEM): whoever proves that he has its key is trusted, whatever its
  /// names and issuer; nobody else is.
  std::string pinned{};
  size_t buffer = 0;  ///< bytes moved at once; 0 = as is usual, more for who moves much
  std::chrono::milliseconds connect_timeout{
      0};  ///< until a connection is there; 0 = the call's own
  /// A connection whose peer acknowledges nothing for so long is cut off, also one that only waits;
  /// 0 = as the system does, which may take hours.
  std::chrono::seconds silence{0};
  WebSocketLimits websocket{};
};

struct Call {
  std::string method = "GET";
  std::string target{};  ///< "/api/v1/pods?limit=500"
  Headers headers{};
  std::string body{};
  std::string_view borrowed{};  ///< a body that is not copied and outlives the call; or `body`
  std::chrono::milliseconds timeout{30000};  ///< of the whole call; for a stream: until the headers
  std::chrono::seconds stall{0};             ///< no byte moved for so long ends the call; 0 = never
  std::stop_token stop{};  ///< ends the call at once, from any thread: Unavailable
  /// Asked before bytes of a body move: 0 lets them go, more is how long to wait and ask again.
  std::function<std::chrono::milliseconds(size_t bytes, bool up)> pace{};
  /// Of a stream: told that a 2xx answer begins, which may be long before its first byte.
  std::function<void(const Response&)> on_head{};
  size_t max_response = size_t(64) << 20;  ///< a longer body is refused; streams may be endless
  std::string_view payload() const { return borrowed.empty() ? std::string_view(body) : borrowed; }
};

/// What connect() came to.
struct Connected {
  Response answer{};                    ///< 101, or what was said instead, with its body
  std::shared_ptr<WebSocket> socket{};  ///< with 101; it may outlive its client
};

/// Safe to use from many threads; each call takes a connection of the pool. An HTTP error status is
/// a Response, not an Error; Errors are Unavailable (no connection, time-out, cut off), Denied
/// (TLS), Invalid (a header with a line break) or Corrupt (a body longer than `max_response`). A
/// request with a body is never sent twice.
class Client {
 public:
  virtual ~Client() = default;
  static Result<std::unique_ptr<Client>> make(ClientOptions options);
  /// Blocks the calling thread. "Accept-Encoding: gzip" in the headers is undone: the body is
  /// plain.
  virtual Result<Response> call(const Call& call) = 0;
  /// Hands over the body bytes of a 2xx answer as they come, until `on_data` returns false or the
  /// server ends; the Response then has no body. Any other answer is returned with its body, as by
  /// call().
  virtual Result<Response> stream(const Call& call,
                                  const std::function<bool(std::string_view)>& on_data) = 0;
  /// Asks the server to go on as a WebSocket, in one of `protocols`, the dearest first. Time limit
  /// and stop token hold until the answer. Denied or Unavailable also if the server agrees in a way
  /// that is none. Unless a client says otherwise, it has none: Invalid.
  virtual Result<Connected> connect(const Call& call, const std::vector<std::string>& protocols);
};

/// What any kind of client says of a body over the bound.
Error answer_too_long(size_t bound);

}  // namespace holdfast::net
