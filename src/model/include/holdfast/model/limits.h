/// Limits of a value beyond its type: the part of a Schema (schema.h) that only validation and
/// OpenAPI look at.
#pragma once

#include <holdfast/model/json.h>

#include <optional>
#include <string>
#include <vector>

namespace holdfast::model {

struct Schema;

/// One of x-kubernetes-validations that is enforced: what an update may not change.
struct EditRule {
  std::string member;         ///< of the object; "" = the value itself
  bool names_member = false;  ///< as the place of the error
  std::string message;
};

/// JSON Schema's value validations; what a CRD author can write and the server enforces.
struct Limits {
  std::optional<double> minimum, maximum, multiple_of;
  bool exclusive_minimum = false, exclusive_maximum = false;
  std::optional<int64_t> min_length, max_length, min_items, max_items, min_properties,
      max_properties;
  bool unique_items = false;
  std::string pattern;
  std::vector<Value> enum_values;
  std::vector<std::string>
      required;  ///< on nested allOf/anyOf/oneOf/not branches, where there is no Shape
  std::vector<const Schema*> all_of, any_of, one_of;
  const Schema* not_ = nullptr;
  Value raw_validations;             ///< x-kubernetes-validations as written, for OpenAPI
  std::vector<EditRule> edit_rules;  ///< those of them that are enforced
};

}  // namespace holdfast::model
