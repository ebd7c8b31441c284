/// The type of a JSON value, in one form for all kinds: built-in ones come from the table of facts,
/// custom ones from their CRD, our own from their C++ fields. Decoding, pruning, defaulting,
/// validation, strategic merge, server-side apply, protobuf and OpenAPI all walk this one
/// structure.
///
/// A Schema is a *use* of a type: what belongs to the place (list keys, default, patch strategy)
/// stands here; the members of an object stand in a Shape, which many places may share and which
/// may contain itself (JSONSchemaProps does). Shapes, element schemas and limits live in a
/// SchemaArena and die with it; all pointers point into one arena.
#pragma once

#include <holdfast/model/limits.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace holdfast::model {

struct Shape;

// g++ 12 takes scoped enumerators for shadows of model::Object and model::Array.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
enum class Type : uint8_t {
  Any,
  Object,
  Map,
  Array,
  String,
  Integer,
  Number,
  Boolean,
  IntOrString
};
#pragma GCC diagnostic pop
/// How a list merges. Unset on a built-in means atomic for apply.
enum class ListType : uint8_t { Unset, Atomic, Set, Map };
enum class MapType : uint8_t { Unset, Granular, Atomic };
/// Strategic merge directives of the field, a bit set. None: lists are replaced, maps are merged.
enum PatchStrategy : uint8_t {
  kPatchUnset = 0,
  kPatchMerge = 1,
  kPatchRetainKeys = 2,
  kPatchReplace = 4  ///< maps too
};
/// What the Go type behind a built-in field is; decides protobuf, canonical text and when a field
/// is printed.
enum class GoType : uint8_t {
  None,  ///< not a built-in
  String,
  Bytes,
  Bool,
  Int32,
  Int64,
  Float64,
  Struct,
  StringMap,
  Slice,
  Time,
  MicroTime,
  Duration,
  Quantity,
  IntOrString,
  RawExtension,  ///< any JSON, bytes in protobuf
  FieldsV1,
  Json,  ///< apiextensions JSON
  JsonSchemaOrBool,
  JsonSchemaOrArray,
  JsonSchemaOrStringArray,
  StringList,  ///< a message with `items` in protobuf, a plain list in JSON (authentication's
               ///< ExtraValue, Verbs)
};

struct Schema {
  Type type = Type::Any;
  bool nullable = false;
  bool preserve_unknown = false;
  bool embedded_resource = false;
  ListType list_type = ListType::Unset;
  MapType map_type = MapType::Unset;
  uint8_t patch_strategy = kPatchUnset;
  GoType go = GoType::None;
  bool go_pointer = false;  ///< built-ins: nil is told from the zero value
  bool has_rules = false;   ///< x-kubernetes-validations, here or further in
  std::string format;       ///< "int32", "date-time", "byte", …
  std::string_view
      go_name;  ///< built-ins: Go's name in errors if the structure does not give it; static text
  std::string patch_merge_key;         ///< strategic merge
  std::vector<std::string> list_keys;  ///< server-side apply, with ListType::Map
  const Shape* shape = nullptr;        ///< Object: members
  const Schema* items = nullptr;       ///< Array, Map: element
  const Limits* limits = nullptr;      ///< value validations; null if none
  std::optional<Value> default_value;
  std::string description;
};

struct Field {
  std::string name;
  Schema schema;
  uint32_t tag = 0;        ///< protobuf field number; 0 = not in protobuf
  bool omit_empty = true;  ///< Go's omitempty; a struct that is no pointer is printed all the same
  bool omit_zero = false;  ///< Go's omitzero: a zero struct or time goes too
  bool inlined = false;    ///< a Go embedded struct whose members stand in the parent's JSON; only
                           ///< protobuf sees it
};

/// Members in the order in which the server prints them.
struct Shape {
  std::string name;  ///< "io.k8s.api.apps.v1.Deployment" for built-ins, "" for anonymous objects
  std::vector<Field> fields;
  std::vector<std::string> required;
  std::unordered_map<std::string_view, uint32_t>
      by_name;  ///< into `fields`, less inlined; filled by `index()`

  const Field* find(std::string_view field) const;
  void index();
};

/// Owns the parts of schemas. Addresses are stable; not copied, not moved.
struct SchemaArena {
  std::deque<Shape> shapes;
  std::deque<Schema> schemas;
  std::deque<Limits> limits;
  SchemaArena() = default;
  SchemaArena(const SchemaArena&) = delete;
  SchemaArena& operator=(const SchemaArena&) = delete;
};

}  // namespace holdfast::model
