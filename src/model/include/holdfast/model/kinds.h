/// The table of built-in kinds: every type of the API groups that we serve, as facts (names, types,
/// protobuf tags, list and merge keys, defaults). The data is `kinds/kinds.table`, derived by
/// `tools/kinds` from what the real server and the published Go types say of themselves; this door
/// gives it as Schemas.
#pragma once

#include <holdfast/model/object.h>
#include <holdfast/model/schema.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace holdfast::model {

struct BuiltinKind {
  GroupVersionKind gvk;
  const Shape* shape = nullptr;
};

/// Parsed once on first use, then immutable. Safe to use from many threads.
class Kinds {
 public:
  static const Kinds& builtin();

  /// Null if there is no such built-in kind. Also finds DeleteOptions, Status, Scale, the reviews
  /// and the Lists.
  const BuiltinKind* find(const GroupVersionKind& gvk) const;
  /// By "io.k8s.api.apps.v1.DeploymentSpec"; null if absent.
  const Shape* shape(std::string_view name) const;
  const std::vector<BuiltinKind>& all() const { return kinds_; }
  /// A schema whose type is Object and whose shape is the kind's.
  const Schema* schema(const GroupVersionKind& gvk) const;

 private:
  Kinds();
  std::vector<BuiltinKind> kinds_;
  std::unordered_map<std::string, size_t> by_gvk_;
  std::vector<Schema> schemas_;
  std::unordered_map<std::string_view, const Shape*> shapes_;
  SchemaArena arena_;
};

}  // namespace holdfast::model
