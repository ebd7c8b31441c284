/// The field types that are made of others: structs, enums, containers. Included by field_types.h.
#pragma once

#include <holdfast/model/field_types.h>

namespace holdfast::model::field_types {

template <class T>
struct Struct {
  static void visit(void* object, FieldVisitor& visitor) {
    static_cast<T*>(object)->fields(visitor);
  }
  static constexpr FieldType kType{
      [](const void* value, Value& out) { encode_struct(value, visit, out); },
      [](void* value, const Value& in, const std::string& path) {
        return decode_struct(value, visit, in, path);
      },
      [](Object& schema) {
        T example;
        describe_struct(&example, visit, schema);
      },
      [](const void* value) { return empty_struct(value, visit); }};
};

template <class E>
struct Enum {
  static std::vector<std::string> all() {
    std::vector<std::string> out;
    for (const auto& [key, text] : words(E{})) out.emplace_back(text);
    return out;
  }
  static constexpr FieldType kType{
      [](const void* value, Value& out) { out = word(*static_cast<const E*>(value)); },
      [](void* value, const Value& in, const std::string& path) -> Result<void> {
        const auto found = in.is_string() ? from_word<E>(view(in.get_string())) : std::nullopt;
        if (!found) return unknown_word(path, in, all());
        *static_cast<E*>(value) = *found;
        return ok();
      },
      [](Object& schema) { describe_words(all(), schema); }, [](const void*) { return false; }};
};

template <class T>
struct Pick<std::optional<T>> {
  using Self = std::optional<T>;
  static constexpr FieldType kType{
      [](const void* value, Value& out) {
        const Self& self = *static_cast<const Self*>(value);
        if (self) field_type<T>().encode(&*self, out);
      },
      [](void* value, const Value& in, const std::string& path) {
        // Not emplace(): clang asks whether T can be made before the class that T is nested in is
        // complete, and remembers the no.
        Self& self = *static_cast<Self*>(value);
        self = T{};
        return field_type<T>().decode(&*self, in, path);
      },
      [](Object& schema) { field_type<T>().describe(schema); },
      [](const void* value) { return !static_cast<const Self*>(value)->has_value(); }};
  static const FieldType& type() { return kType; }
};

template <class T>
struct Pick<std::vector<T>> {
  using Self = std::vector<T>;
  static Result<void> decode(void* value, const Value& in, const std::string& path) {
    const Array* list = as_list(in);
    if (!list) return wrong_type(path, "a list", in);
    Self out(list->size());
    for (size_t i = 0; i < out.size(); ++i)
      HF_TRY(field_type<T>().decode(&out[i], list->at(i), item_path(path, i)));
    *static_cast<Self*>(value) = std::move(out);
    return ok();
  }
  static constexpr FieldType kType{
      [](const void* value, Value& out) {
        out.emplace_array();
        for (const T& item : *static_cast<const Self*>(value))
          field_type<T>().encode(&item, append(out));
      },
      decode, [](Object& schema) { describe_list(field_type<T>(), schema); },
      [](const void* value) { return static_cast<const Self*>(value)->empty(); }};
  static const FieldType& type() { return kType; }
};

template <class T>
struct Pick<std::map<std::string, T>> {
  using Self = std::map<std::string, T>;
  static Result<void> decode(void* value, const Value& in, const std::string& path) {
    const Object* object = as_object(in);
    if (!object) return wrong_type(path, "an object", in);
    Self out;
    for (const auto& entry : *object)
      HF_TRY(field_type<T>().decode(&out[std::string(entry.key())], entry.value(),
                                    member_path(path, entry.key())));
    *static_cast<Self*>(value) = std::move(out);
    return ok();
  }
  static constexpr FieldType kType{
      [](const void* value, Value& out) {
        out.emplace_object();
        for (const auto& [name, item] : *static_cast<const Self*>(value))
          field_type<T>().encode(&item, member(out, name));
      },
      decode, [](Object& schema) { describe_map(field_type<T>(), schema); },
      [](const void* value) { return static_cast<const Self*>(value)->empty(); }};
  static const FieldType& type() { return kType; }
};

}  // namespace holdfast::model::field_types
