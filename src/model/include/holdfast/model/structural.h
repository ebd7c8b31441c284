/// CRD schemas: from openAPIV3Schema to Schema, and what the server does with custom objects by it.
#pragma once

#include <holdfast/model/field_error.h>
#include <holdfast/model/schema.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::model {

struct StructuralSchema {
  std::shared_ptr<SchemaArena> arena;
  Schema root;
  /// Paths of x-kubernetes-validations with a rule that is accepted but not enforced: any but
  /// those that our own definitions are made with (`FieldLimits::immutable`).
  std::vector<std::string> unenforced;
};

/// `path` is where the schema stands in the CRD (spec.versions[0].schema.openAPIV3Schema); all
/// violations of the structural rules go to `errors` in the words of apiextensions. The root gets
/// apiVersion, kind and metadata.
StructuralSchema build_structural(const Value& open_api_v3_schema, const std::string& path,
                                  FieldErrors& errors);

/// Removes members that the schema does not specify and, as the real server's decoder does, nulls
/// where the schema neither allows null nor has a default. Returns the paths of unknown members as
/// `fieldValidation` names them. Metadata (of the root and of embedded resources) is kept, less
/// what ObjectMeta does not know.
std::vector<std::string> prune(Value& object, const Schema& schema);
/// The first embedded resource whose apiVersion, kind or metadata does not decode; the real server
/// answers 400 with its text(). The root's own are the caller's business.
std::optional<FieldError> find_malformed_embedded(const Value& object, const Schema& schema);
/// Sets absent members to their defaults, inside parents that are there; drops nulls where the
/// schema gives a default and is not nullable.
void set_defaults(Value& object, const Schema& schema);
/// Types, limits, required members, formats, list-type uniqueness, nested allOf/anyOf/oneOf/not;
/// apiextensions' sentences. Embedded resources' metadata. The root's own metadata is checked only
/// where the CRD restricts it.
FieldErrors validate(const Value& object, const Schema& schema);
/// The same for a new state of `old`: values that were there before, unchanged, do not fail
/// (ratcheting).
FieldErrors validate_update(const Value& object, const Value& old, const Schema& schema);
/// Last of all, x-kubernetes-validations as far as they are enforced; `old` is null for a new
/// object. Adds to what was found wrong so far, which may keep the rules from being asked.
void check_rules(const Value& object, const Value* old, const Schema& schema, FieldErrors& errors);
/// Is this string format enforced? Others (int32, double, anything) are only documentation.
bool knows_format(std::string_view format);
/// OpenAPI's word for it: "object" for maps too, "" for Any and IntOrString, which have no one
/// type.
std::string_view type_name(Type type);
/// Back to openAPIV3Schema form, as the real server publishes it: metadata is a $ref to
/// ObjectMeta's component, and int-or-string carries its anyOf.
Value to_open_api(const Schema& schema);

}  // namespace holdfast::model
