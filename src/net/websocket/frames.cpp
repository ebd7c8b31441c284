#include "websocket/frames.h"

#include <holdfast/base/bytes.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace holdfast::net {
namespace {

constexpr uint8_t kFinal = 0x80, kReserved = 0x70, kMasked = 0x80, kLength = 0x7f;
constexpr uint8_t kLength16 = 126, kLength64 = 127;

/// Xor with a key that starts at its byte `at`; eight bytes at once, since whole volumes go through
/// here.
void mask(char* data, size_t size, const uint8_t (&key)[4], size_t at) {
  uint8_t wide[8];
  for (size_t i = 0; i < 8; ++i) wide[i] = key[(at + i) % 4];
  uint64_t pattern = 0;
  std::memcpy(&pattern, wide, sizeof pattern);
  size_t done = 0;
  for (; done + 8 <= size; done += 8) {
    uint64_t word = 0;
    std::memcpy(&word, data + done, sizeof word);
    word ^= pattern;
    std::memcpy(data + done, &word, sizeof word);
  }
  for (; done < size; ++done) data[done] = char(uint8_t(data[done]) ^ wide[done % 8]);
}

void append_big_endian(std::string& out, uint64_t value, int bytes) {
  for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) out += char(uint8_t(value >> shift));
}

/// Codes that may stand in a frame: those the protocol defines for it, and what applications use.
bool may_be_sent(int code) {
  if (code >= 3000 && code <= 4999) return true;
  return code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006;
}

}  // namespace

std::string frame(Opcode opcode, std::string_view payload, std::optional<uint32_t> key) {
  std::string out;
  out.reserve(payload.size() + 14);
  out += char(kFinal | uint8_t(opcode));
  const uint8_t mark = key ? kMasked : 0;
  if (payload.size() < kLength16) {
    out += char(mark | uint8_t(payload.size()));
  } else if (payload.size() <= 0xffff) {
    out += char(mark | kLength16);
    append_big_endian(out, payload.size(), 2);
  } else {
    out += char(mark | kLength64);
    append_big_endian(out, payload.size(), 8);
  }
  uint8_t bytes[4] = {};
  if (key) {
    std::memcpy(bytes, &*key, sizeof bytes);
    out.append(reinterpret_cast<const char*>(bytes), sizeof bytes);
  }
  const size_t start = out.size();
  out += payload;
  if (key) mask(out.data() + start, payload.size(), bytes, 0);
  return out;
}

std::string close_payload(int code, std::string_view reason) {
  if (code == kNoCloseCode) return {};
  std::string out;
  append_big_endian(out, uint64_t(code), 2);
  size_t size = std::min(reason.size(), kMaxControl - 2);
  while (size > 0 && !is_utf8(reason.substr(0, size))) --size;
  return out += reason.substr(0, size);
}

std::nullopt_t FrameReader::fail(int code, std::string_view reason) {
  failure_ = Failure{code, reason};
  std::string().swap(message_);
  return std::nullopt;
}

std::optional<FrameReader::Item> FrameReader::next(std::string_view& bytes) {
  while (!closed_ && !failure_) {
    if (!in_payload_) {
      if (!read_header(bytes)) return std::nullopt;
      begin_frame();
      if (failure_) break;
    }
    read_payload(bytes);
    if (left_ > 0) return std::nullopt;
    if (auto item = end_frame()) return item;
  }
  bytes = {};
  return std::nullopt;
}

size_t FrameReader::header_size() const {
  if (header_.size() < 2) return 2;
  const uint8_t length = uint8_t(header_[1]) & kLength;
  const size_t extended = length == kLength64 ? 8 : length == kLength16 ? 2 : 0;
  return 2 + extended + ((uint8_t(header_[1]) & kMasked) != 0 ? 4 : 0);
}

bool FrameReader::read_header(std::string_view& bytes) {
  while (header_.size() < header_size()) {
    const size_t part = std::min(bytes.size(), header_size() - header_.size());
    if (part == 0) return false;
    header_ += bytes.substr(0, part);
    bytes.remove_prefix(part);
  }
  return true;
}

