/// Checks of defaults where they are declared, since they are put into objects unchecked.
#include <holdfast/model/structural.h>

#include "structural/rules.h"
#include "structural/validate.h"

namespace holdfast::model::structural {
namespace {

void check_default(const Schema& schema, const std::string& path, FieldErrors& errors) {
  const Value& value = *schema.default_value;
  Value pruned = value;
  if (!prune(pruned, schema).empty())
    errors.push_back(invalid_field(path, value, "must not have unknown fields"));
  if (auto malformed = find_malformed_embedded(value, schema)) {
    malformed->field = child(path, malformed->field);
    errors.push_back(std::move(*malformed));
    return;
  }
  FieldErrors found;
  check_embedded(value, schema, path, schema.embedded_resource, found);
  if (found.empty())
    for (Issue& issue : Validator(path).check(value, schema, "", nullptr).issues)
      found.push_back(std::move(issue.error));
  errors.insert(errors.end(), found.begin(), found.end());
}

void walk(const Schema& schema, const std::string& path, FieldErrors& errors) {
  if (schema.go != GoType::None) return;
  if (schema.default_value) check_default(schema, child(path, "default"), errors);
  if (schema.items && schema.type == Type::Array) walk(*schema.items, child(path, "items"), errors);
  if (!schema.shape) return;
  for (const Field& field : schema.shape->fields)
    walk(field.schema, key(child(path, "properties"), field.name), errors);
}

}  // namespace

void check_defaults(const Schema& root, const std::string& path, FieldErrors& errors) {
  walk(root, path, errors);
}

}  // namespace holdfast::model::structural
