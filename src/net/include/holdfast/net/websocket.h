/// WebSocket (RFC 6455) as a blocking exchange of messages, for threads: both ends, over a socket
/// or within the process.
///
/// The frames are our own (websocket/frames.h), not Beast's `websocket::stream`: that one wants to
/// own an Asio stream and to be driven by composed operations, while our server waits for readiness
/// on a `Wire` and our client's TLS lives in libcurl. A passive codec serves both, can be fuzzed by
/// itself, and spares half a minute of compiling.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/result.h>
#include <holdfast/net/http.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::net {

struct WebSocketLimits {
  size_t max_message = size_t(1) << 20;         ///< a longer one ends the connection (1009)
  std::chrono::milliseconds ping_every{15000};  ///< of silence
  /// No byte in so long, though asked by pings: the peer is gone. Seen by who receives.
  std::chrono::milliseconds silence{60000};
  /// Not one byte of a message taken in so long: the peer is gone. Seen by who sends.
  std::chrono::milliseconds stall{600000};
};

/// One thread may receive while another sends; any thread may close. Somebody must be receiving:
/// pings are answered, and a dead peer is noticed, in there.
class WebSocket {
 public:
  struct Message {
    std::string data{};
    bool text = false;
  };
  /// What the other end said when it closed; 1005: it gave no code.
  struct Closing {
    int code = 1005;
    std::string reason{};
  };
  static constexpr int kNormal = 1000, kGoingAway = 1001, kProtocolError = 1002,
                       kUnsupported = 1003, kPolicy = 1008, kInternalError = 1011;

  virtual ~WebSocket() = default;
  /// The subprotocol that both ends agreed on; "" = none.
  virtual const std::string& protocol() const = 0;
  /// Nothing: closed in order, by the other end (see closing()) or by close() here. Unavailable:
  /// cut off, silent for too long, or it broke the protocol. After either, always the same again.
  virtual Result<std::optional<Message>> receive() = 0;
  /// True once receive() would not block; false at `until`. For who receives.
  virtual bool wait(MonoTime until) = 0;
  /// A binary message. Returns when the last byte is handed over: a peer that does not read makes
  /// the sender wait and holds no more than this message. Unavailable: closed or gone.
  virtual Result<void> send(std::string_view data) = 0;
  /// Wakes who receives or sends; what was sent before still arrives. The first call counts. The
  /// reason is cut at 123 bytes.
  virtual void close(int code, std::string_view reason) = 0;
  virtual std::optional<Closing> closing() const = 0;
};

/// Runs on a thread of its own and owns the conversation: when it returns, the connection is closed
/// (1000, unless it did so itself). It must return soon after its socket has ended.
using Talk = std::function<void(std::shared_ptr<WebSocket>)>;

/// True if the request asks to go on as a WebSocket; whether it does so properly is the server's
/// business (400 instead of the 101, if not).
bool asks_for_websocket(const Request& request);
/// The first of the client's subprotocols that is served, or "".
std::string agreed_protocol(const Request& request, std::initializer_list<std::string_view> served);
/// The answer that goes on as a WebSocket.
Response go_on_as_websocket(std::string_view protocol, Talk talk);

}  // namespace holdfast::net
