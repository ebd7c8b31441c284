#include "crd/internal_form.h"

namespace holdfast::apiserver {

using model::Array;
using model::Object;
using model::Value;

namespace {

enum class Form { Text, Flag, Plain, Schema, Schemas, Members, Items, OrBool, Rules };

struct Member {
  const char* go;
  const char* json;
  Form form;
  bool beside_status;  ///< may stand at the root of a schema whose status is a subresource
};

/// JSONSchemaProps in Go's order.
constexpr Member kMembers[] = {
    {"ID", "id", Form::Text, false},
    {"Schema", "$schema", Form::Text, false},
    {"Ref", "$ref", Form::Plain, false},
    {"Description", "description", Form::Text, true},
    {"Type", "type", Form::Text, true},
    {"Nullable", "nullable", Form::Flag, false},
    {"Format", "format", Form::Text, true},
    {"Title", "title", Form::Text, true},
    {"Default", "default", Form::Plain, false},
    {"Maximum", "maximum", Form::Plain, true},
    {"ExclusiveMaximum", "exclusiveMaximum", Form::Flag, true},
    {"Minimum", "minimum", Form::Plain, true},
    {"ExclusiveMinimum", "exclusiveMinimum", Form::Flag, true},
    {"MaxLength", "maxLength", Form::Plain, true},
    {"MinLength", "minLength", Form::Plain, true},
    {"Pattern", "pattern", Form::Text, true},
    {"MaxItems", "maxItems", Form::Plain, true},
    {"MinItems", "minItems", Form::Plain, true},
    {"UniqueItems", "uniqueItems", Form::Flag, true},
    {"MultipleOf", "multipleOf", Form::Plain, true},
    {"Enum", "enum", Form::Plain, false},
    {"MaxProperties", "maxProperties", Form::Plain, false},
    {"MinProperties", "minProperties", Form::Plain, false},
    {"Required", "required", Form::Plain, true},
    {"Items", "items", Form::Items, true},
    {"AllOf", "allOf", Form::Schemas, false},
    {"OneOf", "oneOf", Form::Schemas, false},
    {"AnyOf", "anyOf", Form::Schemas, false},
    {"Not", "not", Form::Schema, false},
    {"Properties", "properties", Form::Members, true},
    {"AdditionalProperties", "additionalProperties", Form::OrBool, false},
    {"PatternProperties", "patternProperties", Form::Members, false},
    {"Dependencies", "dependencies", Form::Plain, false},
    {"AdditionalItems", "additionalItems", Form::OrBool, false},
    {"Definitions", "definitions", Form::Members, false},
    {"ExternalDocs", "externalDocs", Form::Plain, true},
    {"Example", "example", Form::Plain, true},
    {"XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", Form::Plain, true},
    {"XEmbeddedResource", "x-kubernetes-embedded-resource", Form::Flag, false},
    {"XIntOrString", "x-kubernetes-int-or-string", Form::Flag, false},
    {"XListMapKeys", "x-kubernetes-list-map-keys", Form::Plain, false},
    {"XListType", "x-kubernetes-list-type", Form::Plain, false},
    {"XMapType", "x-kubernetes-map-type", Form::Plain, false},
    {"XValidations", "x-kubernetes-validations", Form::Rules, true},
};

const Value* member(const Value& value, std::string_view name) {
  const Value* found = model::find(value, {name});
  return found && !found->is_null() ? found : nullptr;
}

Value or_null(const Value& value, std::string_view name) {
  const Value* found = member(value, name);
  return found ? *found : Value();
}

Value text(const Value& value, std::string_view name) {
  return Value(model::string_at(value, {name}));
}

Value rules(const Value& list) {
  Array out;
  if (list.is_array())
    for (const Value& rule : list.get_array())
      out.push_back(Object{{"Rule", text(rule, "rule")},
                           {"Message", text(rule, "message")},
                           {"MessageExpression", text(rule, "messageExpression")},
                           {"Reason", or_null(rule, "reason")},
                           {"FieldPath", text(rule, "fieldPath")},
                           {"OptionalOldSelf", or_null(rule, "optionalOldSelf")}});
  return out;
}

Value schemas(const Value& list) {
  Array out;
  if (list.is_array())
    for (const Value& item : list.get_array()) out.push_back(internal_schema(item));
  return out;
}

Value converted(const Value& value, Form form) {
  switch (form) {
    case Form::Schema:
      return internal_schema(value);
    case Form::Schemas:
      return schemas(value);
    case Form::Rules:
      return rules(value);
    case Form::Items:
      if (value.is_array()) return Object{{"Schema", nullptr}, {"JSONSchemas", schemas(value)}};
      return Object{{"Schema", internal_schema(value)}, {"JSONSchemas", nullptr}};
    case Form::OrBool:
      if (value.is_bool()) return Object{{"Allows", value}, {"Schema", nullptr}};
      return Object{{"Allows", true}, {"Schema", internal_schema(value)}};
    case Form::Members: {
      Object out;
      if (value.is_object())
        for (const auto& entry : value.get_object())
          out[entry.key()] = internal_schema(entry.value());
      return out;
    }
    default:
      return value;
  }
}

bool is_zero(const Value* value, Form form) {
  if (!value) return true;
  if (form == Form::Text) return value->is_string() && value->get_string().empty();
  if (form == Form::Flag) return value->is_bool() && !value->get_bool();
  return false;
}

Value internal_subresources(const Value* subresources) {
  if (!subresources) return {};
  Object out{{"Status", or_null(*subresources, "status")}, {"Scale", nullptr}};
  if (const Value* scale = member(*subresources, "scale"))
    out["Scale"] = Object{{"SpecReplicasPath", text(*scale, "specReplicasPath")},
                          {"StatusReplicasPath", text(*scale, "statusReplicasPath")},
                          {"LabelSelectorPath", or_null(*scale, "labelSelectorPath")}};
  return out;
}

Value internal_columns(const Value* columns) {
  if (!columns || !columns->is_array()) return {};
  Array out;
  for (const Value& column : columns->get_array())
    out.push_back(Object{{"Name", text(column, "name")},
                         {"Type", text(column, "type")},
                         {"Format", text(column, "format")},
                         {"Description", text(column, "description")},
                         {"Priority", model::int_at(column, {"priority"}, 0)},
                         {"JSONPath", text(column, "jsonPath")}});
  return out;
}

Value internal_fields(const Value* fields) {
  if (!fields || !fields->is_array()) return {};
  Array out;
  for (const Value& field : fields->get_array())
    out.push_back(Object{{"JSONPath", text(field, "jsonPath")}});
  return out;
}

bool same_everywhere(const Array& versions, std::string_view name) {
  for (const Value& version : versions) {
    const Value* first = member(versions.front(), name);
    const Value* here = member(version, name);
    if (!first != !here || (first && !model::equal(*first, *here))) return false;
  }
  return true;
}

}  // namespace

Hoisted hoisted(const Array& versions) {
  return {.schema = same_everywhere(versions, "schema"),
          .subresources = same_everywhere(versions, "subresources"),
          .columns = same_everywhere(versions, "additionalPrinterColumns"),
          .selectable_fields = same_everywhere(versions, "selectableFields")};
}

Value internal_versions(const Value* versions, const Hoisted& hoisted) {
  if (!versions || !versions->is_array()) return {};
  Array out;
  for (const Value& version : versions->get_array()) {
    const Value* schema =
        hoisted.schema ? nullptr : model::find(version, {"schema", "openAPIV3Schema"});
    const Value* subresources = hoisted.subresources ? nullptr : member(version, "subresources");
    const Value* columns = hoisted.columns ? nullptr : member(version, "additionalPrinterColumns");
    const Value* fields = hoisted.selectable_fields ? nullptr : member(version, "selectableFields");
    out.push_back(Object{
        {"Name", text(version, "name")},
        {"Served", model::bool_at(version, {"served"}, false)},
        {"Storage", model::bool_at(version, {"storage"}, false)},
        {"Deprecated", model::bool_at(version, {"deprecated"}, false)},
        {"DeprecationWarning", or_null(version, "deprecationWarning")},
        {"Schema", schema ? Value(Object{{"OpenAPIV3Schema", internal_schema(*schema)}}) : Value()},
        {"Subresources", internal_subresources(subresources)},
        {"AdditionalPrinterColumns", internal_columns(columns)},
        {"SelectableFields", internal_fields(fields)}});
  }
  return out;
}

Value internal_schema(const Value& schema) {
  Object out;
  for (const Member& m : kMembers) {
    const Value* value = member(schema, m.json);
    if (value)
      out[m.go] = converted(*value, m.form);
    else
      out[m.go] = m.form == Form::Text ? Value("") : m.form == Form::Flag ? Value(false) : Value();
  }
  return out;
}

bool has_more_than_status_allows(const Value& schema) {
  for (const Member& m : kMembers)
    if (!m.beside_status && !is_zero(member(schema, m.json), m.form)) return true;
  return false;
}

std::string allowed_beside_status() {
  std::string out = "[";
  for (const Member& m : kMembers)
    if (m.beside_status) out.append(out.size() > 1 ? " " : "").append(m.go);
  return out + "]";
}

}  // namespace holdfast::apiserver
