/// Objects: names of kinds, and the metadata that all Kubernetes objects share and that servers and
/// controllers read.
#pragma once

#include <holdfast/model/json.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::model {

struct GroupVersion {
  std::string group;  ///< "" is the core group
  std::string version;
  auto operator<=>(const GroupVersion&) const = default;
  /// "v1", "apps/v1"
  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
  /// At most one slash; anything else is Invalid, as in Go: `unexpected GroupVersion string:
  /// a/b/c`.
  static Result<GroupVersion> parse(std::string_view api_version);
};

struct GroupKind {
  std::string group;
  std::string kind;
  auto operator<=>(const GroupKind&) const = default;
  /// "Deployment.apps", "Pod"
  std::string text() const { return group.empty() ? kind : kind + "." + group; }
};

struct GroupResource {
  std::string group;
  std::string resource;
  auto operator<=>(const GroupResource&) const = default;
  /// "deployments.apps", "pods"
  std::string text() const { return group.empty() ? resource : resource + "." + group; }
};

struct GroupVersionKind {
  std::string group;
  std::string version;
  std::string kind;
  auto operator<=>(const GroupVersionKind&) const = default;
  GroupVersion group_version() const { return {group, version}; }
};

using Labels = std::vector<std::pair<std::string, std::string>>;  ///< sorted by key

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  bool controller = false;
  bool block_owner_deletion = false;
};

/// The metadata a server keeps parsed beside an object's text.
struct Meta {
  std::string ns;
  std::string name;
  std::string uid;
  std::string resource_version;
  std::string deletion_timestamp;  ///< "" = not being deleted
  int64_t generation = 0;
  Labels labels;
  std::vector<std::string> finalizers;
  std::vector<OwnerReference> owners;
};

/// Reads what is there; wrong types count as absent (decoding has checked them before).
Meta meta_of(const Value& object);
/// The object's `apiVersion` and `kind`; Invalid if apiVersion does not parse.
Result<GroupVersionKind> gvk_of(const Value& object);

/// A status condition (metav1.Condition).
struct Condition {
  std::string type;
  std::string status;  ///< True, False, Unknown
  std::string reason;
  std::string message;
  std::string last_transition_time;  ///< RFC 3339
  int64_t observed_generation = 0;
};

/// Puts `wanted` among `conditions` by type. lastTransitionTime moves to `now` only when status
/// changes. Returns whether anything but times changed.
bool set_condition(std::vector<Condition>& conditions, Condition wanted, std::string_view now);

}  // namespace holdfast::model
