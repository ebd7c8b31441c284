#include "discovery/open_api_schema.h"

#include <holdfast/base/text.h>
#include <holdfast/model/kinds.h>
#include <holdfast/model/structural.h>

#include <algorithm>

namespace holdfast::apiserver {
namespace {

using model::Array;
using model::GoType;
using model::Object;
using model::Schema;
using model::Shape;
using model::Type;
using model::Value;

Value reference_to(std::string_view name) {
  return Object{{"$ref", "#/components/schemas/" + std::string(name)}};
}

Value gvk_list(const model::GroupVersionKind& gvk) {
  return Array{Value(Object{{"group", gvk.group}, {"kind", gvk.kind}, {"version", gvk.version}})};
}

void add_place(Object& out, const Schema& schema) {
  if (schema.list_type == model::ListType::Atomic) out["x-kubernetes-list-type"] = "atomic";
  if (schema.list_type == model::ListType::Set) out["x-kubernetes-list-type"] = "set";
  if (schema.list_type == model::ListType::Map) {
    out["x-kubernetes-list-type"] = "map";
    Array keys;
    for (const std::string& key : schema.list_keys) keys.emplace_back(key);
    out["x-kubernetes-list-map-keys"] = std::move(keys);
  }
  if (schema.map_type == model::MapType::Atomic) out["x-kubernetes-map-type"] = "atomic";
  if (!schema.patch_merge_key.empty()) out["x-kubernetes-patch-merge-key"] = schema.patch_merge_key;
  if (schema.patch_strategy != model::kPatchReplace) {
    std::string strategy = schema.patch_strategy & model::kPatchMerge ? "merge" : "";
    if (schema.patch_strategy & model::kPatchRetainKeys)
      strategy += strategy.empty() ? "retainKeys" : ",retainKeys";
    out["x-kubernetes-patch-strategy"] = strategy;
  }
  if (schema.default_value) out["default"] = *schema.default_value;
  if (!schema.description.empty()) out["description"] = schema.description;
}

// com.example.stable.v1.CronTab
std::string custom_name(const Resource& resource) {
  std::vector<std::string> parts;
  for (const std::string_view part : split(resource.group, '.')) parts.emplace_back(part);
  std::reverse(parts.begin(), parts.end());
  return join(parts, ".") + "." + resource.version + "." + resource.kind;
}

}  // namespace

Value Components::well_known(std::string_view name, Object definition) {
  if (done_.insert(std::string(name)).second) components_[name] = std::move(definition);
  return reference_to(name);
}

Value Components::scalar(const Schema& schema) {
  switch (schema.go) {
    case GoType::Time:
      return well_known("io.k8s.apimachinery.pkg.apis.meta.v1.Time",
                        {{"type", "string"}, {"format", "date-time"}});
    case GoType::MicroTime:
      return well_known("io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime",
                        {{"type", "string"}, {"format", "date-time"}});
    case GoType::Duration:
      return well_known("io.k8s.apimachinery.pkg.apis.meta.v1.Duration", {{"type", "string"}});
    case GoType::Quantity:
      return well_known(
          "io.k8s.apimachinery.pkg.api.resource.Quantity",
          {{"oneOf", Array{Value(Object{{"type", "string"}}), Value(Object{{"type", "number"}})}}});
    case GoType::IntOrString:
      return well_known("io.k8s.apimachinery.pkg.util.intstr.IntOrString",
                        {{"format", "int-or-string"},
                         {"oneOf", Array{Value(Object{{"type", "integer"}}),
                                         Value(Object{{"type", "string"}})}}});
    case GoType::RawExtension:
      return well_known("io.k8s.apimachinery.pkg.runtime.RawExtension", {{"type", "object"}});
    case GoType::FieldsV1:
      return well_known("io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1", {{"type", "object"}});
    case GoType::Json:
      return well_known("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON", Object());
    case GoType::JsonSchemaOrBool:
      return well_known(
          "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool",
          Object());
    case GoType::JsonSchemaOrArray:
      return well_known(
          "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray",
          Object());
    case GoType::JsonSchemaOrStringArray:
      return well_known(
          "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray",
          Object());
    default:
      break;
  }
  if (schema.type == Type::Any) return Object();
  Object out{{"type", model::type_name(schema.type)}};
  if (!schema.format.empty()) out["format"] = schema.format;
  if (schema.limits != nullptr && !schema.limits->enum_values.empty())
    out["enum"] = Array(schema.limits->enum_values.begin(), schema.limits->enum_values.end());
  return out;
}

Value Components::use(const Schema& schema) {
  Object out;
  if (schema.type == Type::Object && schema.shape != nullptr) {
    out["allOf"] = Array{reference(*schema.shape)};
  } else if (schema.type == Type::Array && schema.items != nullptr) {
    out = {{"type", "array"}, {"items", use(*schema.items)}};
  } else if (schema.type == Type::Map && schema.items != nullptr) {
    out = {{"type", "object"}, {"additionalProperties", use(*schema.items)}};
  } else {
    Value value = scalar(schema);
    if (value.get_object().contains("$ref"))
      out["allOf"] = Array{std::move(value)};
    else
      out = std::move(value.get_object());
  }
  add_place(out, schema);
  return out;
}

void Components::add(const Shape& shape) {
  Object properties;
  for (const model::Field& field : shape.fields)
    if (!field.inlined) properties[field.name] = use(field.schema);
  Object out{{"type", "object"}};
  if (!shape.required.empty()) {
    Array required;
    for (const std::string& name : shape.required) required.emplace_back(name);
    out["required"] = std::move(required);
  }
  if (!properties.empty()) out["properties"] = std::move(properties);
  for (const model::BuiltinKind& kind : model::Kinds::builtin().all())
    if (kind.shape == &shape && !kind.gvk.version.empty()) {
      out["x-kubernetes-group-version-kind"] = gvk_list(kind.gvk);
      break;
    }
  components_[shape.name] = std::move(out);
}

Value Components::reference(const Shape& shape) {
  if (done_.insert(shape.name).second) add(shape);
  return reference_to(shape.name);
}

Value Components::reference(const Resource& custom) {
  const std::string name = custom_name(custom);
  if (done_.insert(name).second) {
    Value schema = model::to_open_api(*custom.schema);
    Object& properties = model::ensure_object(schema, {"properties"});
    properties["apiVersion"] = Object{{"type", "string"}};
    properties["kind"] = Object{{"type", "string"}};
    if (const Shape* meta =
            model::Kinds::builtin().shape("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"))
      properties["metadata"] = Object{{"allOf", Array{reference(*meta)}}};
    schema.get_object()["x-kubernetes-group-version-kind"] = gvk_list(custom.gvk());
    components_[name] = std::move(schema);
  }
  return reference_to(name);
}

Object Components::take() { return std::move(components_); }

}  // namespace holdfast::apiserver
