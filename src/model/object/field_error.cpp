/// The sentences of field errors and the paths they name.
#include <holdfast/base/text.h>
#include <holdfast/model/field_error.h>

#include "json/json_text.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

namespace holdfast::model {
namespace {

using Type = FieldError::Type;

std::string_view headline(Type type) {
  switch (type) {
    case Type::Required:
      return "Required value";
    case Type::Duplicate:
      return "Duplicate value";
    case Type::NotSupported:
      return "Unsupported value";
    case Type::Forbidden:
      return "Forbidden";
    case Type::TooLong:
      return "Too long";
    case Type::TooMany:
      return "Too many";
    case Type::NotFound:
      return "Not found";
    case Type::Internal:
      return "Internal error";
    case Type::Invalid:
    case Type::TypeInvalid:
    case Type::TooShort:
    case Type::TooFew:
      break;
  }
  return "Invalid value";
}

bool shows_value(const FieldError& error) {
  switch (error.type) {
    case Type::Required:
    case Type::Forbidden:
    case Type::TooLong:
    case Type::Internal:
      return false;
    case Type::TooMany:
      return !error.bad_value.is_null();
    default:
      return true;
  }
}

std::string shown(const Value& value) {
  if (value.is_string()) return quoted(view(value.get_string()));
  if (!value.is_double()) return to_json(value);
  std::string out;
  append_double(out, value.get_double(), DoubleForm::Text);
  return out;
}

}  // namespace

std::string_view FieldError::reason() const {
  switch (type) {
    case Type::Required:
      return "FieldValueRequired";
    case Type::Duplicate:
      return "FieldValueDuplicate";
    case Type::NotSupported:
      return "FieldValueNotSupported";
    case Type::Forbidden:
      return "FieldValueForbidden";
    case Type::TooLong:
      return "FieldValueTooLong";
    case Type::TooMany:
      return "FieldValueTooMany";
    case Type::NotFound:
      return "FieldValueNotFound";
    case Type::TypeInvalid:
      return "FieldValueTypeInvalid";
    case Type::Internal:
      return "InternalError";
    case Type::Invalid:
    case Type::TooShort:
    case Type::TooFew:
      break;
  }
  return "FieldValueInvalid";
}

std::string FieldError::body() const {
  std::string out(headline(type));
  if (!omit_value && shows_value(*this)) out.append(": ").append(shown(bad_value));
  if (!detail.empty()) out.append(": ").append(detail);
  return out;
}

FieldError required_field(std::string field, std::string detail) {
  return {Type::Required, std::move(field), std::move(detail), ""};
}

FieldError invalid_field(std::string field, Value bad_value, std::string detail) {
  return {Type::Invalid, std::move(field), std::move(detail), std::move(bad_value)};
}

FieldError forbidden_field(std::string field, std::string detail) {
  return {Type::Forbidden, std::move(field), std::move(detail), ""};
}

FieldError duplicate_field(std::string field, Value bad_value) {
  return {Type::Duplicate, std::move(field), "", std::move(bad_value)};
}

FieldError not_found_field(std::string field, Value bad_value) {
  return {Type::NotFound, std::move(field), "", std::move(bad_value)};
}

FieldError unsupported_field(std::string field, Value bad_value,
                             const std::vector<std::string>& valid) {
  std::string detail;
  for (const std::string& word : valid)
    detail += (detail.empty() ? "supported values: " : ", ") + quoted(word);
  return {Type::NotSupported, std::move(field), std::move(detail), std::move(bad_value)};
}

FieldError too_long_field(std::string field, int64_t max_bytes) {
  std::string detail = max_bytes < 0 ? "value is too long"
                                     : fmt::format("may not be more than {} {}", max_bytes,
                                                   max_bytes == 1 ? "byte" : "bytes");
  return {Type::TooLong, std::move(field), std::move(detail), ""};
}

FieldError too_many_field(std::string field, int64_t actual, int64_t max) {
  std::string detail =
      max < 0 ? "has too many items"
              : fmt::format("must have at most {} {}", max, max == 1 ? "item" : "items");
  return {Type::TooMany, std::move(field), std::move(detail), actual < 0 ? Value() : Value(actual)};
}

FieldError type_invalid_field(std::string field, Value bad_value, std::string detail) {
  return {Type::TypeInvalid, std::move(field), std::move(detail), std::move(bad_value)};
}

std::string child(std::string_view parent, std::string_view name) {
  std::string path(parent);
  if (!path.empty()) path += '.';
  return path.append(name);
}

std::string at(std::string_view parent, size_t index) {
  return std::string(parent).append("[").append(std::to_string(index)).append("]");
}

std::string key(std::string_view parent, std::string_view name) {
  return std::string(parent).append("[").append(name).append("]");
}

}  // namespace holdfast::model
