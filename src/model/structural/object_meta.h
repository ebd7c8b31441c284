/// The metadata that every resource has, embedded ones too, without a CRD saying so.
#pragma once

#include <holdfast/model/field_error.h>
#include <holdfast/model/schema.h>

#include <optional>

namespace holdfast::model::structural {

/// ObjectMeta as a schema: Type::Object, all parts marked with the Go type they have on the real
/// server. Lives as long as the process; safe to share.
const Schema& object_meta();

/// What Go's decoder says of a metadata value of the wrong types: `json: cannot unmarshal number
/// into Go struct field ObjectMeta.name of type string`; empty if it decodes.
std::string undecodable_metadata(const Value& metadata);

/// The rules for the metadata of an embedded resource; its name may be absent.
void check_metadata(const Value& metadata, const std::string& path, FieldErrors& errors);

}  // namespace holdfast::model::structural
