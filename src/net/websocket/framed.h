/// A WebSocket over a connection: frames, pings, and threads that wait.
///
/// The connection is used under one lock and never waited for under it; who waits polls the
/// descriptor and a bell that close() rings. What goes out is a queue of whole frames, so that a
/// pong of who receives cannot fall into a message of who sends.
#pragma once

#include <holdfast/base/mutex.h>
#include <holdfast/base/random.h>
#include <holdfast/net/websocket.h>

#include "websocket/duplex.h"
#include "websocket/frames.h"

#include <deque>
#include <memory>
#include <string>

namespace holdfast::net {

enum class Role { Client, Server };

class FramedWebSocket final : public WebSocket {
 public:
  /// `early`: bytes that came with the handshake.
  FramedWebSocket(Role role, std::unique_ptr<Duplex> duplex, std::string protocol,
                  std::string early, const WebSocketLimits& limits);
  FramedWebSocket(const FramedWebSocket&) = delete;
  FramedWebSocket& operator=(const FramedWebSocket&) = delete;
  ~FramedWebSocket() override;

  const std::string& protocol() const override { return protocol_; }
  Result<std::optional<Message>> receive() override;
  bool wait(MonoTime until) override;
  Result<void> send(std::string_view data) override;
  void close(int code, std::string_view reason) override;
  std::optional<Closing> closing() const override;

  /// For the server, once nobody receives or sends any more: closes, if that was not done, and
  /// waits a while for the peer to have seen it, because dropping a connection on which the peer
  /// still sends would take our last bytes from it.
  void finish();
  /// Ends everything at once, also finish(). Any thread.
  void cut();

 private:
  enum class State { Open, Closed, Lost };

  // Of the thread that receives:
  bool read_item();
  void take_item(FrameReader::Item item);
  bool read_bytes();
  /// How long silence may go on now; after it, pings or gives up.
  MonoTime attend(MonoTime now);

  std::string frame_of(Opcode opcode, std::string_view payload);
  void enqueue(Opcode opcode, std::string_view payload) HF_REQUIRES(mutex_);
  Step flush() HF_REQUIRES(mutex_);
  bool stalled(MonoTime now) const HF_REQUIRES(mutex_);
  void end(State state, std::string why) HF_REQUIRES(mutex_);
  Error error() const HF_REQUIRES(mutex_);
  bool open() const;
  void ring();
  /// Until `events`, the bell, or the time.
  void poll_for(short events, MonoTime limit) const;

  const Role role_;
  const std::string protocol_;
  const WebSocketLimits limits_;
  const SystemClock clock_;
  SystemRandom random_;
  const std::unique_ptr<Duplex> duplex_;  ///< used under mutex_, polled without
  const int bell_;                        ///< an eventfd; once rung, always

  // Of the thread that receives:
  FrameReader reader_;
  std::string input_;
  size_t parsed_ = 0;  ///< of input_
  std::optional<Message> ready_;
  MonoTime heard_;   ///< the last byte came
  MonoTime pinged_;  ///< or heard, whichever is later

  Mutex send_mutex_;  ///< one message at a time
  mutable Mutex mutex_;
  State state_ HF_GUARDED_BY(mutex_) = State::Open;
  std::string why_ HF_GUARDED_BY(mutex_);
  std::optional<Closing> closing_ HF_GUARDED_BY(mutex_);
  bool close_sent_ HF_GUARDED_BY(mutex_) = false;
  std::deque<std::string> out_ HF_GUARDED_BY(mutex_);  ///< whole frames
  size_t sent_ HF_GUARDED_BY(mutex_) = 0;              ///< of the first
  MonoTime moved_ HF_GUARDED_BY(mutex_);               ///< out_ last moved, or became not empty
};

}  // namespace holdfast::net
