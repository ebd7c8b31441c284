#include "kinds/resource.h"

namespace holdfast::apiserver {

const Catalogue::Group* Catalogue::group(std::string_view name) const {
  for (const Group& each : groups)
    if (each.name == name) return &each;
  return nullptr;
}

ResourcePtr Catalogue::find(std::string_view group_name, std::string_view version,
                            std::string_view plural) const {
  const Group* found = group(group_name);
  if (found == nullptr) return nullptr;
  for (const Version& each : found->versions) {
    if (each.version != version) continue;
    for (const ResourcePtr& resource : each.resources)
      if (resource->plural == plural) return resource;
  }
  return nullptr;
}

ResourcePtr Catalogue::find_kind(const model::GroupVersionKind& gvk) const {
  const Group* found = group(gvk.group);
  if (found == nullptr) return nullptr;
  for (const Version& each : found->versions) {
    if (each.version != gvk.version) continue;
    for (const ResourcePtr& resource : each.resources)
      if (resource->kind == gvk.kind) return resource;
  }
  return nullptr;
}

ResourcePtr Catalogue::find_group_kind(const model::GroupKind& gk) const {
  const Group* found = group(gk.group);
  if (found == nullptr) return nullptr;
  for (const Version& each : found->versions)
    for (const ResourcePtr& resource : each.resources)
      if (resource->kind == gk.kind) return resource;
  return nullptr;
}

ResourcePtr Catalogue::find_storage(std::string_view storage) const {
  ResourcePtr any;
  for (const Group& each : groups)
    for (const Version& version : each.versions)
      for (const ResourcePtr& resource : version.resources) {
        if (resource->storage != storage) continue;
        if (resource->version == resource->storage_version && resource->group != "events.k8s.io")
          return resource;
        any = resource;
      }
  return any;
}

}  // namespace holdfast::apiserver
