/// Field types: C++ types in JSON and in schemas. All code that walks fields is written once,
/// against FieldType; the templates below only find the constant for a type, so that many kinds
/// compile quickly.
///
///   std::string, bool, int32_t, int64_t, double   string, boolean, integer, number
///   enum                                           string; its words come from `words(E)`
///   std::optional<T>, std::vector<T>               T, list of T
///   std::map<std::string, T>                       object with values of T
///   Condition (a vector of them merges by type), Value (anything)
///   struct with `template <class V> void fields(V&)`   object
#pragma once

#include <holdfast/base/result.h>
#include <holdfast/model/json.h>
#include <holdfast/model/object.h>

#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace holdfast::model {

class FieldVisitor;

struct FieldType {
  void (*encode)(const void* value, Value& out);
  /// `path` is where `in` stands, for the message.
  Result<void> (*decode)(void* value, const Value& in, const std::string& path);
  /// Adds type and structure to an openAPIV3Schema node.
  void (*describe)(Object& schema);
  /// Optional fields that are empty are not written.
  bool (*empty)(const void* value);
};

template <class T>
const FieldType& field_type();

/// The word of an enum value; `words(E)` stands beside the enum:
///   constexpr auto words(Phase) { return std::array{std::pair{Phase::New, "New"}, …}; }
template <class E>
const char* word(E value) {
  for (const auto& [key, text] : words(value))
    if (key == value) return text;
  return "";
}
template <class E>
std::optional<E> from_word(std::string_view text) {
  for (const auto& [key, known] : words(E{}))
    if (text == known) return key;
  return {};
}

namespace field_types {

extern const FieldType kString, kBool, kInt32, kInt64, kDouble, kAny, kCondition;

/// The parts that need no template.
using Visit = void (*)(void* object, FieldVisitor& visitor);
void encode_struct(const void* object, Visit visit, Value& out);
Result<void> decode_struct(void* object, Visit visit, const Value& in, const std::string& path);
void describe_struct(void* object, Visit visit, Object& schema);
bool empty_struct(const void* object, Visit visit);
void describe_list(const FieldType& item, Object& schema);
void describe_map(const FieldType& item, Object& schema);
void describe_words(const std::vector<std::string>& words, Object& schema);
/// `spec.size: must be a list, is 5`
Error wrong_type(const std::string& path, const char* wanted, const Value& found);
Error unknown_word(const std::string& path, const Value& found,
                   const std::vector<std::string>& known);
std::string item_path(const std::string& path, size_t index);
std::string member_path(const std::string& path, std::string_view name);
Value& append(Value& list);
Value& member(Value& object, std::string_view name);
const Array* as_list(const Value& value);
const Object* as_object(const Value& value);

template <class T>
struct Struct;
template <class E>
struct Enum;

template <class T>
struct Pick {
  static const FieldType& type() {
    if constexpr (std::is_enum_v<T>)
      return Enum<T>::kType;
    else
      return Struct<T>::kType;
  }
};
template <>
struct Pick<std::string> {
  static const FieldType& type() { return kString; }
};
template <>
struct Pick<bool> {
  static const FieldType& type() { return kBool; }
};
template <>
struct Pick<int32_t> {
  static const FieldType& type() { return kInt32; }
};
template <>
struct Pick<int64_t> {
  static const FieldType& type() { return kInt64; }
};
template <>
struct Pick<double> {
  static const FieldType& type() { return kDouble; }
};
template <>
struct Pick<Value> {
  static const FieldType& type() { return kAny; }
};
template <>
struct Pick<Condition> {
  static const FieldType& type() { return kCondition; }
};

}  // namespace field_types

template <class T>
const FieldType& field_type() {
  return field_types::Pick<T>::type();
}

}  // namespace holdfast::model

#include <holdfast/model/field_compounds.h>
