// Reading and writing of protobuf's wire format.
#include "protobuf/wire.h"

#include <fmt/format.h>

namespace holdfast::model {

namespace {

Error end_of_message() { return Error(Fault::Invalid, "unexpected EOF"); }

}  // namespace

Result<uint64_t> WireReader::varint() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) return end_of_message();
    const auto byte = static_cast<uint8_t>(rest_[0]);
    rest_.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return Error(Fault::Invalid, "proto: integer overflow");
}

Result<WireReader::Tag> WireReader::tag(std::string_view message) {
  const uint64_t both = HF_TRY(varint());
  const auto wire = static_cast<uint8_t>(both & 7);
  const auto number = static_cast<int32_t>(both >> 3);
  if (wire == static_cast<uint8_t>(Wire::GroupEnd))
    return Error(Fault::Invalid,
                 fmt::format("proto: {}: wiretype end group for non-group", message));
  if (number <= 0)
    return Error(Fault::Invalid,
                 fmt::format("proto: {}: illegal tag {} (wire type {})", message, number, both));
  if (wire > 5) return Error(Fault::Invalid, fmt::format("proto: illegal wireType {}", wire));
  return Tag{static_cast<uint32_t>(number), static_cast<Wire>(wire)};
}

Result<std::string_view> WireReader::take(uint64_t size) {
  if (size > rest_.size()) return end_of_message();
  std::string_view taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

Result<std::string_view> WireReader::bytes() {
  const uint64_t size = HF_TRY(varint());
  if (size >> 63) return Error(Fault::Invalid, "proto: negative length found during unmarshaling");
  return take(size);
}

Result<uint64_t> WireReader::fixed64() {
  std::string_view raw = HF_TRY(take(8));
  uint64_t value = 0;
  for (size_t i = 8; i-- > 0;) value = value << 8 | static_cast<uint8_t>(raw[i]);
  return value;
}

Result<void> WireReader::skip(Wire wire) {
  for (size_t depth = 0;;) {
    switch (wire) {
      case Wire::Varint:
        HF_TRY(varint());
        break;
      case Wire::Fixed64:
        HF_TRY(take(8));
        break;
      case Wire::Bytes:
        HF_TRY(bytes());
        break;
      case Wire::Fixed32:
        HF_TRY(take(4));
        break;
      case Wire::GroupStart:
        ++depth;
        break;
      case Wire::GroupEnd:
        if (depth == 0) return Error(Fault::Invalid, "proto: unexpected end of group");
        --depth;
        break;
      default:
        return Error(Fault::Invalid,
                     fmt::format("proto: illegal wireType {}", static_cast<int>(wire)));
    }
    if (depth == 0) return ok();
    wire = static_cast<Wire>(HF_TRY(varint()) & 7);
  }
}

void put_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void put_tag(std::string& out, uint32_t number, Wire wire) {
  put_varint(out, static_cast<uint64_t>(number) << 3 | static_cast<uint64_t>(wire));
}

void put_bytes(std::string& out, uint32_t number, std::string_view bytes) {
  put_tag(out, number, Wire::Bytes);
  put_varint(out, bytes.size());
  out += bytes;
}

void put_number(std::string& out, uint32_t number, uint64_t value) {
  put_tag(out, number, Wire::Varint);
  put_varint(out, value);
}

void put_fixed64(std::string& out, uint32_t number, uint64_t value) {
  put_tag(out, number, Wire::Fixed64);
  for (int i = 0; i < 8; ++i) out += static_cast<char>(value >> (8 * i));
}

}  // namespace holdfast::model