uint64_t FrameReader::length_in_header() const {
  const uint8_t length = uint8_t(header_[1]) & kLength;
  const size_t extended = length == kLength64 ? 8 : length == kLength16 ? 2 : 0;
  if (extended == 0) return length;
  uint64_t value = 0;
  for (size_t i = 0; i < extended; ++i) value = value << 8 | uint8_t(header_[2 + i]);
  return value;
}

void FrameReader::begin_frame() {
  const auto first = uint8_t(header_[0]);
  last_ = (first & kFinal) != 0;
  opcode_ = Opcode(first & 0x0f);
  const bool has_key = (uint8_t(header_[1]) & kMasked) != 0;
  left_ = length_in_header();
  const bool short_form = header_.size() - (has_key ? 4 : 0) == 2;
  const uint64_t least = short_form                                     ? 0
                         : (uint8_t(header_[1]) & kLength) == kLength16 ? 126
                                                                        : 65536;
  key_at_ = 0;
  if (has_key) std::memcpy(key_, header_.data() + header_.size() - 4, 4);
  header_.clear();
  in_payload_ = true;

  if ((first & kReserved) != 0)
    fail(1002, "a reserved bit is set");
  else if (has_key != masked_)
    fail(1002, masked_ ? "a frame of a client is not masked" : "a frame of a server is masked");
  else if (left_ < least || left_ >> 63 != 0)
    fail(1002, "a length is not written as it should be");
  else
    check_opcode();
}

void FrameReader::check_opcode() {
  switch (opcode_) {
    case Opcode::Close:
    case Opcode::Ping:
    case Opcode::Pong:
      if (!last_ || left_ > kMaxControl) fail(1002, "a control frame is too long or in parts");
      control_.clear();
      return;
    case Opcode::Text:
    case Opcode::Binary:
      if (message_kind_) return (void)fail(1002, "a message begins within another");
      message_kind_ = opcode_;
      break;
    case Opcode::Continuation:
      if (!message_kind_) return (void)fail(1002, "a part without a beginning");
      break;
    default:
      return (void)fail(1002, "an unknown opcode");
  }
  if (left_ > max_message_ - message_.size()) fail(1009, "a message is too long");
}

/// What has come is kept at once; what a length promises is not reserved.
void FrameReader::read_payload(std::string_view& bytes) {
  std::string& into = is_control() ? control_ : message_;
  const auto part = size_t(std::min<uint64_t>(bytes.size(), left_));
  const size_t start = into.size();
  into += bytes.substr(0, part);
  if (masked_) mask(into.data() + start, part, key_, key_at_);
  key_at_ = (key_at_ + part) % 4;
  left_ -= part;
  bytes.remove_prefix(part);
}

std::optional<FrameReader::Item> FrameReader::end_frame() {
  in_payload_ = false;
  if (opcode_ == Opcode::Close) return end_close(std::exchange(control_, {}));
  if (is_control()) return Item{opcode_, std::exchange(control_, {})};
  if (!last_) return std::nullopt;
  const Opcode kind = *std::exchange(message_kind_, std::nullopt);
  if (kind == Opcode::Text && !is_utf8(message_)) return fail(1007, "a text is not UTF-8");
  return Item{kind, std::exchange(message_, {})};
}

std::optional<FrameReader::Item> FrameReader::end_close(std::string payload) {
  if (payload.size() == 1) return fail(1002, "half a code in a close");
  Item item{Opcode::Close};
  if (payload.size() >= 2) {
    item.code = uint8_t(payload[0]) << 8 | uint8_t(payload[1]);
    item.data = payload.substr(2);
  }
  if (item.code != kNoCloseCode && !may_be_sent(item.code))
    return fail(1002, "a code that may not be in a close");
  if (payload.size() >= 2 && item.code == kNoCloseCode)
    return fail(1002, "a code that may not be in a close");
  if (!is_utf8(item.data)) return fail(1007, "the reason of a close is not UTF-8");
  closed_ = true;
  return item;
}

}  // namespace holdfast::net
