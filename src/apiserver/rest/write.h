/// Creating and changing objects: the one path on which every write goes, from a request, a
/// controller or bootstrap.
#pragma once

#include "rest/api.h"

#include <functional>

namespace holdfast::apiserver {

struct WriteRequest {
  ResourcePtr resource;
  std::string ns;
  std::string name;         ///< of the object; "" on create means: in the object, or generated
  std::string subresource;  ///< "", "status", …
  WriteOptions options;
  User user;
  std::vector<std::string>* warnings = nullptr;
};

struct Written {
  StoredPtr object;
  bool created = false;
};

/// `object` is decoded and defaulted, in the version of the resource. `tracked`: its managedFields
/// are already right.
Answer<Written> create_object(Api& api, const WriteRequest& request, Value object,
                              bool tracked = false);

/// Computes the next state from the current one; called again if somebody else wrote meanwhile. The
/// argument is null if the object does not exist (only if `create_if_absent`). The value returned
/// is decoded and defaulted.
using NextState = std::function<Answer<Value>(const Value* live)>;
struct UpdateMode {
  bool create_if_absent = false;
  bool apply = false;    ///< managedFields are already right (server-side apply)
  bool replace = false;  ///< a uid in the object says which one is meant; in a patch it is a change
};
Answer<Written> update_object(Api& api, const WriteRequest& request, UpdateMode mode,
                              const NextState& change);

/// Parts of an object that a write through this door does not own, since it cannot change them.
std::vector<std::string> untracked_paths(const Resource& resource, const std::string& subresource);

/// Defaults of the kind or of its CRD.
void set_kind_defaults(Value& object, const Resource& resource);

}  // namespace holdfast::apiserver
