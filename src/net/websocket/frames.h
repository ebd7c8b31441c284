/// Frames of RFC 6455, passive: bytes in, messages out.
///
///    0                   1                   2                   3
///   ┌─┬───┬───────┬─┬─────────────┬───────────────────────────────┐
///   │F│RSV│opcode │M│ length      │ length, 16 bits if it is 126, │
///   │ │ 0 │       │ │             │         64 bits if it is 127  │
///   ├─┴───┴───────┴─┴─────────────┼───────────────────────────────┤
///   │ key, 4 bytes if M           │ payload, xor key if M         │
///   └─────────────────────────────┴───────────────────────────────┘
///
/// A client masks (M), a server does not. F ends a message; the parts after the first have opcode
/// 0. Control frames (opcode ≥ 8) are whole, ≤ 125 bytes, and may stand between the parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::net {

enum class Opcode : uint8_t {
  Continuation = 0,
  Text = 1,
  Binary = 2,
  Close = 8,
  Ping = 9,
  Pong = 10
};

constexpr size_t kMaxControl = 125;
constexpr int kNoCloseCode = 1005;

/// One whole frame; masked if there is a key.
std::string frame(Opcode opcode, std::string_view payload, std::optional<uint32_t> key);
/// The payload of a Close frame; the reason is cut so that it fits, between two characters.
std::string close_payload(int code, std::string_view reason);

/// Holds one message under way, at most `max_message` bytes, one control frame, and a header.
class FrameReader {
 public:
  struct Item {
    Opcode kind = Opcode::Binary;  ///< Text and Binary: a whole message; or a control frame
    std::string data{};            ///< of a Close: the reason
    int code = kNoCloseCode;       ///< of a Close
  };
  /// Why the connection has to end.
  struct Failure {
    int code = 0;
    std::string_view reason{};
  };

  FrameReader(bool masked, size_t max_message) : masked_(masked), max_message_(max_message) {}

  /// Takes from the front of `bytes` up to the end of the next item. Nothing: it needs more, or has
  /// failed. After a Close or a failure everything is ignored.
  std::optional<Item> next(std::string_view& bytes);
  const std::optional<Failure>& failure() const { return failure_; }

 private:
  /// Bytes of the header that are needed, as far as one can know from those that are there.
  size_t header_size() const;
  bool read_header(std::string_view& bytes);
  void begin_frame();
  void check_opcode();
  uint64_t length_in_header() const;
  void read_payload(std::string_view& bytes);
  std::optional<Item> end_frame();
  std::optional<Item> end_close(std::string payload);
  std::nullopt_t fail(int code, std::string_view reason);
  bool is_control() const { return uint8_t(opcode_) >= 8; }

  const bool masked_;
  const size_t max_message_;
  std::string header_;  ///< as far as it has come
  bool in_payload_ = false;
  bool last_ = false;
  Opcode opcode_ = Opcode::Binary;
  uint64_t left_ = 0;  ///< of this frame's payload
  uint8_t key_[4] = {};
  size_t key_at_ = 0;
  std::optional<Opcode> message_kind_;  ///< of the message under way
  std::string message_;
  std::string control_;
  bool closed_ = false;
  std::optional<Failure> failure_;
};

}  // namespace holdfast::net
