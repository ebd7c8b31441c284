/// CRD schemas: from openAPIV3Schema to Schema, and what the server does with custom objects by it.
#pragma once

#include <holdfast/model/field_error.h>
#include <holdfast/model/schema.h>

#include <memory>
#include <string>
#include <vector>

namespace holdfast::model {

struct StructuralSchema {
  std::shared_ptr<SchemaArena> arena;
  Schema root;
  /// Paths of x-kubernetes-validations that are accepted but not enforced.
  std::vector<std::string> unenforced;
};

/// `path` is where the schema stands in the CRD (spec.versions[0].schema.openAPIV3Schema); all
/// violations of the structural rules go to `errors` in the words of apiextensions. The root gets
/// apiVersion, kind and metadata.
StructuralSchema build_structural(const Value& open_api_v3_schema, const std::string& path,
                                  FieldErrors& errors);

/// Removes members that the schema does not specify; returns their paths. Metadata of embedded
/// resources is kept.
std::vector<std::string> prune(Value& object, const Schema& schema);
/// Sets absent members to their defaults, inside parents that are there; drops nulls where the
/// schema gives a default and is not nullable.
void set_defaults(Value& object, const Schema& schema);
/// Types, limits, required members, formats, list-type uniqueness, nested allOf/anyOf/oneOf/not;
/// apiextensions' sentences.
FieldErrors validate(const Value& object, const Schema& schema);
/// Back to openAPIV3Schema form, for publishing.
Value to_open_api(const Schema& schema);

}  // namespace holdfast::model
