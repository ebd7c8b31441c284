/// Decoding of request bodies: media types, protobuf, the checks of strict decoding, kind and
/// version.
#pragma once

#include "rest/api.h"

namespace holdfast::apiserver {

/// JSON, YAML or protobuf by Content-Type, nothing more. `form` is what the protobuf message is
/// expected to be.
struct Body {
  Value value;
  std::vector<std::string> duplicates;
};
Answer<Body> read_body(const net::Request& request, const model::GroupVersionKind& form);
/// The same for an object of the resource: a body that does not parse is refused in the words of
/// the real server's decoder.
Answer<Body> read_object(const net::Request& request, const Resource& resource);

/// A whole object of the resource: kind and version checked, unknown and duplicate members dropped,
/// reported as warnings or refused as `validation` says, decoded (built-ins) or pruned (custom),
/// defaulted.
Answer<Value> decode_object(Body body, const Resource& resource, FieldValidation validation,
                            std::vector<std::string>& warnings);
/// The same for a value that a patch has produced.
Answer<void> settle_object(Value& object, const std::vector<std::string>& duplicates,
                           const Resource& resource, FieldValidation validation,
                           std::vector<std::string>& warnings);

/// One of the non-resource kinds (DeleteOptions, Scale, Binding, TokenRequest, the reviews).
Answer<Value> decode_kind(const net::Request& request, const model::GroupVersionKind& gvk);

Answer<WriteOptions> read_write_options(const net::Request& request, bool is_apply);

}  // namespace holdfast::apiserver
