#include "websocket/framed.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace holdfast::net {
namespace {

using namespace std::chrono_literals;

constexpr size_t kReadSize = size_t(16) << 10;  // the largest TLS record
constexpr size_t kMaxQueued = 16;  // a peer that pings and does not read is answered no more
constexpr MonoTime kLinger = 30s;
constexpr MonoTime kLongestWait = 60s;

}  // namespace

FramedWebSocket::FramedWebSocket(Role role, std::unique_ptr<Duplex> duplex, std::string protocol,
                                 std::string early, const WebSocketLimits& limits)
    : role_(role),
      protocol_(std::move(protocol)),
      limits_(limits),
      duplex_(std::move(duplex)),
      bell_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      reader_(role == Role::Server, limits.max_message),
      input_(std::move(early)),
      heard_(clock_.mono()),
      pinged_(heard_),
      moved_(heard_) {
  if (bell_ >= 0) return;
  const Lock lock(mutex_);
  end(State::Lost, "no descriptor is left for it");
}

FramedWebSocket::~FramedWebSocket() {
  close(kGoingAway, "");
  {
    const Lock lock(mutex_);
    duplex_->finish();
  }
  ::close(bell_);
}

bool FramedWebSocket::open() const {
  const Lock lock(mutex_);
  return state_ == State::Open;
}

std::optional<WebSocket::Closing> FramedWebSocket::closing() const {
  const Lock lock(mutex_);
  return closing_;
}

void FramedWebSocket::ring() {
  const uint64_t one = 1;
  // Fails only when it has been rung before.
  [[maybe_unused]] const ssize_t written = ::write(bell_, &one, sizeof one);
}

void FramedWebSocket::end(State state, std::string why) {
  if (state_ != State::Open) return;
  state_ = state;
  why_ = std::move(why);
  ring();
}

Error FramedWebSocket::error() const {
  return {Fault::Unavailable, fmt::format("WebSocket connection: {}", why_)};
}

void FramedWebSocket::poll_for(short events, MonoTime limit) const {
  pollfd waits[2] = {{duplex_->descriptor(), events, 0}, {bell_, POLLIN, 0}};
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(
      std::clamp<MonoTime>(limit, MonoTime(0), kLongestWait));
  ::poll(waits, 2, int(wait.count()));
}

std::string FramedWebSocket::frame_of(Opcode opcode, std::string_view payload) {
  if (role_ == Role::Server) return frame(opcode, payload, std::nullopt);
  return frame(opcode, payload, uint32_t(random_.next()));
}

void FramedWebSocket::enqueue(Opcode opcode, std::string_view payload) {
  if (out_.empty()) moved_ = clock_.mono();
  out_.push_back(frame_of(opcode, payload));
}

Step FramedWebSocket::flush() {
  while (!out_.empty()) {
    const Moved moved = duplex_->write(std::string_view(out_.front()).substr(sent_));
    if (moved.step == Step::Closed) end(State::Lost, "cut off by the peer");
    if (moved.step != Step::Done) return moved.step;
    moved_ = clock_.mono();
    sent_ += moved.bytes;
    if (sent_ < out_.front().size()) continue;
    sent_ = 0;
    out_.pop_front();
  }
  return Step::Done;
}

bool FramedWebSocket::stalled(MonoTime now) const {
  return !out_.empty() && now - moved_ >= limits_.stall;
}

Result<void> FramedWebSocket::send(std::string_view data) {
  const Lock one_at_a_time(send_mutex_);
  {
    const Lock lock(mutex_);
    if (state_ == State::Open) enqueue(Opcode::Binary, data);
  }
  for (;;) {
    Step step = Step::Done;
    MonoTime limit{0};
    {
      const Lock lock(mutex_);
      const MonoTime now = clock_.mono();
      if (state_ == State::Open) step = flush();
      if (stalled(now)) end(State::Lost, "the peer takes nothing any more");
      if (state_ != State::Open) return error();
      if (step == Step::Done) return ok();
      limit = moved_ + limits_.stall - now;
    }
    poll_for(step == Step::WantRead ? POLLIN : POLLOUT, limit);
  }
}

void FramedWebSocket::close(int code, std::string_view reason) {
  const Lock lock(mutex_);
  if (state_ != State::Open) return;
  close_sent_ = true;
  enqueue(Opcode::Close, close_payload(code, reason));
  flush();
  end(State::Closed, "closed here");
}

Result<std::optional<WebSocket::Message>> FramedWebSocket::receive() {
  while (!wait(MonoTime::max())) {
  }
  if (ready_) return std::exchange(ready_, std::nullopt);
  const Lock lock(mutex_);
  if (state_ == State::Lost) return error();
  return std::optional<Message>();
}

