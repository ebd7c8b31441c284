#include "discovery/discovery.h"

#include <algorithm>

namespace holdfast::apiserver {
namespace {

using model::Array;
using model::Object;
using model::Value;

struct Subresource {
  std::string name;
  model::GroupVersionKind kind;  // group and version empty: those of the resource
  std::vector<std::string> verbs;
};

std::vector<Subresource> subresources(const Resource& resource) {
  std::vector<Subresource> out;
  if (resource.has_status)
    out.push_back({"status", {"", "", resource.kind}, {"get", "patch", "update"}});
  if (resource.scale)
    out.push_back({"scale", {"autoscaling", "v1", "Scale"}, {"get", "patch", "update"}});
  for (const std::string& other : resource.other_subresources) {
    if (other == "finalize") out.push_back({other, {"", "", resource.kind}, {"update"}});
    if (other == "binding") out.push_back({other, {"", "", "Binding"}, {"create"}});
    if (other == "log") out.push_back({other, {"", "", resource.kind}, {"get"}});
    if (other == "exec") out.push_back({other, {"", "", "PodExecOptions"}, {"create", "get"}});
    if (other == "attach") out.push_back({other, {"", "", "PodAttachOptions"}, {"create", "get"}});
    if (other == "portforward")
      out.push_back({other, {"", "", "PodPortForwardOptions"}, {"create", "get"}});
    if (other == "token")
      out.push_back({other, {"authentication.k8s.io", "v1", "TokenRequest"}, {"create"}});
  }
  std::sort(out.begin(), out.end(),
            [](const Subresource& a, const Subresource& b) { return a.name < b.name; });
  return out;
}

Array strings(const std::vector<std::string>& list) {
  Array out;
  for (const std::string& each : list) out.emplace_back(each);
  return out;
}

std::string group_version(const Catalogue::Group& group, const std::string& version) {
  return group.name.empty() ? version : group.name + "/" + version;
}

Object group_fields(const Catalogue::Group& group) {
  Array versions;
  for (const Catalogue::Version& version : group.versions)
    versions.emplace_back(Object{{"groupVersion", group_version(group, version.version)},
                                 {"version", version.version}});
  Value preferred = versions.front();
  return Object{{"name", group.name},
                {"versions", std::move(versions)},
                {"preferredVersion", std::move(preferred)}};
}

Value legacy_resource(const Resource& resource) {
  Object out{{"name", resource.plural},
             {"singularName", resource.singular},
             {"namespaced", resource.namespaced},
             {"kind", resource.kind}};
  out["verbs"] = strings(resource.verbs);
  if (!resource.short_names.empty()) out["shortNames"] = strings(resource.short_names);
  if (!resource.categories.empty()) out["categories"] = strings(resource.categories);
  if (!resource.stored_version_hash.empty())
    out["storageVersionHash"] = resource.stored_version_hash;
  return out;
}

Value legacy_subresource(const Resource& resource, const Subresource& sub) {
  Object out{{"name", resource.plural + "/" + sub.name},
             {"singularName", ""},
             {"namespaced", resource.namespaced}};
  if (!sub.kind.version.empty()) {
    out["group"] = sub.kind.group;
    out["version"] = sub.kind.version;
  }
  out["kind"] = sub.kind.kind;
  out["verbs"] = strings(sub.verbs);
  return out;
}

Value response_kind(const model::GroupVersionKind& kind) {
  return Object{{"group", kind.group}, {"version", kind.version}, {"kind", kind.kind}};
}

Value aggregated_resource(const Resource& resource) {
  const model::GroupVersionKind kind =
      resource.is_custom() ? resource.gvk() : model::GroupVersionKind{"", "", resource.kind};
  Object out{{"resource", resource.plural},
             {"responseKind", response_kind(kind)},
             {"scope", resource.namespaced ? "Namespaced" : "Cluster"},
             {"singularResource", resource.singular},
             {"verbs", strings(resource.verbs)}};
  if (!resource.short_names.empty()) out["shortNames"] = strings(resource.short_names);
  if (!resource.categories.empty()) out["categories"] = strings(resource.categories);
  Array subs;
  for (const Subresource& sub : subresources(resource)) {
    model::GroupVersionKind sub_kind = sub.kind;
    if (resource.is_custom() && sub_kind.version.empty()) sub_kind = resource.gvk();
    subs.emplace_back(Object{{"subresource", sub.name},
                             {"responseKind", response_kind(sub_kind)},
                             {"verbs", strings(sub.verbs)}});
  }
  if (!subs.empty()) out["subresources"] = std::move(subs);
  return out;
}

}  // namespace

Value api_versions(std::string_view server_address) {
  return Object{
      {"kind", "APIVersions"},
      {"versions", Array{Value("v1")}},
      {"serverAddressByClientCIDRs",
       Array{Value(Object{{"clientCIDR", "0.0.0.0/0"}, {"serverAddress", server_address}})}}};
}

Value api_group(const Catalogue::Group& group) {
  Object out{{"kind", "APIGroup"}, {"apiVersion", "v1"}};
  for (auto& [name, value] : group_fields(group)) out[name] = value;
  return out;
}

Value api_group_list(const Catalogue& catalogue) {
  Array groups;
  for (const Catalogue::Group& group : catalogue.groups)
    if (!group.name.empty()) groups.emplace_back(group_fields(group));
  return Object{{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}};
}

Value api_resource_list(const Catalogue::Group& group, const Catalogue::Version& version) {
  Array resources;
  for (const ResourcePtr& resource : version.resources) {
    resources.push_back(legacy_resource(*resource));
    for (const Subresource& sub : subresources(*resource))
      resources.push_back(legacy_subresource(*resource, sub));
  }
  Object out{{"kind", "APIResourceList"}};
  if (!group.name.empty()) out["apiVersion"] = "v1";
  out["groupVersion"] = group_version(group, version.version);
  out["resources"] = std::move(resources);
  return out;
}

Value group_discovery_list(const Catalogue& catalogue, bool core) {
  Array items;
  for (const Catalogue::Group& group : catalogue.groups) {
    if (group.name.empty() != core) continue;
    Array versions;
    for (const Catalogue::Version& version : group.versions) {
      Array resources;
      for (const ResourcePtr& resource : version.resources)
        resources.push_back(aggregated_resource(*resource));
      versions.emplace_back(Object{{"version", version.version},
                                   {"resources", std::move(resources)},
                                   {"freshness", "Current"}});
    }
    Object metadata;
    if (!core) metadata["name"] = group.name;
    items.emplace_back(
        Object{{"metadata", std::move(metadata)}, {"versions", std::move(versions)}});
  }
  return Object{{"kind", "APIGroupDiscoveryList"},
                {"apiVersion", "apidiscovery.k8s.io/v2"},
                {"metadata", Object()},
                {"items", std::move(items)}};
}

}  // namespace holdfast::apiserver
