/// Decoding of built-in kinds: what Go's decoder and encoder would make of an object on its way
/// through the real server.
#pragma once

#include <holdfast/model/schema.h>

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::model {

struct Decoded {
  /// Paths of members the type does not have (`spec.bogus`); they are gone from the value.
  std::vector<std::string> unknown;
};

/// Makes `object` what a round trip through the Go type gives: unknown members dropped and
/// reported, nulls and empty omitempty members gone, always-printed members there (`status: {}`,
/// `creationTimestamp: null`), members in print order, quantities, times, byte strings and
/// int-or-strings in canonical text. A member of the wrong type is Fault::Invalid with Go's
/// sentence: `json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of
/// type int32`.
Result<Decoded> decode_typed(Value& object, const Schema& schema);

/// The bytes of one `runtime.Unknown` envelope: magic "k8s\0", then type, raw bytes, content
/// encoding and type.
struct ProtobufEnvelope {
  std::string api_version;
  std::string kind;
  std::string_view raw;  ///< into the body
};
Result<ProtobufEnvelope> open_protobuf(std::string_view body);
/// The message as JSON with only the members that were on the wire; unknown tags are skipped, as Go
/// does.
Result<Value> decode_protobuf(std::string_view message, const Shape& shape);
/// The reverse: what a client sends. Used by tests and by clients of servers that want it.
Result<std::string> encode_protobuf(const Value& object, const Shape& shape);

}  // namespace holdfast::model