bool FramedWebSocket::wait(MonoTime until) {
  for (;;) {
    if (ready_) return true;
    if (!open()) return true;
    if (read_item() || read_bytes()) continue;
    const MonoTime now = clock_.mono();
    if (now >= until) return false;
    const MonoTime limit = std::min(attend(now), until - now);
    short events = POLLIN;
    {
      const Lock lock(mutex_);
      if (!out_.empty() && flush() == Step::WantWrite) events |= POLLOUT;
    }
    poll_for(events, limit);
  }
}

/// True if an item was taken from the bytes that are there.
bool FramedWebSocket::read_item() {
  std::string_view rest = std::string_view(input_).substr(parsed_);
  auto item = reader_.next(rest);
  parsed_ = input_.size() - rest.size();
  if (parsed_ == input_.size()) {
    parsed_ = 0;
    std::string().swap(input_);
  }
  if (item) take_item(std::move(*item));
  if (!reader_.failure()) return item.has_value();
  const Lock lock(mutex_);
  if (state_ != State::Open) return false;
  close_sent_ = true;
  enqueue(Opcode::Close, close_payload(reader_.failure()->code, reader_.failure()->reason));
  flush();
  end(State::Lost, fmt::format("the peer broke the protocol: {}", reader_.failure()->reason));
  return true;
}

void FramedWebSocket::take_item(FrameReader::Item item) {
  if (item.kind == Opcode::Binary || item.kind == Opcode::Text) {
    ready_ = Message{std::move(item.data), item.kind == Opcode::Text};
    return;
  }
  const Lock lock(mutex_);
  if (item.kind == Opcode::Ping && out_.size() < kMaxQueued) {
    enqueue(Opcode::Pong, item.data);
    flush();
  }
  if (item.kind != Opcode::Close) return;
  closing_ = Closing{item.code, item.data};
  if (state_ != State::Open) return;
  close_sent_ = true;
  enqueue(Opcode::Close, close_payload(item.code, ""));
  flush();
  end(State::Closed, "closed by the peer");
}

/// True if bytes came, or the end.
bool FramedWebSocket::read_bytes() {
  std::array<char, kReadSize>
      buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
  const Lock lock(mutex_);
  const Moved got = duplex_->read(buffer.data(), buffer.size());
  if (got.step == Step::Closed) end(State::Lost, "cut off by the peer");
  if (got.step == Step::Done) {
    input_.append(buffer.data(), got.bytes);
    heard_ = pinged_ = clock_.mono();
  }
  return got.step == Step::Done || got.step == Step::Closed;
}

MonoTime FramedWebSocket::attend(MonoTime now) {
  const Lock lock(mutex_);
  // As long as the peer does not take our bytes it does not see our pings either: its silence is no
  // sign then, only how long it takes nothing is.
  if (!out_.empty()) {
    if (stalled(now)) end(State::Lost, "the peer takes nothing any more");
    heard_ = pinged_ = now;
    return moved_ + limits_.stall - now;
  }
  if (now - heard_ >= limits_.silence) {
    end(State::Lost, fmt::format("the peer has been silent for {} ms", limits_.silence.count()));
    return MonoTime(0);
  }
  if (now - pinged_ >= limits_.ping_every) {
    pinged_ = now;
    enqueue(Opcode::Ping, "");
    flush();
  }
  return std::min<MonoTime>(heard_ + limits_.silence, pinged_ + limits_.ping_every) - now;
}

void FramedWebSocket::cut() {
  const Lock lock(mutex_);
  end(State::Lost, "cut off here");
  ::shutdown(duplex_->descriptor(), SHUT_RDWR);
}

void FramedWebSocket::finish() {
  close(kNormal, "");
  const MonoTime end_of_linger = clock_.mono() + kLinger;
  for (bool told = false;;) {
    short events = POLLIN;
    {
      const Lock lock(mutex_);
      const Step step = flush();
      if (step == Step::WantWrite) events |= POLLOUT;
      if (!close_sent_ || step == Step::Closed || (closing_ && step == Step::Done)) return;
      if (step == Step::Done && !std::exchange(told, true)) duplex_->finish();
    }
    if (read_item()) continue;
    ready_.reset();
    if (read_bytes()) {
      if (input_.empty()) return;  // its end
      continue;
    }
    const MonoTime left = end_of_linger - clock_.mono();
    if (left <= MonoTime(0)) return;
    // The bell has been rung: only the descriptor is of interest.
    pollfd waits{duplex_->descriptor(), events, 0};
    ::poll(&waits, 1, int(std::chrono::ceil<std::chrono::milliseconds>(left).count()));
  }
}

}  // namespace holdfast::net
