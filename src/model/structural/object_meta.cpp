#include "structural/object_meta.h"

#include <holdfast/base/text.h>
#include <holdfast/model/kinds.h>
#include <holdfast/model/names.h>

namespace holdfast::model::structural {
namespace {

constexpr size_t kMaxAnnotationBytes = size_t(256) << 10;

/// Go's name for the type that a field has, and for what JSON brought instead.
std::string_view go_type_name(std::string_view field, const Schema& schema) {
  switch (schema.go) {
    case GoType::StringMap:
      return "map[string]string";
    case GoType::Int64:
      return "int64";
    case GoType::Bool:
      return "bool";
    case GoType::Time:
      return "v1.Time";
    case GoType::Slice:
      return field == "ownerReferences" ? "[]v1.OwnerReference"
             : field == "finalizers"    ? "[]string"
                                        : "[]v1.ManagedFieldsEntry";
    default:
      return field == "uid" ? "types.UID" : "string";
  }
}

std::string_view json_name(const Value& value) {
  if (value.is_string()) return "string";
  if (value.is_bool()) return "bool";
  if (value.is_array()) return "array";
  return value.is_object() ? "object" : "number";
}

bool matches(const Value& value, const Schema& schema) {
  if (value.is_null()) return true;
  switch (schema.type) {
    case Type::String:
      return value.is_string();
    case Type::Integer:
      return value.is_int64();
    case Type::Boolean:
      return value.is_bool();
    case Type::Array:
      return value.is_array();
    case Type::Map:
    case Type::Object:
      return value.is_object();
    default:
      return true;
  }
}

std::string cannot(const Value& value, const std::string& path, std::string_view type) {
  return "json: cannot unmarshal " + std::string(json_name(value)) + " into Go struct field " +
         path + " of type " + std::string(type);
}

void complain(const std::string& path, std::string_view value, const Complaints& complaints,
              FieldErrors& errors) {
  for (const std::string& complaint : complaints)
    errors.push_back(invalid_field(path, Value(value), complaint));
}

void check_labels(const Value& metadata, const std::string& path, FieldErrors& errors) {
  for (const auto& label : object_at(metadata, {"labels"})) {
    complain(child(path, "labels"), label.key(), check_qualified_name(label.key()), errors);
    if (label.value().is_string())
      complain(child(path, "labels"), view(label.value().get_string()),
               check_label_value(view(label.value().get_string())), errors);
  }
}

void check_annotations(const Value& metadata, const std::string& path, FieldErrors& errors) {
  size_t bytes = 0;
  for (const auto& note : object_at(metadata, {"annotations"})) {
    complain(child(path, "annotations"), note.key(), check_qualified_name(to_lower(note.key())),
             errors);
    bytes += note.key().size() + (note.value().is_string() ? note.value().get_string().size() : 0);
  }
  if (bytes > kMaxAnnotationBytes)
    errors.push_back(too_long_field(child(path, "annotations"), kMaxAnnotationBytes));
}

void check_owners(const Value& metadata, const std::string& path, FieldErrors& errors) {
  const Array& owners = array_at(metadata, {"ownerReferences"});
  for (size_t i = 0; i < owners.size(); ++i) {
    const std::string where = at(child(path, "ownerReferences"), i);
    for (const char* name : {"apiVersion", "kind", "name", "uid"})
      if (string_at(owners[i], {name}).empty())
        errors.push_back(invalid_field(child(where, name), Value(""), "must not be empty"));
  }
}

}  // namespace

const Schema& object_meta() {
  static const Schema schema = [] {
    Schema out;
    out.type = Type::Object;
    out.go = GoType::Struct;
    out.shape = Kinds::builtin().shape("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
    HF_CHECK(out.shape);
    return out;
  }();
  return schema;
}

std::string undecodable_metadata(const Value& metadata) {
  if (metadata.is_null()) return {};
  if (!metadata.is_object())
    return "json: cannot unmarshal " + std::string(json_name(metadata)) +
           " into Go value of type v1.ObjectMeta";
  for (const auto& member : metadata.get_object()) {
    const std::string path = "ObjectMeta." + std::string(member.key());
    const Field* field = object_meta().shape->find(member.key());
    if (!field) continue;
    const Value& value = member.value();
    const Schema& schema = field->schema;
    if (!matches(value, schema)) return cannot(value, path, go_type_name(field->name, schema));
    if (value.is_object() && schema.type == Type::Map)
      for (const auto& word : value.get_object())
        if (!matches(word.value(), *schema.items)) return cannot(word.value(), path, "string");
    if (value.is_array())
      for (const Value& item : value.get_array())
        if (!matches(item, *schema.items))
          return cannot(item, path, schema.items->go == GoType::String ? "string" : "object");
  }
  return {};
}

void check_metadata(const Value& metadata, const std::string& path, FieldErrors& errors) {
  const std::string_view generate = string_at(metadata, {"generateName"});
  if (!generate.empty())
    complain(child(path, "generateName"), generate, check_path_segment(generate), errors);
  const std::string_view name = string_at(metadata, {"name"});
  if (!name.empty()) complain(child(path, "name"), name, check_path_segment(name), errors);
  const std::string_view ns = string_at(metadata, {"namespace"});
  if (!ns.empty()) complain(child(path, "namespace"), ns, check_dns1123_label(ns), errors);
  const int64_t generation = int_at(metadata, {"generation"}, 0);
  if (generation < 0)
    errors.push_back(
        invalid_field(child(path, "generation"), generation, "must be greater than or equal to 0"));
  check_labels(metadata, path, errors);
  check_annotations(metadata, path, errors);
  check_owners(metadata, path, errors);
  for (const Value& finalizer : array_at(metadata, {"finalizers"}))
    if (finalizer.is_string())
      complain(child(path, "finalizers"), view(finalizer.get_string()),
               check_qualified_name(view(finalizer.get_string())), errors);
}

}  // namespace holdfast::model::structural
