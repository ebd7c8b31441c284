/// Resources of our own, whose fields are said in C++ (model/fields.h), on any server.
#pragma once

#include <holdfast/base/text.h>
#include <holdfast/kube/client.h>
#include <holdfast/model/fields.h>

namespace holdfast::kube {

namespace typed {
template <class T>
concept HasPlural = requires {
  T::kPlural;
};
template <class T>
concept HasScope = requires {
  T::kClusterScoped;
};

template <class T>
std::string_view plural_of() {
  if constexpr (HasPlural<T>) {
    return T::kPlural;
  } else {
    static const std::string made = to_lower(T::kKind.kind) + "s";
    return made;
  }
}
template <class T>
constexpr bool is_namespaced() {
  if constexpr (HasScope<T>)
    return !T::kClusterScoped;
  else
    return true;
}
}  // namespace typed

/// By `T::kKind`; `T::kPlural` and `T::kClusterScoped` where the type has them, else the lower-case
/// kind with an "s", in namespaces.
template <class T>
const Resource& resource_of() {
  static const Resource made{T::kKind.group, T::kKind.version, typed::plural_of<T>(), T::kKind.kind,
                             typed::is_namespaced<T>()};
  return made;
}

/// Who an object is, for those who write it: the members of its metadata that they own.
struct ApplyMeta {
  std::string ns{}, name{};
  std::string uid{};  ///< "" = whoever has the name; else 422 if that is somebody else now
  model::Labels labels{};
  model::Value owners{};  ///< array of ownerReferences, or null
};
model::Value to_value(const ApplyMeta& meta);

/// The object as the server made it, with defaults.
template <class T>
Reply<model::Value> apply(Client& client, const T& object, const ApplyMeta& meta,
                          bool force = false, const WriteOptions& options = {}) {
  model::Value configuration = model::encode_object(object);
  // What a subresource does not own, it must not claim.
  model::erase(configuration, {options.subresource == "status" ? "spec" : "status"});
  configuration.as_object()["metadata"] = to_value(meta);
  return client.apply(resource_of<T>(), configuration, force, options);
}

/// Invalid names the object and the field that is not what the type says.
template <class T>
Reply<T> get(Client& client, std::string_view ns, std::string_view name) {
  const model::Value object = HF_TRY(client.get(resource_of<T>(), ns, name));
  Result<T> decoded = model::decode_object<T>(object);
  if (decoded) return decoded.take();
  return Failure{decoded.take_error().with_context("reading " + resource_of<T>().text() + " " +
                                                   std::string(name))};
}

}  // namespace holdfast::kube
