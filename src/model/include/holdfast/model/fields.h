/// The fields of a resource type of ours, said once in C++:
///
///   struct Spec {
///     std::string cluster;
///     int64_t keep = 0;
///     template <class V>
///     void fields(V& v) {
///       v.required("cluster", cluster, "EtcdCluster to create");
///       v.defaulted("keep", keep, 3, "backups to keep", {.minimum = 1});
///     }
///   };
///
/// From this come the JSON codec, the openAPIV3Schema, defaults, the CRD and the reference page. A
/// resource is a struct with `static constexpr Kind kKind`, `spec` and, if it has one, `status`.
#pragma once

#include <holdfast/model/field_types.h>
#include <holdfast/model/structural.h>

namespace holdfast::model {

struct Kind {
  std::string_view group, version, kind;
};

/// What the schema asks of a value beyond its type; the server enforces it.
struct FieldLimits {
  std::optional<double> minimum = {}, maximum = {};
  std::optional<int64_t> min_length = {}, max_length = {};
  const char* pattern = nullptr;
  const char* format = nullptr;  ///< "date-time", …
  bool immutable =
      false;  ///< of a spec, not inside lists: stays as it was when the object was made
};

class FieldVisitor {
 public:
  /// Must be there.
  template <class T>
  void required(const char* name, T& field, const char* doc, const FieldLimits& limits = {}) {
    visit({name, doc, &field, &field_type<T>(), Presence::Required, nullptr, &limits});
  }
  /// May be absent: an empty std::optional, string, list, map or struct is not written.
  template <class T>
  void optional(const char* name, T& field, const char* doc, const FieldLimits& limits = {}) {
    visit({name, doc, &field, &field_type<T>(), Presence::Optional, nullptr, &limits});
  }
  /// Absent means `value`; the server writes it into the object.
  template <class T>
  void defaulted(const char* name, T& field, const std::type_identity_t<T>& value, const char* doc,
                 const FieldLimits& limits = {}) {
    visit({name, doc, &field, &field_type<T>(), Presence::Defaulted, &value, &limits});
  }

  enum class Presence { Required, Optional, Defaulted };
  struct Entry {
    const char* name;
    const char* doc;
    void* field;
    const FieldType* type;
    Presence presence;
    const void* default_value;
    const FieldLimits* limits;
  };

 protected:
  ~FieldVisitor() = default;
  virtual void visit(const Entry& entry) = 0;
};

/// What a CRD says beside the schema.
struct Definition {
  std::string doc = {};     ///< what the kind promises; `kubectl explain` shows it
  std::string plural = {};  ///< "" = lower-case kind + "s"
  bool cluster_scoped = false;
  std::vector<std::string> short_names = {}, categories = {};
  struct Column {
    std::string name, type, json_path;
    std::string doc = {};
    int priority = 0;
  };
  std::vector<Column> columns = {};
};

namespace field_types {
/// `status` is null for kinds that have none.
Value open_api_schema(const std::string& doc, const FieldType& spec, const FieldType* status);
Value definition_manifest(const Kind& kind, const Definition& definition, Value schema,
                          bool has_status);
std::string reference_page(const Kind& kind, const Definition& definition, const Value& schema);
Result<void> decode_part(const Value& object, const char* name, const FieldType& type, void* out);
Value start_object(const Kind& kind);
void encode_part(Value& object, const char* name, const FieldType& type, const void* part);

template <class T>
concept HasStatus = requires(T& object) {
  object.status;
};
template <class T>
const FieldType* status_type() {
  if constexpr (HasStatus<T>)
    return &field_type<decltype(T::status)>();
  else
    return nullptr;
}
}  // namespace field_types

/// Reads spec and status; unknown members are skipped. Invalid names the field:
/// `spec.keep: must be an integer, is "x"`.
template <class T>
Result<T> decode_object(const Value& object) {
  T out;
  HF_TRY(field_types::decode_part(object, "spec", field_type<decltype(T::spec)>(), &out.spec));
  if constexpr (field_types::HasStatus<T>)
    HF_TRY(
        field_types::decode_part(object, "status", field_type<decltype(T::status)>(), &out.status));
  return out;
}

/// apiVersion, kind, spec and, unless it is empty, status. Metadata is the caller's.
template <class T>
Value encode_object(const T& object) {
  Value out = field_types::start_object(T::kKind);
  field_types::encode_part(out, "spec", field_type<decltype(T::spec)>(), &object.spec);
  if constexpr (field_types::HasStatus<T>)
    field_types::encode_part(out, "status", field_type<decltype(T::status)>(), &object.status);
  return out;
}

/// The openAPIV3Schema; `build_structural` makes a Schema of it.
template <class T>
Value open_api_schema(const std::string& doc = "") {
  return field_types::open_api_schema(doc, field_type<decltype(T::spec)>(),
                                      field_types::status_type<T>());
}

/// A whole CustomResourceDefinition with one version, served and stored.
template <class T>
Value definition_manifest(const Definition& definition) {
  return field_types::definition_manifest(T::kKind, definition, open_api_schema<T>(definition.doc),
                                          field_types::HasStatus<T>);
}

/// Markdown: what the kind is for, then a table of its fields.
template <class T>
std::string reference_page(const Definition& definition) {
  return field_types::reference_page(T::kKind, definition, open_api_schema<T>(definition.doc));
}

}  // namespace holdfast::model
