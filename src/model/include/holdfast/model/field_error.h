/// One thing wrong with one field, in the words of Kubernetes (apimachinery's field.Error).
#pragma once

#include <holdfast/model/json.h>

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::model {

struct FieldError {
  enum class Type {
    Required,
    Duplicate,
    Invalid,
    NotSupported,
    Forbidden,
    TooLong,
    TooMany,
    NotFound,
    TypeInvalid,
    Internal,
    TooShort,
    TooFew
  };
  Type type;
  std::string field;  ///< "spec.containers[0].name"
  std::string detail;
  Value bad_value;          ///< printed as Go's %#v-like form for the types that show it
  bool omit_value = false;  ///< Go's OmitValueType: the value is not shown

  /// FieldValueRequired, FieldValueInvalid, …: the `reason` of a Status cause.
  std::string_view reason() const;
  /// `Invalid value: "x": must be …`: the `message` of a Status cause.
  std::string body() const;
  /// field + ": " + body()
  std::string text() const { return field + ": " + body(); }
};

using FieldErrors = std::vector<FieldError>;

FieldError required_field(std::string field, std::string detail);
FieldError invalid_field(std::string field, Value bad_value, std::string detail);
FieldError forbidden_field(std::string field, std::string detail);
FieldError duplicate_field(std::string field, Value bad_value);
FieldError not_found_field(std::string field, Value bad_value);
/// `Unsupported value: "x": supported values: "a", "b"` (values sorted by the caller if Go sorts
/// them there)
FieldError unsupported_field(std::string field, Value bad_value,
                             const std::vector<std::string>& valid);
/// `Too long: may not be more than N bytes`
FieldError too_long_field(std::string field, int64_t max_bytes);
FieldError too_many_field(std::string field, int64_t actual, int64_t max);
FieldError type_invalid_field(std::string field, Value bad_value, std::string detail);

/// Path arithmetic: child("spec", "name") = "spec.name", child("", "spec") = "spec"; at("a", 0) =
/// "a[0]"; key("a","k") = "a[k]".
std::string child(std::string_view parent, std::string_view name);
std::string at(std::string_view parent, size_t index);
std::string key(std::string_view parent, std::string_view name);

}  // namespace holdfast::model
