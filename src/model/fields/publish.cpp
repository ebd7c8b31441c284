/// Published forms of a kind's fields: its schema, its CRD, its reference page.
#include <holdfast/base/text.h>
#include <holdfast/model/fields.h>

#include "structural/edit_rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::model::field_types {
namespace {

Value strings_value(const std::vector<std::string>& items) {
  Array out;
  for (const std::string& item : items) out.emplace_back(item);
  return out;
}

std::string plural_of(const Kind& kind, const Definition& definition) {
  return definition.plural.empty() ? to_lower(kind.kind) + "s" : definition.plural;
}

Value columns_value(const Definition& definition) {
  Array out;
  for (const Definition::Column& column : definition.columns) {
    Object entry{{"name", column.name}, {"type", column.type}, {"jsonPath", column.json_path}};
    if (!column.doc.empty()) entry["description"] = column.doc;
    if (column.priority) entry["priority"] = column.priority;
    out.push_back(std::move(entry));
  }
  return out;
}

/// "list of string", "map of integer", "string: Pending, Running": one cell of the page.
std::string type_text(const Value& schema) {
  if (const Value* items = find(schema, {"items"})) return "list of " + type_text(*items);
  if (const Value* items = find(schema, {"additionalProperties"}))
    return "map of " + type_text(*items);
  std::vector<std::string> words;
  for (const Value& word : array_at(schema, {"enum"}))
    if (word.is_string()) words.emplace_back(view(word.get_string()));
  if (!words.empty()) return join(words, " \\| ");
  const std::string_view type = string_at(schema, {"type"});
  return type.empty() ? "anything" : std::string(type);
}

std::string presence_text(const Value& schema, bool required) {
  if (required) return "required";
  const Value* standard = find(schema, {"default"});
  return standard ? "default `" + to_json(*standard) + "`" : "";
}

bool is_immutable(const Value& parent, const Value& field, std::string_view name) {
  const auto has = [](const Value& schema, const Value& rule) {
    const Array& rules = array_at(schema, {structural::kValidations});
    return std::find(rules.begin(), rules.end(), rule) != rules.end();
  };
  return has(field, structural::rule_at_field(name)) ||
         has(parent, structural::rule_at_parent(name));
}

const Value* inner_object(const Value& schema) {
  const Value* inner = &schema;
  for (const char* name : {"items", "additionalProperties"})
    if (const Value* element = find(*inner, {name}); element && element->is_object())
      inner = element;
  return inner;
}

void append_rows(const Value& schema, const std::string& path, std::string& out) {
  const Array& required = array_at(schema, {"required"});
  for (const auto& property : object_at(schema, {"properties"})) {
    const Value& field = property.value();
    const std::string name = path + "." + std::string(property.key());
    const bool must =
        std::find(required.begin(), required.end(), Value(property.key())) != required.end();
    std::string presence = presence_text(field, must);
    if (is_immutable(schema, field, property.key()))
      presence += presence.empty() ? "immutable" : ", immutable";
    out += fmt::format("| `{}` | {} | {} | {} |\n", name, type_text(field), presence,
                       string_at(field, {"description"}));
    const Value* inner = inner_object(field);
    const bool list = find(field, {"items"}) != nullptr;
    append_rows(*inner, list ? name + "[]" : name, out);
  }
}

/// A status may repeat parts of a spec: that is the controller's own record, not a wish to edit.
void drop_rules(Value& schema) {
  erase(schema, {structural::kValidations});
  for (const char* name : {"items", "additionalProperties"})
    if (Value* inner = find(schema, {name})) drop_rules(*inner);
  if (Value* properties = find(schema, {"properties"}))
    for (auto& property : properties->as_object()) drop_rules(property.value());
}

}  // namespace

Value open_api_schema(const std::string& doc, const FieldType& spec, const FieldType* status) {
  auto text = [](const char* about) { return Object{{"description", about}, {"type", "string"}}; };
  Object spec_schema, status_schema;
  spec.describe(spec_schema);
  spec_schema["description"] = "desired state";
  Object properties{{"apiVersion", text("API version of the object")},
                    {"kind", text("kind of the object")},
                    {"metadata", Object{{"type", "object"}}},
                    {"spec", std::move(spec_schema)}};
  if (status) {
    status->describe(status_schema);
    // A status is written step by step; what is not seen yet is absent.
    status_schema.erase("required");
    status_schema["description"] = "observed state";
    drop_rules(properties["status"] = std::move(status_schema));
  }
  Object out{{"type", "object"}, {"required", Array{"spec"}}};
  if (!doc.empty()) out["description"] = doc;
  out["properties"] = std::move(properties);
  return out;
}

Value definition_manifest(const Kind& kind, const Definition& definition, Value schema,
                          bool has_status) {
  const std::string plural = plural_of(kind, definition);
  Object names{{"plural", plural},
               {"singular", to_lower(kind.kind)},
               {"kind", kind.kind},
               {"listKind", std::string(kind.kind) + "List"}};
  if (!definition.short_names.empty()) names["shortNames"] = strings_value(definition.short_names);
  if (!definition.categories.empty()) names["categories"] = strings_value(definition.categories);
  Object version{{"name", kind.version},
                 {"served", true},
                 {"storage", true},
                 {"schema", Object{{"openAPIV3Schema", std::move(schema)}}}};
  if (has_status) version["subresources"] = Object{{"status", Object()}};
  if (!definition.columns.empty()) version["additionalPrinterColumns"] = columns_value(definition);
  return Object{{"apiVersion", "apiextensions.k8s.io/v1"},
                {"kind", "CustomResourceDefinition"},
                {"metadata", Object{{"name", plural + "." + std::string(kind.group)}}},
                {"spec", Object{{"group", kind.group},
                                {"names", std::move(names)},
                                {"scope", definition.cluster_scoped ? "Cluster" : "Namespaced"},
                                {"versions", Array{std::move(version)}}}}};
}

std::string reference_page(const Kind& kind, const Definition& definition, const Value& schema) {
  std::string out = fmt::format("# {}\n\n`{}/{}`, {}\n\n", kind.kind, kind.group, kind.version,
                                definition.cluster_scoped ? "cluster-wide" : "in a namespace");
  if (!definition.doc.empty()) out += definition.doc + "\n\n";
  for (const char* part : {"spec", "status"}) {
    const Value* described = find(schema, {"properties", part});
    if (!described) continue;
    out += fmt::format("## {}\n\n| field | type | | what it is |\n|---|---|---|---|\n", part);
    append_rows(*described, part, out);
    out += "\n";
  }
  return out;
}

}  // namespace holdfast::model::field_types
