/// Schemas built from JSONSchemaProps. What stands in one node there is spread here: structure goes
/// to Schema and Shape, value validations to Limits. Three forms need a word:
///   additionalProperties: {…}    Type::Map with that element schema
///   additionalProperties: true   Type::Map (or Object, beside properties) with an element of
///   Type::Any that keeps nothing
///                                unknown: members stay, what is inside them is pruned
///   additionalProperties: false  Type::Map with no element schema: no member is allowed
#include <holdfast/model/structural.h>

#include "structural/edit_rules.h"
#include "structural/object_meta.h"
#include "structural/props.h"
#include "structural/rules.h"

#include <algorithm>

namespace holdfast::model {

using structural::Props;

namespace {

Type type_of(const Props& node) {
  if (node.flag(structural::kIntOrString)) return Type::IntOrString;
  const std::string type = node.text("type");
  if (type == "object")
    return node.has("additionalProperties") && node.members("properties").empty() ? Type::Map
                                                                                  : Type::Object;
  if (type == "array") return Type::Array;
  if (type == "string") return Type::String;
  if (type == "integer") return Type::Integer;
  if (type == "number") return Type::Number;
  return type == "boolean" ? Type::Boolean : Type::Any;
}

ListType list_type_of(const Props& node) {
  const std::string type = node.text(structural::kListType);
  if (type == "atomic") return ListType::Atomic;
  if (type == "set") return ListType::Set;
  return type == "map" ? ListType::Map : ListType::Unset;
}

MapType map_type_of(const Props& node) {
  const std::string type = node.text(structural::kMapType);
  if (type == "atomic") return MapType::Atomic;
  return type == "granular" ? MapType::Granular : MapType::Unset;
}

bool same_as_none(const Limits& l) {
  return !l.minimum && !l.maximum && !l.multiple_of && !l.min_length && !l.max_length &&
         !l.min_items && !l.max_items && !l.min_properties && !l.max_properties &&
         !l.unique_items && l.pattern.empty() && l.enum_values.empty() && l.required.empty() &&
         l.all_of.empty() && l.any_of.empty() && l.one_of.empty() && !l.not_ &&
         l.raw_validations.is_null();
}

class Builder {
 public:
  explicit Builder(StructuralSchema& out) : out_(out), arena_(*out.arena) {}

  Schema schema(const Props& node, const std::string& path) {
    Schema out;
    out.type = type_of(node);
    out.nullable = node.flag("nullable");
    out.preserve_unknown = node.flag(structural::kPreserveUnknown);
    out.embedded_resource = node.flag(structural::kEmbedded);
    out.list_type = list_type_of(node);
    out.map_type = map_type_of(node);
    out.format = node.text("format");
    out.list_keys = node.strings(structural::kListMapKeys);
    out.description = node.text("description");
    if (const Value* value = node.get("default")) out.default_value = *value;
    children(node, path, out);
    out.limits = limits(node, path, out.shape);
    out.has_rules = has_rules(out);
    return out;
  }

  const Schema* keep(Schema schema) { return &arena_.schemas.emplace_back(std::move(schema)); }

  Shape& copy_shape(const Shape* from) {
    Shape& shape = arena_.shapes.emplace_back();
    if (from) {
      shape.name = from->name;
      shape.fields = from->fields;
      shape.required = from->required;
    }
    return shape;
  }

 private:
  static bool has_rules(const Schema& schema) {
    if (schema.limits && !schema.limits->raw_validations.is_null()) return true;
    if (schema.items && schema.items->has_rules) return true;
    return schema.shape && std::any_of(schema.shape->fields.begin(), schema.shape->fields.end(),
                                       [](const Field& field) { return field.schema.has_rules; });
  }

  void children(const Props& node, const std::string& path, Schema& out) {
    const bool outside = comparable_;
    comparable_ = outside && (out.type == Type::Array ? out.list_type == ListType::Map
                                                      : out.map_type != MapType::Atomic);
    const auto members = node.members("properties");
    if (out.type == Type::Object || !members.empty()) {
      // Filled before it is kept: building the members adds shapes of their own.
      Shape shape;
      shape.required = node.strings("required");
      for (const auto& [name, member] : members) {
        Field field;
        field.name = name;
        field.schema = schema(member, key(child(path, "properties"), name));
        shape.fields.push_back(std::move(field));
      }
      out.shape = keep_shape(std::move(shape));
    }
    if (auto items = node.child("items")) out.items = keep(schema(*items, child(path, "items")));
    if (const Value* more = node.get("additionalProperties")) {
      if (more->is_object())
        out.items = keep(schema(Props(*more), child(path, "additionalProperties")));
      else if (more->is_bool() && more->get_bool())
        out.items = keep(anything());
    }
    comparable_ = outside;
  }

  static Schema anything() {
    Schema schema;
    schema.nullable = true;
    return schema;
  }

