/// The wire format of protobuf: tags, varints and lengths, read with strict bounds.
///
///   message = *( tag value )        tag = varint of (field number << 3 | wire type)
///   wire type 0: varint   1: 8 bytes, little endian   2: varint length, then bytes   3/4: group 5:
///   4 bytes
#pragma once

#include <holdfast/base/result.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::model {

enum class Wire : uint8_t {
  Varint = 0,
  Fixed64 = 1,
  Bytes = 2,
  GroupStart = 3,
  GroupEnd = 4,
  Fixed32 = 5
};

/// Reads one message from the front to the back. Faults are Invalid, with gogo/protobuf's
/// sentences.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  bool done() const { return rest_.empty(); }
  struct Tag {
    uint32_t number;
    Wire wire;
  };
  /// `message` names the type in errors.
  Result<Tag> tag(std::string_view message);
  Result<uint64_t> varint();
  Result<uint64_t> fixed64();
  Result<std::string_view> bytes();
  /// Passes over the value of a field nobody knows, groups included.
  Result<void> skip(Wire wire);

 private:
  Result<std::string_view> take(uint64_t size);
  std::string_view rest_;
};

void put_varint(std::string& out, uint64_t value);
void put_tag(std::string& out, uint32_t number, Wire wire);
void put_bytes(std::string& out, uint32_t number, std::string_view bytes);
void put_number(std::string& out, uint32_t number, uint64_t value);
void put_fixed64(std::string& out, uint32_t number, uint64_t value);

}  // namespace holdfast::model
