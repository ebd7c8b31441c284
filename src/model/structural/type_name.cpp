// OpenAPI names of the types of our schemas: one table for checking and for publishing.
#include <holdfast/model/structural.h>

namespace holdfast::model {

std::string_view type_name(Type type) {
  switch (type) {
    case Type::Object:
    case Type::Map:
      return "object";
    case Type::Array:
      return "array";
    case Type::String:
      return "string";
    case Type::Integer:
      return "integer";
    case Type::Number:
      return "number";
    case Type::Boolean:
      return "boolean";
    case Type::Any:
    case Type::IntOrString:
      break;
  }
  return "";
}

}  // namespace holdfast::model