  const Shape* keep_shape(Shape shape) {
    Shape& kept = arena_.shapes.emplace_back(std::move(shape));
    kept.index();
    return &kept;
  }

  const Limits* limits(const Props& node, const std::string& path, const Shape* shape) {
    Limits out;
    out.minimum = node.number("minimum");
    out.maximum = node.number("maximum");
    out.multiple_of = node.number("multipleOf");
    out.exclusive_minimum = node.flag("exclusiveMinimum");
    out.exclusive_maximum = node.flag("exclusiveMaximum");
    out.min_length = node.integer("minLength");
    out.max_length = node.integer("maxLength");
    out.min_items = node.integer("minItems");
    out.max_items = node.integer("maxItems");
    out.min_properties = node.integer("minProperties");
    out.max_properties = node.integer("maxProperties");
    out.unique_items = node.flag("uniqueItems");
    out.pattern = node.text("pattern");
    if (const Value* values = node.get("enum"); values && values->is_array())
      out.enum_values.assign(values->get_array().begin(), values->get_array().end());
    if (!shape) out.required = node.strings("required");
    out.all_of = branches(node, "allOf", path);
    out.any_of = branches(node, "anyOf", path);
    out.one_of = branches(node, "oneOf", path);
    if (auto inverse = node.child("not")) out.not_ = keep(schema(*inverse, child(path, "not")));
    rules(node, path, shape, out);
    return same_as_none(out) ? nullptr : &arena_.limits.emplace_back(std::move(out));
  }

  void rules(const Props& node, const std::string& path, const Shape* shape, Limits& out) {
    const std::vector<Props> written = node.list(structural::kValidations);
    if (written.empty()) return;
    out.raw_validations = *node.get(structural::kValidations);
    for (const Props& rule : written)
      if (auto known = structural::read_edit_rule(rule, shape); known && comparable_)
        out.edit_rules.push_back(std::move(*known));
    if (out.edit_rules.size() < written.size())
      out_.unenforced.push_back(child(path, structural::kValidations));
  }

  std::vector<const Schema*> branches(const Props& node, std::string_view junctor,
                                      const std::string& path) {
    std::vector<const Schema*> out;
    const std::vector<Props> list = node.list(junctor);
    for (size_t i = 0; i < list.size(); ++i)
      out.push_back(keep(schema(list[i], at(child(path, junctor), i))));
    return out;
  }

  StructuralSchema& out_;
  SchemaArena& arena_;
  bool comparable_ = true;  ///< in an update it is known what the value here was before
};

/// ObjectMeta, with the restrictions that the CRD puts on name and generateName.
Schema root_metadata(Builder& builder, const Field* written) {
  Schema metadata = structural::object_meta();
  if (!written || !written->schema.shape || written->schema.shape->fields.empty()) return metadata;
  Shape& shape = builder.copy_shape(metadata.shape);
  for (const Field& restricted : written->schema.shape->fields)
    for (Field& field : shape.fields)
      if (field.name == restricted.name) field.schema = restricted.schema;
  shape.index();
  metadata.shape = &shape;
  metadata.go = GoType::None;
  metadata.has_rules = written->schema.has_rules;
  return metadata;
}

Field& ensure_field(Shape& shape, std::string_view name) {
  const auto found = std::find_if(shape.fields.begin(), shape.fields.end(),
                                  [&](const Field& field) { return field.name == name; });
  if (found != shape.fields.end()) return *found;
  Field& field = shape.fields.emplace_back();
  field.name = name;
  return field;
}

void complete_root(Builder& builder, Schema& root) {
  const Field* written = root.shape ? root.shape->find("metadata") : nullptr;
  Schema metadata = root_metadata(builder, written);
  Shape& shape = builder.copy_shape(root.shape);
  for (const char* name : {"apiVersion", "kind"})
    ensure_field(shape, name).schema.type = Type::String;
  ensure_field(shape, "metadata").schema = std::move(metadata);
  std::sort(shape.fields.begin(), shape.fields.end(),
            [](const Field& a, const Field& b) { return a.name < b.name; });
  shape.index();
  root.shape = &shape;
  root.embedded_resource = true;
}

}  // namespace

StructuralSchema build_structural(const Value& open_api_v3_schema, const std::string& path,
                                  FieldErrors& errors) {
  const Props root(open_api_v3_schema);
  StructuralSchema out;
  out.arena = std::make_shared<SchemaArena>();
  if (root.flag("nullable"))
    errors.push_back(
        forbidden_field(child(path, "nullable"), "nullable cannot be true at the root"));
  const size_t before = errors.size();
  const bool convertible = structural::is_convertible(root);
  if (root.there() && convertible) structural::check_structural(root, path, errors);
  Builder builder(out);
  out.root = builder.schema(root, path);
  complete_root(builder, out.root);
  if (convertible && errors.size() == before) structural::check_defaults(out.root, path, errors);
  if (root.there()) structural::check_open_api(root, path, errors);
  return out;
}

}  // namespace holdfast::model
