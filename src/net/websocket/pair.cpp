#include "websocket/pair.h"

#include <holdfast/base/mutex.h>

#include <fmt/format.h>

#include <algorithm>
#include <deque>

namespace holdfast::net {
namespace {

constexpr size_t kQueued = size_t(256) << 10;  // bytes each way, or one message
constexpr MonoTime kLongestWait = std::chrono::seconds(60);

/// What both ends share. `who` is 0 or 1 and names an end.
class Between {
 public:
  explicit Between(const WebSocketLimits& limits) : limits_(limits) {}

  Result<void> send(size_t who, std::string_view data) {
    const Lock lock(mutex_);
    Queue& to = queues_[1 - who];
    if (data.size() > limits_.max_message) {
      lose(1 - who, "the peer sent a message that is too long");
      lose(who, "the peer does not take a message that long");
    }
    const MonoTime end = clock_.mono() + limits_.stall;
    while (queues_[who].state == State::Open && !to.messages.empty() &&
           to.bytes + data.size() > kQueued) {
      const MonoTime left = end - clock_.mono();
      if (left <= MonoTime(0)) lose(who, "the peer takes nothing any more");
      changed_.wait_for(mutex_, std::clamp<MonoTime>(left, MonoTime(0), kLongestWait));
    }
    if (queues_[who].state != State::Open) return error(queues_[who]);
    to.messages.push_back({std::string(data)});
    to.bytes += data.size();
    changed_.notify_all();
    return ok();
  }

  bool wait(size_t who, MonoTime until) {
    const Lock lock(mutex_);
    const Queue& from = queues_[who];
    while (from.messages.empty() && from.state == State::Open) {
      const MonoTime now = clock_.mono();
      if (now >= until) return false;
      changed_.wait_for(mutex_, std::min(until - now, kLongestWait));
    }
    return true;
  }

  Result<std::optional<WebSocket::Message>> take(size_t who) {
    const Lock lock(mutex_);
    Queue& from = queues_[who];
    if (!from.messages.empty()) {
      WebSocket::Message message = std::move(from.messages.front());
      from.messages.pop_front();
      from.bytes -= message.data.size();
      changed_.notify_all();
      return std::optional(std::move(message));
    }
    if (from.state == State::Lost) return error(from);
    return std::optional<WebSocket::Message>();
  }

  void close(size_t who, int code, std::string_view reason) {
    const Lock lock(mutex_);
    if (queues_[who].state != State::Open) return;
    Queue& other = queues_[1 - who];
    queues_[who].messages.clear();
    queues_[who].state = State::Closed;
    queues_[who].why = "closed here";
    if (other.state == State::Open) {
      other.closing = WebSocket::Closing{code, std::string(reason)};
      other.state = State::Closed;
      other.why = "closed by the peer";
    }
    changed_.notify_all();
  }

  void leave(size_t who) {
    const Lock lock(mutex_);
    if (queues_[who].state == State::Open) lose(1 - who, "cut off by the peer");
    lose(who, "cut off here");
    queues_[who].messages.clear();
  }

  std::optional<WebSocket::Closing> closing(size_t who) const {
    const Lock lock(mutex_);
    return queues_[who].closing;
  }

 private:
  enum class State { Open, Closed, Lost };
  /// Of one end: what it has not yet received, and how it stands.
  struct Queue {
    std::deque<WebSocket::Message> messages{};
    size_t bytes = 0;
    State state = State::Open;
    std::string why{};
    std::optional<WebSocket::Closing> closing{};
  };

  static Error error(const Queue& end) {
    return {Fault::Unavailable, fmt::format("WebSocket connection: {}", end.why)};
  }
  void lose(size_t who, std::string_view why) HF_REQUIRES(mutex_) {
    if (queues_[who].state != State::Open) return;
    queues_[who].state = State::Lost;
    queues_[who].why = why;
    changed_.notify_all();
  }

  const WebSocketLimits limits_;
  const SystemClock clock_{};
  mutable Mutex mutex_;
  CondVar changed_;
  Queue queues_[2] HF_GUARDED_BY(mutex_);
};

class PairedWebSocket final : public WebSocket {
 public:
  PairedWebSocket(std::shared_ptr<Between> between, size_t who, std::string protocol)
      : between_(std::move(between)), who_(who), protocol_(std::move(protocol)) {}
  PairedWebSocket(const PairedWebSocket&) = delete;
  PairedWebSocket& operator=(const PairedWebSocket&) = delete;
  ~PairedWebSocket() override { between_->leave(who_); }

  const std::string& protocol() const override { return protocol_; }
  Result<std::optional<Message>> receive() override {
    between_->wait(who_, MonoTime::max());
    return between_->take(who_);
  }
  bool wait(MonoTime until) override { return between_->wait(who_, until); }
  Result<void> send(std::string_view data) override { return between_->send(who_, data); }
  void close(int code, std::string_view reason) override { between_->close(who_, code, reason); }
  std::optional<Closing> closing() const override { return between_->closing(who_); }

 private:
  const std::shared_ptr<Between> between_;
  const size_t who_;
  const std::string protocol_;
};

}  // namespace

std::pair<std::shared_ptr<WebSocket>, std::shared_ptr<WebSocket>> make_websocket_pair(
    const std::string& protocol, const WebSocketLimits& limits) {
  const auto between = std::make_shared<Between>(limits);
  return {std::make_shared<PairedWebSocket>(between, 0, protocol),
          std::make_shared<PairedWebSocket>(between, 1, protocol)};
}

}  // namespace holdfast::net
