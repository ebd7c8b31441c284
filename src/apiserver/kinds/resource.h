/// A resource as the server serves it: names, scope, verbs, subresources, schema. Built-in ones
/// come from one list (builtin_resources.cpp), custom ones from their CRD; after that nobody asks
/// which.
#pragma once

#include <holdfast/model/kinds.h>
#include <holdfast/model/object.h>
#include <holdfast/model/structural.h>

#include "kinds/rules.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::apiserver {

struct PrinterColumn {
  std::string name, type, format, description, json_path;
  int32_t priority = 0;
};

/// One served version of one resource.
struct Resource {
  std::string group, version, plural, singular, kind, list_kind;
  std::vector<std::string> short_names, categories;
  bool namespaced = true;
  std::vector<std::string> verbs;  ///< create delete deletecollection get list patch update watch
                                   ///< (sorted, as discovery prints them)
  std::string storage;             ///< Key::resource; shared by all versions
  std::string storage_version;     ///< version the stored text is in

  const model::Schema* schema = nullptr;  ///< never null
  std::shared_ptr<const model::StructuralSchema>
      custom;  ///< keeps `schema` alive; null for built-ins
  const KindRules* rules = nullptr;

  bool has_status = false;           ///< status subresource
  bool graceful_deletion = false;    ///< pods
  bool generation = true;            ///< metadata.generation counts spec changes
  bool unconditional_update = true;  ///< an update without resourceVersion is taken
  bool create_on_update = false;     ///< PUT to a name that does not exist creates
  bool returns_deleted = false;      ///< DELETE answers with the object instead of a Status
  bool orphans_by_default = false;   ///< no propagation policy means Orphan

  struct Scale {
    std::string spec_path, status_path,
        selector_path;             ///< ".spec.replicas"; selector_path may be ""
    model::GroupVersionKind kind;  ///< autoscaling/v1 Scale
  };
  std::shared_ptr<const Scale> scale;
  std::vector<std::string> other_subresources;  ///< "binding", "finalize", "token", "eviction" …

  std::vector<PrinterColumn> columns;  ///< custom resources; built-ins have code (tables/)
  std::vector<std::string>
      selectable_fields;  ///< beyond metadata.name and metadata.namespace, e.g. "spec.nodeName"
  std::string stored_version_hash;  ///< discovery's storageVersionHash; may be ""
  std::string deprecation_warning;  ///< sent with every answer if not ""

  model::GroupResource group_resource() const { return {group, plural}; }
  model::GroupKind group_kind() const { return {group, kind}; }
  model::GroupVersionKind gvk() const { return {group, version, kind}; }
  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
  bool is_custom() const { return custom != nullptr; }
};
using ResourcePtr = std::shared_ptr<const Resource>;

/// All that is served at one moment. Immutable; a new one replaces it when a CRD changes.
struct Catalogue {
  /// Groups in discovery order; in each, versions in preference order; in each, resources sorted by
  /// plural.
  struct Version {
    std::string version;
    std::vector<ResourcePtr> resources;
  };
  struct Group {
    std::string name;
    std::vector<Version> versions;
    bool custom = false;
  };
  std::vector<Group> groups;

  ResourcePtr find(std::string_view group, std::string_view version, std::string_view plural) const;
  ResourcePtr find_kind(const model::GroupVersionKind& gvk) const;
  /// Any version; the preferred one.
  ResourcePtr find_group_kind(const model::GroupKind& gk) const;
  const Group* group(std::string_view name) const;
  /// The version in which objects under this storage name are stored (or, if that one is not
  /// served, any).
  ResourcePtr find_storage(std::string_view storage) const;
};

/// Every built-in kind, with its names, scope, verbs, subresources and rules.
std::vector<Catalogue::Group> builtin_groups();

}  // namespace holdfast::apiserver
