#include <holdfast/control/rights.h>

#include <algorithm>
#include <map>
#include <set>

namespace holdfast::control {
namespace {

/// The order in which people write verbs.
constexpr std::string_view kVerbs[] = {"get",    "list",     "watch",      "create",
                                       "update", "patch",    "delete",     "deletecollection",
                                       "bind",   "escalate", "impersonate"};

model::Array strings(const std::set<std::string>& items) {
  model::Array out;
  for (const std::string& item : items) out.emplace_back(item);
  return out;
}

model::Array in_order(const std::set<std::string>& verbs) {
  model::Array out;
  for (const std::string_view verb : kVerbs)
    if (verbs.count(std::string(verb)) != 0) out.emplace_back(verb);
  for (const std::string& verb : verbs)
    if (std::find(std::begin(kVerbs), std::end(kVerbs), verb) == std::end(kVerbs))
      out.emplace_back(verb);
  return out;
}

}  // namespace

std::vector<Right> rights_to_watch(const ControllerSpec& spec) {
  std::vector<Right> out;
  for (const Watch& watch : spec.watches)
    out.push_back({std::string(watch.scope.resource.group),
                   {std::string(watch.scope.resource.plural)},
                   {"get", "list", "watch"}});
  return out;
}

bool is_cluster_scoped(std::string_view group, std::string_view resource) {
  constexpr kube::Resource kAll[] = {kube::kVolumes,
                                     kube::kNamespaces,
                                     kube::kNodes,
                                     kube::kClusterRoles,
                                     kube::kDefinitions,
                                     kube::kStorageClasses,
                                     kube::kVolumeSnapshotContents,
                                     kube::kVolumeSnapshotClasses,
                                     kube::kGroupSnapshotContents,
                                     kube::kGroupSnapshotClasses};
  const std::string_view plural = resource.substr(0, resource.find('/'));
  // Reviews are no objects, and those of whole subjects are in no namespace.
  if (group == "authorization.k8s.io") return plural != "localsubjectaccessreviews";
  return std::any_of(std::begin(kAll), std::end(kAll), [&](const kube::Resource& each) {
    return each.group == group && each.plural == plural;
  });
}

std::vector<Right> runtime_rights() {
  return {{"events.k8s.io", {"events"}, {"create", "patch"}},
          {"", {"events"}, {"create", "patch"}}};
}

std::vector<Right> lease_rights() {
  return {{"coordination.k8s.io", {"leases"}, {"get", "create", "update"}}};
}

model::Array rules_of(const std::vector<Right>& rights) {
  std::map<std::pair<std::string, std::string>, std::set<std::string>> verbs_of;
  for (const Right& right : rights)
    for (const std::string& resource : right.resources)
      verbs_of[{right.group, resource}].insert(right.verbs.begin(), right.verbs.end());
  std::map<std::pair<std::string, std::set<std::string>>, std::set<std::string>> grouped;
  for (const auto& [what, verbs] : verbs_of) grouped[{what.first, verbs}].insert(what.second);
  model::Array rules;
  for (const auto& [key, resources] : grouped)
    rules.push_back(model::Object{{"apiGroups", model::Array{key.first}},
                                  {"resources", strings(resources)},
                                  {"verbs", in_order(key.second)}});
  return rules;
}

}  // namespace holdfast::control
