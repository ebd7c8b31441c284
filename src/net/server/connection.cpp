#include "server/connection.h"

#include <holdfast/base/log.h>

#include "websocket/framed.h"
#include "websocket/handshake.h"

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <array>

namespace holdfast::net {
namespace {

using namespace std::chrono_literals;

constexpr size_t kReadSize = size_t(16) << 10;  // the largest TLS record
constexpr size_t kJoinedBody = size_t(16)
                               << 10;  // smaller bodies go out in one piece with their head
constexpr size_t kMaxDrain = size_t(16) << 20;
constexpr std::chrono::seconds kHandshakeLimit = 10s;
constexpr std::chrono::seconds kLingerLimit = 1s;

/// The service's right to answer one request, once. Dropped unanswered it answers for the service,
/// so that no client waits for ever on a defect of ours.
class Ticket {
 public:
  Ticket(std::weak_ptr<Connection> connection, std::shared_ptr<ServerState> state)
      : connection_(std::move(connection)), state_(std::move(state)) {}
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;
  ~Ticket() {
    if (!used_) answer(state_->page(500, "request dropped without an answer"));
  }

  void answer(Response response) {
    if (used_.exchange(true)) return;
    if (const auto connection = connection_.lock()) connection->deliver(std::move(response));
  }

 private:
  std::weak_ptr<Connection> connection_;
  std::shared_ptr<ServerState> state_;
  std::atomic<bool> used_{false};
};

}  // namespace

Connection::Connection(std::shared_ptr<ServerState> state, Socket socket, std::string address,
                       uint64_t id)
    : state_(std::move(state)),
      socket_(std::move(socket)),
      strand_(socket_.get_executor()),
      address_(std::move(address)),
      id_(id),
      deadline_(INT64_MAX),
      wire_(socket_.native_handle(), state_->tls().get()),
      parser_(state_->options.max_body) {}

// Weak: what is still queued when the server has ended must not keep the connection, and by it the
// queue, alive.
template <class Action>
void Connection::post(Action action) {
  boost::asio::post(strand_, [weak = weak_from_this(), action = std::move(action)]() mutable {
    if (const auto self = weak.lock()) action(*self);
  });
}

void Connection::ask_begin() {
  post([](Connection& self) { self.begin(); });
}
void Connection::ask_stop() {
  post([](Connection& self) { self.stop(); });
}
void Connection::ask_close() {
  post([](Connection& self) { self.close(); });
}
void Connection::ask_give_way() {
  post([](Connection& self) { self.give_way(); });
}
void Connection::ask_check_deadline() {
  post([](Connection& self) { self.check_deadline(); });
}

void Connection::await(Step step) {
  bool& awaited = step == Step::WantRead ? read_awaited_ : write_awaited_;
  if (awaited) return;
  awaited = true;
  const auto event = step == Step::WantRead ? Socket::wait_read : Socket::wait_write;
  socket_.async_wait(event, [self = shared_from_this(), step](boost::system::error_code error) {
    (step == Step::WantRead ? self->read_awaited_ : self->write_awaited_) = false;
    if (self->phase_ == Phase::Closed) return;
    if (error) return self->close();
    self->on_ready(step == Step::WantRead);
  });
}

void Connection::on_ready(bool readable) {
  if (readable && phase_ == Phase::Stream) watch_peer();
  drive();
}

void Connection::drive() {
  switch (phase_) {
    case Phase::Handshake:
      return shake_hands();
    case Phase::Receive:
      return receive();
    case Phase::Send:
    case Phase::Switch:
      return send();
    case Phase::Stream:
      return pump();
    case Phase::Drain:
      return drain();
    case Phase::Serve:
    case Phase::Closed:
      return;
  }
}

void Connection::set_deadline(std::chrono::microseconds from_now) {
  deadline_.store((state_->clock.mono() + from_now).count(), std::memory_order_relaxed);
}

void Connection::clear_deadline() { deadline_.store(INT64_MAX, std::memory_order_relaxed); }

void Connection::check_deadline() {
  if (deadline() > state_->clock.mono()) return;
  if (phase_ == Phase::Send || phase_ == Phase::Switch || phase_ == Phase::Stream)
    log::info(fmt::format("closed {}: it has not read what it asked for in {} s", address_,
                          state_->options.write_timeout.count()));
  close();
}

void Connection::begin() {
  if (phase_ == Phase::Closed) return;
  phase_ = wire_.secure() ? Phase::Handshake : Phase::Receive;
  set_deadline(wire_.secure() ? std::min(kHandshakeLimit, state_->options.read_timeout)
                              : idle_timeout());
  drive();
}

void Connection::shake_hands() {
  const Step step = wire_.handshake();
  if (step == Step::Closed) return close();
  if (step != Step::Done) return await(step);
  identity_ = client_identity(wire_.ssl());
  phase_ = Phase::Receive;
  if (identity_.present) is_of(identity_.common_name);
  set_deadline(idle_timeout());
  receive();
}

/// A stranger idles for a short while only, unless all are strangers here.
std::chrono::seconds Connection::idle_timeout() const {
  const ServerOptions& options = state_->options;
  return options.knows_users && !proven_ ? std::min(options.stranger_timeout, options.idle_timeout)
                                         : options.idle_timeout;
}

bool Connection::is_of(const std::string& user) {
  if (proven_ || user.empty() || !state_->options.knows_users) return true;
  proven_ = state_->prove(id_, user);
  return proven_;
}

void Connection::receive() {
  using State = RequestParser::State;
  std::array<char, kReadSize>
      buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
  State state = parser_.started() ? parser_.feed("") : State::More;
  while (state == State::More) {
    if (parser_.started() && !arriving_) {
      arriving_ = true;
      set_deadline(state_->options.read_timeout);
    }
    if (!tell_to_continue()) return close();
    const Moved got = wire_.read(buffer.data(), buffer.size());
    if (got.step == Step::Closed) return close();
    if (got.step != Step::Done) return await(got.step);
    state = parser_.feed({buffer.data(), got.bytes});
  }
  if (state == State::Failed) return refuse(parser_.status(), parser_.reason());
  serve();
}

/// False if the socket does not take even these few bytes: then the client has long stopped
/// reading.
bool Connection::tell_to_continue() {
  if (!parser_.wants_continue()) return true;
  constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  const Moved sent = wire_.write(kContinue);
  return sent.step == Step::Done && sent.bytes == kContinue.size();
}

/// A certificate may expire while its connection lives.
Peer Connection::peer() const {
  const bool expired = identity_.present && identity_.expires <= state_->clock.now();
  if (!identity_.present || expired)
    return {.address = address_, .certificate_refused = identity_.refused || expired};
  return {.address = address_,
          .certificate = true,
          .common_name = identity_.common_name,
          .organizations = identity_.organizations};
}

void Connection::serve() {
  phase_ = Phase::Serve;
  waits_ = false;
  arriving_ = false;
  clear_deadline();
  const RequestParser::Framing framing = parser_.framing();
  Request request = parser_.take();
  request.peer = peer();
  form_ = answer_form(request, framing.keep_alive, framing.chunked);
  accept_ = framing.chunked ? accept_of(request) : "";

  inside_service_ = true;
  state_->service.serve(std::move(request),
                        [ticket = std::make_shared<Ticket>(weak_from_this(), state_)](
                            Response response) { ticket->answer(std::move(response)); });
  inside_service_ = false;

  if (!arrived_) return;
  Response response = std::move(*arrived_);
  arrived_.reset();
  respond(std::move(response));
}

void Connection::deliver(Response response) {
  // The service may hold locks while it answers, and a stream's read may want them: nothing is done
  // before it returns.
  if (strand_.running_in_this_thread() && inside_service_) {
    arrived_ = std::move(response);
    return;
  }
  post([response = std::move(response)](Connection& self) mutable {
    if (self.phase_ == Phase::Serve) self.respond(std::move(response));
  });
}

void Connection::refuse(int status, std::string_view reason) {
  form_ = {.keep_alive = false};
  linger_ = true;
  respond(state_->page(status, reason));
}

void Connection::respond(Response response) {
  waits_ = false;
  if (!is_of(response.user)) {
    // What has been done is told; what would go on and on is not begun.
    form_.keep_alive = false;
    if (response.stream || response.talk)
      response = state_->page(429, "the user has too many connections under way");
  }
  if (response.status == 101) response = switching(std::move(response));
  if (state_->stopping() || (response.stream && !form_.chunked)) form_.keep_alive = false;
  compress_large(response, form_);
  out_ = response_head(response, form_, state_->clock.now());
  sent_ = 0;
  set_deadline(state_->options.write_timeout);
  if (has_body(response, form_)) {
    if (response.stream) return begin_stream(std::move(response.stream));
    if (response.body.size() <= kJoinedBody)
      out_ += response.body;
    else
      body_ = std::move(response.body);
  }
  phase_ = talk_ ? Phase::Switch : Phase::Send;
  send();
}

/// The answer that leaves HTTP, or the one that says why not.
Response Connection::switching(Response response) {
  if (!response.talk) return state_->page(500, "the service leaves HTTP without a conversation");
  if (accept_.empty())
    return state_->page(400, "this is not a request to go on as a WebSocket (RFC 6455)");
  seat_ = state_->talks.seat(response.user);
  if (!seat_) return state_->page(503, "too many WebSocket connections");
  talk_ = std::exchange(response.talk, nullptr);
  protocol_ = response.headers.get("Sec-WebSocket-Protocol");
  response.headers.set("Upgrade", "websocket");
  response.headers.set("Sec-WebSocket-Accept", accept_);
  return response;
}

/// The descriptor and what has come on it go to a thread of their own; this connection is over.
void Connection::leave_http() {
  boost::system::error_code error;
  const int fd = socket_.release(error);
  if (error) return close();
  auto duplex = std::make_unique<WireDuplex>(fd, std::move(wire_));
  auto socket =
      std::make_shared<FramedWebSocket>(Role::Server, std::move(duplex), std::move(protocol_),
                                        parser_.take_kept(), state_->options.websocket);
  FramedWebSocket* const framed = socket.get();
  Talks::Ends ends{.finish = [framed] { framed->finish(); }, .cut = [framed] { framed->cut(); }};
  Talk talk = std::exchange(talk_, nullptr);
  state_->talks.begin(std::move(seat_), std::move(talk), std::move(socket), std::move(ends));
  close();
}

Step Connection::flush() {
  for (;;) {
    if (sent_ == out_.size()) {
      sent_ = 0;
      out_ = std::exchange(body_, {});
      if (out_.empty()) return Step::Done;
    }
    const Moved moved = wire_.write(std::string_view(out_).substr(sent_));
    if (moved.step != Step::Done) return moved.step;
    sent_ += moved.bytes;
    set_deadline(state_->options.write_timeout);
  }
}

void Connection::send() {
  const Step step = flush();
  if (step == Step::Closed) return close();
  if (step != Step::Done) return await(step);
  if (phase_ == Phase::Switch) return leave_http();
  finish_response();
}

void Connection::finish_response() {
  stream_.reset();
  std::string().swap(out_);
  if (!form_.keep_alive || (state_->stopping() && !parser_.started())) return hang_up();
  phase_ = Phase::Receive;
  waits_ = true;
  set_deadline(idle_timeout());
  // Not called from here: a client that pipelines would choose the depth of our stack.
  if (parser_.started()) return post([](Connection& self) { self.drive(); });
  await(Step::WantRead);
}

void Connection::hang_up() {
  wire_.finish();
  if (!linger_) return close();
  phase_ = Phase::Drain;
  set_deadline(kLingerLimit);
  drain();
}

void Connection::drain() {
  std::array<char, kReadSize>
      buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): read_raw() fills it
  for (;;) {
    const Moved got = wire_.read_raw(buffer.data(), buffer.size());
    if (got.step == Step::WantRead) return await(Step::WantRead);
    drained_ += got.bytes;
    if (got.step == Step::Closed || drained_ > kMaxDrain) return close();
  }
}

void Connection::close() {
  if (phase_ == Phase::Closed) return;
  phase_ = Phase::Closed;
  clear_deadline();
  stream_.reset();
  seat_.reset();
  talk_ = nullptr;
  std::string().swap(out_);
  std::string().swap(body_);
  wire_.drop();
  boost::system::error_code ignored;
  socket_.close(ignored);
  state_->remove(shared_from_this());
}

void Connection::give_way() {
  form_.keep_alive = false;
  if (phase_ == Phase::Handshake || phase_ == Phase::Receive) return close();
  if (phase_ == Phase::Stream) end_stream();
}

void Connection::stop() {
  form_.keep_alive = false;
  if (phase_ == Phase::Stream) return end_stream();
  if (phase_ == Phase::Handshake) return close();
  if (phase_ == Phase::Receive && !parser_.started()) hang_up();
}

}  // namespace holdfast::net
