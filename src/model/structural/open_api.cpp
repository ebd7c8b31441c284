/// The published form of a schema. Keys stand in the order in which the real server prints them.
#include <holdfast/model/structural.h>

#include "structural/props.h"

#include <cmath>

namespace holdfast::model {
namespace {

constexpr std::string_view kObjectMetaRef =
    "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
// Facts that `kubectl explain` shows; a CRD cannot override them.
constexpr std::string_view kApiVersion =
    "APIVersion defines the versioned schema of this representation of an object. Servers should "
    "convert recognized schemas to the latest internal value, and may reject unrecognized values. "
    "More info: https://git.k8s.io/community/contributors/devel/sig-architecture/"
    "api-conventions.md#resources";
constexpr std::string_view kKind =
    "Kind is a string value representing the REST resource this object represents. Servers may "
    "infer this from the endpoint the client submits requests to. Cannot be updated. In "
    "CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/"
    "api-conventions.md#types-kinds";
constexpr std::string_view kEmbeddedApiVersion =
    "apiVersion defines the versioned schema of this representation of an object. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/"
    "api-conventions.md#resources";
constexpr std::string_view kEmbeddedKind =
    "kind is a string value representing the type of this object. In CamelCase. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/"
    "api-conventions.md#types-kinds";
constexpr std::string_view kMetadata =
    "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/"
    "sig-architecture/api-conventions.md#metadata";

Value number_value(double number) {
  if (std::trunc(number) == number && std::abs(number) < 1e15) return int64_t(number);
  return number;
}

Value strings_value(const std::vector<std::string>& items) {
  Array out;
  for (const std::string& item : items) out.emplace_back(item);
  return out;
}

bool is_anything(const Schema& schema) {
  return schema.type == Type::Any && !schema.preserve_unknown && !schema.shape && !schema.items;
}

Object describe(std::string_view description) {
  return {{"description", description}, {"type", "string"}};
}

class Publisher {
 public:
  Object publish(const Schema& schema, bool root) {
    Object out;
    if (!schema.description.empty()) out["description"] = schema.description;
    if (const std::string_view type = type_name(schema.type); !type.empty()) out["type"] = type;
    if (!schema.format.empty()) out["format"] = schema.format;
    if (schema.nullable && !is_anything(schema)) out["nullable"] = true;
    if (schema.default_value) out["default"] = *schema.default_value;
    if (schema.limits) limits(*schema.limits, out);
    if (schema.type == Type::IntOrString && !has_types(schema)) any_integer_or_string(out);
    members(schema, root, out);
    extensions(schema, root, out);
    return out;
  }

 private:
  static bool has_types(const Schema& schema) {
    if (!schema.limits) return false;
    const auto typed = [](const std::vector<const Schema*>& branches) {
      return branches.size() == 2 && branches[0]->type == Type::Integer &&
             branches[1]->type == Type::String;
    };
    const auto& all = schema.limits->all_of;
    return typed(schema.limits->any_of) ||
           (!all.empty() && all[0]->limits && typed(all[0]->limits->any_of));
  }

  static void any_integer_or_string(Object& out) {
    Array types{Object{{"type", "integer"}}, Object{{"type", "string"}}};
    if (!out.contains("anyOf")) {
      out["anyOf"] = std::move(types);
      return;
    }
    Array all{Object{{"anyOf", std::move(types)}}};
    if (Value* more = out.if_contains("allOf"))
      for (Value& branch : more->as_array()) all.push_back(std::move(branch));
    out["allOf"] = std::move(all);
  }

