/// Objects of a driver's kinds as its commands meet them: found by name, or with an error that
/// names those that are there; all of a namespace, as what their type says.
#pragma once

#include <holdfast/base/result.h>
#include <holdfast/cli/server.h>
#include <holdfast/kube/typed.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::cli {

/// An object, whole and as its type has it.
template <class T>
struct Found {
  model::Value object{};
  T typed{};
  std::string ns{}, name{}, uid{};
};

template <class T>
Result<Found<T>> to_found(model::Value object) {
  Found<T> out;
  out.typed = HF_TRY(model::decode_object<T>(object));
  out.ns = model::string_at(object, {"metadata", "namespace"});
  out.name = model::string_at(object, {"metadata", "name"});
  out.uid = model::string_at(object, {"metadata", "uid"});
  out.object = std::move(object);
  return out;
}

/// "volumesnapshot.snapshot.storage.k8s.io/a", as kubectl names what it has done.
std::string name_text(const kube::Resource& resource, std::string_view name);

/// What is said of those that are there, where a name is not.
struct Others {
  std::string list{};   ///< the command that shows them: "holdfast get memos"
  std::string first{};  ///< where there is none at all; "" = that command
  bool newest = false;  ///< the newest are named, not the first by name
};

/// Of the command's namespace.
Result<model::Value> read_object(Server& server, const kube::Resource& resource,
                                 const std::string& name, const Others& others);
template <class T>
Result<Found<T>> read_found(Server& server, const std::string& name, const Others& others) {
  return to_found<T>(HF_TRY(read_object(server, kube::resource_of<T>(), name, others)));
}

/// The newest first; `ns` "" is all namespaces.
Result<model::Array> list_newest(Server& server, const kube::Resource& resource,
                                 const std::string& ns);
/// Those that `wanted` says, without what does not read.
template <class T, class Wanted>
Result<std::vector<Found<T>>> list_found(Server& server, const std::string& ns,
                                         const Wanted& wanted) {
  std::vector<Found<T>> out;
  for (model::Value& each : HF_TRY(list_newest(server, kube::resource_of<T>(), ns)))
    if (Result<Found<T>> found = to_found<T>(std::move(each)); found && wanted(*found))
      out.push_back(found.take());
  return out;
}

}  // namespace holdfast::cli
