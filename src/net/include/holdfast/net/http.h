/// HTTP messages as plain values, shared by server, client and everything that speaks over either.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::net {

/// Names compare without case; order and repeats are kept.
class Headers {
 public:
  /// The first value, or "".
  std::string_view get(std::string_view name) const;
  std::vector<std::string_view> all(std::string_view name) const;
  bool has(std::string_view name) const;
  void add(std::string_view name, std::string_view value);
  void set(std::string_view name, std::string_view value);
  void remove(std::string_view name);
  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

/// Decoded key=value pairs in their order.
using Query = std::vector<std::pair<std::string, std::string>>;

/// Who is at the other end, as far as the connection itself proves it.
struct Peer {
  std::string address{};      ///< "127.0.0.1:40312"; "in-process" when handed over without a socket
  bool certificate = false;   ///< a client certificate that chains to the server's client CA
  std::string common_name{};  ///< its subject CN
  std::vector<std::string> organizations{};  ///< its subject O values
  bool certificate_refused = false;  ///< one was shown, and it is expired or of another authority
};

struct Request {
  std::string method{};
  std::string target{};  ///< as sent: "/api/v1/pods?limit=500"
  std::string path{};    ///< decoded, without the query
  Query query{};
  Headers headers{};
  std::string body{};
  Peer peer{};
};

/// A response body that is made while it is read: watches, logs. The reader pulls, so a client that
/// does not read costs one chunk of memory and no more.
class BodyStream {
 public:
  virtual ~BodyStream() = default;
  enum class State { Ready, Idle, End };
  /// Appends to `out` what is there now, up to about 256 KiB. Idle: nothing now; the waker will be
  /// called once there is. Never blocks. Called by one thread at a time.
  virtual State read(std::string& out) = 0;
  /// Set before the first read. The stream may call it from any thread, also when nothing changed.
  virtual void set_waker(std::function<void()> waker) = 0;
};

class WebSocket;

struct Response {
  int status = 200;
  Headers headers{};
  std::string body{};                    ///< unless `stream` is set
  std::shared_ptr<BodyStream> stream{};  ///< sent chunked, flushed after every read
  /// With status 101: the connection leaves HTTP and this runs on a thread of its own; see
  /// websocket.h.
  std::function<void(std::shared_ptr<WebSocket>)> talk{};
  std::string user{};  ///< of the request, if it has proven to be one's; kept here, never sent
};

/// Called exactly once per request, from any thread.
using Respond = std::function<void(Response)>;

/// Whoever answers requests: the API server's core, a webhook, the node's endpoints. Called from
/// many threads at once.
class Service {
 public:
  virtual ~Service() = default;
  virtual void serve(Request request, Respond respond) = 0;
};

/// Percent-decoding; bad escapes stay as they are.
std::string percent_decode(std::string_view text, bool plus_is_space);
std::string percent_encode(std::string_view text);
/// Fills path and query from target.
void split_target(Request& request);
std::string_view query_value(const Query& query, std::string_view key);

}  // namespace holdfast::net