  void limits(const Limits& limits, Object& out) {
    if (limits.maximum) out["maximum"] = number_value(*limits.maximum);
    if (limits.exclusive_maximum) out["exclusiveMaximum"] = true;
    if (limits.minimum) out["minimum"] = number_value(*limits.minimum);
    if (limits.exclusive_minimum) out["exclusiveMinimum"] = true;
    if (limits.max_length) out["maxLength"] = *limits.max_length;
    if (limits.min_length) out["minLength"] = *limits.min_length;
    if (!limits.pattern.empty()) out["pattern"] = limits.pattern;
    if (limits.max_items) out["maxItems"] = *limits.max_items;
    if (limits.min_items) out["minItems"] = *limits.min_items;
    if (limits.unique_items) out["uniqueItems"] = true;
    if (limits.multiple_of) out["multipleOf"] = number_value(*limits.multiple_of);
    if (!limits.enum_values.empty())
      out["enum"] = Array(limits.enum_values.begin(), limits.enum_values.end());
    if (limits.max_properties) out["maxProperties"] = *limits.max_properties;
    if (limits.min_properties) out["minProperties"] = *limits.min_properties;
    if (!limits.required.empty()) out["required"] = strings_value(limits.required);
    branches("allOf", limits.all_of, out);
    branches("oneOf", limits.one_of, out);
    branches("anyOf", limits.any_of, out);
    if (limits.not_) out["not"] = publish(*limits.not_, false);
  }

  void branches(const char* junctor, const std::vector<const Schema*>& schemas, Object& out) {
    if (schemas.empty()) return;
    Array list;
    for (const Schema* schema : schemas) list.push_back(publish(*schema, false));
    out[junctor] = std::move(list);
  }

  void members(const Schema& schema, bool root, Object& out) {
    const bool resource = root || schema.embedded_resource;
    std::vector<std::string> required =
        schema.shape ? schema.shape->required : std::vector<std::string>();
    if (schema.embedded_resource && !root) require_type_meta(required);
    if (!required.empty()) out["required"] = strings_value(required);
    if (schema.items) {
      const char* name = schema.type == Type::Array ? "items" : "additionalProperties";
      if (is_anything(*schema.items) && schema.type != Type::Array)
        out[name] = true;
      else
        out[name] = publish(*schema.items, false);
    } else if (schema.type == Type::Map) {
      out["additionalProperties"] = false;
    }
    Object properties;
    if (resource) type_meta(root, properties);
    if (schema.shape)
      for (const Field& field : schema.shape->fields)
        if (!properties.contains(field.name)) properties[field.name] = publish(field.schema, false);
    if (!properties.empty()) out["properties"] = std::move(properties);
  }

  static void require_type_meta(std::vector<std::string>& required) {
    for (const char* name : {"kind", "apiVersion"})
      if (std::find(required.begin(), required.end(), name) == required.end())
        required.emplace_back(name);
  }

  static void type_meta(bool root, Object& properties) {
    properties["apiVersion"] = describe(root ? kApiVersion : kEmbeddedApiVersion);
    properties["kind"] = describe(root ? kKind : kEmbeddedKind);
    properties["metadata"] =
        Object{{"description", kMetadata}, {"allOf", Array{Object{{"$ref", kObjectMetaRef}}}}};
  }

  static void extensions(const Schema& schema, bool root, Object& out) {
    if (schema.embedded_resource && !root) out[structural::kEmbedded] = true;
    if (schema.type == Type::IntOrString) out[structural::kIntOrString] = true;
    if (!schema.list_keys.empty()) out[structural::kListMapKeys] = strings_value(schema.list_keys);
    if (schema.list_type != ListType::Unset)
      out[structural::kListType] = schema.list_type == ListType::Map   ? "map"
                                   : schema.list_type == ListType::Set ? "set"
                                                                       : "atomic";
    if (schema.map_type != MapType::Unset)
      out[structural::kMapType] = schema.map_type == MapType::Atomic ? "atomic" : "granular";
    if (schema.preserve_unknown) out[structural::kPreserveUnknown] = true;
    if (schema.limits && !schema.limits->raw_validations.is_null())
      out[structural::kValidations] = schema.limits->raw_validations;
  }
};

}  // namespace

Value to_open_api(const Schema& schema) {
  const bool root =
      schema.embedded_resource && schema.shape && schema.shape->find("metadata") != nullptr;
  return Publisher().publish(schema, root);
}

}  // namespace holdfast::model
