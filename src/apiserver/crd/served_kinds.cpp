#include "crd/served_kinds.h"

#include <holdfast/base/log.h>
#include <holdfast/base/text.h>
#include <holdfast/model/time.h>

#include "crd/definition.h"
#include "rest/form.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace holdfast::apiserver {
namespace {

constexpr std::string_view kDefinitions = "apiextensions.k8s.io/customresourcedefinitions";

using model::Value;

std::vector<std::string> strings_at(const Value& object,
                                    std::initializer_list<std::string_view> path) {
  std::vector<std::string> out;
  for (const Value& each : model::array_at(object, path))
    if (each.is_string()) out.emplace_back(model::view(each.get_string()));
  return out;
}

std::string storage_version(const Value& definition) {
  for (const Value& version : model::array_at(definition, {"spec", "versions"}))
    if (model::bool_at(version, {"storage"}, false))
      return std::string(model::string_at(version, {"name"}));
  return {};
}

void set_names(Resource& resource, const Value& definition) {
  const auto name = [&](std::string_view member) {
    return std::string(model::string_at(definition, {"status", "acceptedNames", member}));
  };
  resource.group = model::string_at(definition, {"spec", "group"});
  resource.plural = name("plural");
  resource.singular = name("singular");
  resource.kind = name("kind");
  resource.list_kind = name("listKind");
  resource.short_names = strings_at(definition, {"status", "acceptedNames", "shortNames"});
  resource.categories = strings_at(definition, {"status", "acceptedNames", "categories"});
  resource.namespaced = model::string_at(definition, {"spec", "scope"}) == "Namespaced";
}

void set_columns(Resource& resource, const Value& version) {
  for (const Value& column : model::array_at(version, {"additionalPrinterColumns"}))
    resource.columns.push_back({std::string(model::string_at(column, {"name"})),
                                std::string(model::string_at(column, {"type"})),
                                std::string(model::string_at(column, {"format"})),
                                std::string(model::string_at(column, {"description"})),
                                std::string(model::string_at(column, {"jsonPath"})),
                                int32_t(model::int_at(column, {"priority"}, 0))});
  for (const Value& field : model::array_at(version, {"selectableFields"})) {
    std::string path(model::string_at(field, {"jsonPath"}));
    if (path.starts_with('.')) path.erase(0, 1);
    resource.selectable_fields.push_back(std::move(path));
  }
}

void set_subresources(Resource& resource, const Value& version) {
  resource.has_status = model::find(version, {"subresources", "status"}) != nullptr;
  const Value* scale = model::find(version, {"subresources", "scale"});
  if (scale == nullptr) return;
  auto paths = std::make_shared<Resource::Scale>();
  paths->spec_path = model::string_at(*scale, {"specReplicasPath"});
  paths->status_path = model::string_at(*scale, {"statusReplicasPath"});
  paths->selector_path = model::string_at(*scale, {"labelSelectorPath"});
  paths->kind = {"autoscaling", "v1", "Scale"};
  resource.scale = std::move(paths);
}

ResourcePtr make_resource(const Value& definition, const Value& version) {
  auto resource = std::make_shared<Resource>();
  set_names(*resource, definition);
  resource->version = model::string_at(version, {"name"});
  // In the order in which the real server's discovery lists them for custom resources.
  resource->verbs = {"delete", "deletecollection", "get",    "list",
                     "patch",  "create",           "update", "watch"};
  resource->storage = resource->group + "/" + resource->plural;
  resource->storage_version = storage_version(definition);
  resource->unconditional_update = false;
  if (model::bool_at(version, {"deprecated"}, false)) {
    const std::string_view own = model::string_at(version, {"deprecationWarning"});
    resource->deprecation_warning = !own.empty()
                                        ? std::string(own)
                                        : fmt::format("{}/{} {} is deprecated", resource->group,
                                                      resource->version, resource->kind);
  }
  static const Value no_schema =
      model::Object{{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
  const Value* schema = model::find(version, {"schema", "openAPIV3Schema"});
  model::FieldErrors errors;
  auto structural = std::make_shared<model::StructuralSchema>(
      model::build_structural(schema != nullptr ? *schema : no_schema, "schema", errors));
  resource->schema = &structural->root;
  resource->custom = std::move(structural);
  set_columns(*resource, version);
  set_subresources(*resource, version);
  return resource;
}

std::vector<ResourcePtr> served_versions(const Value& definition) {
  std::vector<ResourcePtr> out;
  if (!has_condition(definition, "Established")) return out;
  for (const Value& version : model::array_at(definition, {"spec", "versions"}))
    if (model::bool_at(version, {"served"}, false))
      out.push_back(make_resource(definition, version));
  return out;
}

void add_resource(Catalogue& catalogue, const ResourcePtr& resource) {
  auto group =
      std::find_if(catalogue.groups.begin(), catalogue.groups.end(),
                   [&](const Catalogue::Group& each) { return each.name == resource->group; });
  if (group == catalogue.groups.end())
    group = catalogue.groups.insert(catalogue.groups.end(), {resource->group, {}, true});
  auto& versions = group->versions;
  auto version = std::find_if(
      versions.begin(), versions.end(),
      [&](const Catalogue::Version& each) { return each.version == resource->version; });
  if (version == versions.end()) {
    version = std::find_if(versions.begin(), versions.end(), [&](const Catalogue::Version& each) {
      return version_before(resource->version, each.version);
    });
    version = versions.insert(version, {resource->version, {}});
  }
  auto& resources = version->resources;
  resources.insert(
      std::find_if(resources.begin(), resources.end(),
                   [&](const ResourcePtr& each) { return resource->plural < each->plural; }),
      resource);
}

// v1, v2beta3: major, stage (3 GA, 2 beta, 1 alpha, 0 neither), minor.
struct VersionRank {
  int stage = 0;
  int64_t major = 0, minor = 0;
};

VersionRank rank(std::string_view version) {
  VersionRank out;
  if (!version.starts_with('v')) return out;
  const char* at = version.data() + 1;
  const char* const end = version.data() + version.size();
  auto parsed = std::from_chars(at, end, out.major);
  if (parsed.ec != std::errc()) return {};
  std::string_view rest(parsed.ptr, size_t(end - parsed.ptr));
  if (rest.empty()) return {3, out.major, 0};
  for (const auto& [name, stage] : {std::pair<std::string_view, int>{"beta", 2}, {"alpha", 1}}) {
    if (!rest.starts_with(name)) continue;
    rest.remove_prefix(name.size());
    parsed = std::from_chars(rest.data(), end, out.minor);
    if (parsed.ec == std::errc() && parsed.ptr == end) return {stage, out.major, out.minor};
  }
  return {};
}

}  // namespace

bool version_before(std::string_view a, std::string_view b) {
  const VersionRank left = rank(a), right = rank(b);
  if (left.stage != right.stage) return left.stage > right.stage;
  if (left.stage == 0) return a < b;
  if (left.major != right.major) return left.major > right.major;
  return left.minor > right.minor;
}

ServedKinds::ServedKinds(Store& store, const Clock& clock)
    : clock_(clock), builtin_(builtin_groups()) {
  const Result<Page> page = store.list({.resource = std::string(kDefinitions),
                                        .ns = {},
                                        .from_ns = "",
                                        .from_name = "",
                                        .limit = 0,
                                        .at = 0});
  HF_CHECK(page);
  {
    const Lock lock(mutex_);
    for (const StoredPtr& stored : page->items) {
      Definition definition{stored->revision, parse_stored(*stored), {}};
      definition.versions = served_versions(definition.object);
      definitions_[stored->meta.name] = std::move(definition);
    }
    rebuild();
  }
  store.on_change([this](const Change& change) { note(change); });
}

std::shared_ptr<const Catalogue> ServedKinds::catalogue() const {
  const Lock lock(mutex_);
  return catalogue_;
}

void ServedKinds::note(const Change& change) {
  if (change.key.resource != kDefinitions) return;
  const Lock lock(mutex_);
  if (change.type == ChangeType::Deleted) {
    definitions_.erase(change.key.name);
  } else {
    Definition definition{change.revision, parse_stored(*change.object), {}};
    definition.versions = served_versions(definition.object);
    definitions_[change.key.name] = std::move(definition);
  }
  rebuild();
}

void ServedKinds::rebuild() {
  auto next = std::make_shared<Catalogue>();
  next->groups = builtin_;
  for (const auto& [name, definition] : definitions_)
    for (const ResourcePtr& resource : definition.versions) add_resource(*next, resource);
  catalogue_ = std::move(next);
}

void ServedKinds::establish(Value& definition) const {
  std::vector<const Value*> others;
  const Lock lock(mutex_);
  const std::string_view own = model::string_at(definition, {"metadata", "name"});
  for (const auto& [name, other] : definitions_)
    if (name != own && model::string_at(other.object, {"spec", "group"}) ==
                           model::string_at(definition, {"spec", "group"}))
      others.push_back(&other.object);
  settle_definition(definition, others, model::to_rfc3339(clock_.now()));
}

}  // namespace holdfast::apiserver
