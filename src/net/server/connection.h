/// One client's connection, as a state machine that never waits:
///
///   Handshake → Receive → Serve → Send ────→ Receive …  kept alive
///                  │        ├──→ Stream ──→ Receive …
///                  │        └──→ Switch ──→ Closed    goes on as a WebSocket, on its own thread
///                  └ bad bytes → Send → Drain → Closed
///
/// Drain: what the client still sends is thrown away, because closing on unread bytes would take
/// our answer from it.
///
/// Everything runs in the connection's strand, except deliver, wake, deadline, waits, id and the
/// ask_… functions, which any thread may call. An idle connection owns no buffer: bytes are read
/// onto the stack and parsed from there.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/net/http.h>
#include <holdfast/net/request_parser.h>

#include "server/response_text.h"
#include "server/server_state.h"
#include "server/tls_settings.h"
#include "server/wire.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/strand.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <string>

namespace holdfast::net {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Strand = boost::asio::strand<boost::asio::io_context::executor_type>;
  using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Strand>;

  Connection(std::shared_ptr<ServerState> state, Socket socket, std::string address, uint64_t id);

  uint64_t id() const { return id_; }
  /// For its peer, which owes it a handshake or a request.
  bool waits() const { return waits_; }

  void ask_begin();
  /// Idle: closes. Else finishes the request under way, ends its stream, and closes then.
  void ask_stop();
  void ask_close();
  /// Makes room for another: what it is doing for its peer it finishes, a stream it ends.
  void ask_give_way();
  void ask_check_deadline();
  MonoTime deadline() const { return MonoTime(deadline_.load(std::memory_order_relaxed)); }

  /// The service's answer to the request under way.
  void deliver(Response response);
  /// The stream has more to say.
  void wake();

 private:
  enum class Phase { Handshake, Receive, Serve, Send, Switch, Stream, Drain, Closed };

  template <class Action>
  void post(Action action);
  void await(Step step);
  void on_ready(bool readable);
  void drive();
  void set_deadline(std::chrono::microseconds from_now);
  void clear_deadline();

  void begin();
  void shake_hands();
  void receive();
  bool tell_to_continue();
  void serve();
  Peer peer() const;
  void refuse(int status, std::string_view reason);
  void respond(Response response);
  void send();
  Response switching(Response response);
  void leave_http();
  void begin_stream(std::shared_ptr<BodyStream> stream);
  void read_stream();
  void end_stream_text();
  void end_stream();
  void pump();
  void watch_peer();
  /// Writes what is in out_ and body_, as far as the socket takes it.
  Step flush();
  void finish_response();
  void drain();
  void hang_up();
  void close();
  void stop();
  void give_way();
  /// False if the user has no room for one more.
  bool is_of(const std::string& user);
  std::chrono::seconds idle_timeout() const;
  void check_deadline();

  const std::shared_ptr<ServerState> state_;
  Socket socket_;
  const Strand strand_;
  const std::string address_;
  const uint64_t id_;
  std::atomic<int64_t> deadline_;
  std::atomic<bool> waits_{true};
  std::atomic<bool> wake_posted_{false};

  Phase phase_ = Phase::Handshake;
  Wire wire_;
  ClientIdentity identity_;
  RequestParser parser_;
  AnswerForm form_;
  std::optional<Response> arrived_;  ///< an answer given before serve() returned
  std::shared_ptr<BodyStream> stream_;
  std::string accept_;  ///< of the request under way, if it may go on as a WebSocket
  std::shared_ptr<void> seat_;
  Talk talk_;
  std::string protocol_;
  std::string out_;   ///< bytes on their way
  std::string body_;  ///< follows out_
  size_t sent_ = 0;   ///< of out_
  size_t drained_ = 0;
  bool proven_ = false;  ///< the peer is a user's
  bool read_awaited_ = false;
  bool write_awaited_ = false;
  bool arriving_ = false;        ///< the first byte of a request has come
  bool inside_service_ = false;  ///< serve() is on the stack
  bool linger_ = false;          ///< the client may still be sending when we are done
  bool idle_ = false;            ///< the stream had nothing and will wake us
  bool ended_ = false;           ///< the stream's last byte is in out_
};

}  // namespace holdfast::net
