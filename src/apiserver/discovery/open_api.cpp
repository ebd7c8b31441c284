// OpenAPI v3, one document per group version: the operations with the parameters that clients look
// for (kubectl decides by `fieldValidation` and `dryRun` on the patch operation what it may ask),
// and the schemas that `kubectl explain` shows.
#include <holdfast/apiserver/version.h>
#include <holdfast/base/bytes.h>

#include "discovery/discovery.h"
#include "discovery/open_api_schema.h"

#include <fmt/format.h>

namespace holdfast::apiserver {
namespace {

using model::Array;
using model::Object;
using model::Value;

Value parameter(std::string_view name, std::string_view in, std::string_view type) {
  Object out{{"name", name}, {"in", in}, {"schema", Object{{"type", type}, {"uniqueItems", true}}}};
  if (in == "path") out["required"] = true;
  return out;
}

Array query_parameters(std::string_view action) {
  Array out;
  const auto add = [&](std::initializer_list<std::pair<std::string_view, std::string_view>> names) {
    for (const auto& [name, type] : names) out.push_back(parameter(name, "query", type));
  };
  if (action == "list" || action == "deletecollection")
    add({{"allowWatchBookmarks", "boolean"},
         {"continue", "string"},
         {"fieldSelector", "string"},
         {"labelSelector", "string"},
         {"limit", "integer"},
         {"resourceVersion", "string"},
         {"resourceVersionMatch", "string"},
         {"sendInitialEvents", "boolean"},
         {"timeoutSeconds", "integer"},
         {"watch", "boolean"}});
  if (action == "post" || action == "put" || action == "patch")
    add({{"dryRun", "string"}, {"fieldManager", "string"}, {"fieldValidation", "string"}});
  if (action == "patch") add({{"force", "boolean"}});
  if (action == "delete" || action == "deletecollection")
    add({{"dryRun", "string"},
         {"gracePeriodSeconds", "integer"},
         {"orphanDependents", "boolean"},
         {"propagationPolicy", "string"}});
  return out;
}

Value content(const Value& schema, std::initializer_list<std::string_view> types) {
  Object out;
  for (const std::string_view type : types) out[type] = Object{{"schema", schema}};
  return out;
}

struct Operation {
  std::string_view method;  // OpenAPI's
  std::string_view action;  // x-kubernetes-action
};

Value operation(const Operation& op, const Resource& resource, const model::GroupVersionKind& kind,
                const Value& body, const Value& answer, const std::string& id) {
  Object out{{"operationId", std::string(op.action) + id}};
  Array parameters = query_parameters(op.action);
  if (!parameters.empty()) out["parameters"] = std::move(parameters);
  if (op.action == "post" || op.action == "put")
    out["requestBody"] = Object{{"content", content(body, {"*/*"})}, {"required", true}};
  if (op.action == "patch") {
    const Value any = Object{{"type", "object"}};
    out["requestBody"] =
        Object{{"content",
                resource.is_custom()
                    ? content(any, {"application/apply-patch+yaml", "application/json-patch+json",
                                    "application/merge-patch+json"})
                    : content(any, {"application/apply-patch+yaml", "application/json-patch+json",
                                    "application/merge-patch+json",
                                    "application/strategic-merge-patch+json"})},
               {"required", true}};
  }
  out["responses"] = Object{
      {"200", Object{{"description", "OK"}, {"content", content(answer, {"application/json"})}}},
      {"401", Object{{"description", "Unauthorized"}}}};
  out["x-kubernetes-action"] = op.action;
  out["x-kubernetes-group-version-kind"] =
      Object{{"group", kind.group}, {"version", kind.version}, {"kind", kind.kind}};
  return out;
}

Array path_parameters(bool namespaced, bool named) {
  Array out;
  if (named) out.push_back(parameter("name", "path", "string"));
  if (namespaced) out.push_back(parameter("namespace", "path", "string"));
  return out;
}

class Document {
 public:
  Document(const Catalogue::Group& group, const Catalogue::Version& version)
      : root_(group.name.empty() ? fmt::format("/api/{}", version.version)
                                 : fmt::format("/apis/{}/{}", group.name, version.version)) {
    for (const ResourcePtr& resource : version.resources) add(*resource);
  }

  std::string text() {
    Object out{{"openapi", "3.0.0"},
               {"info", Object{{"title", "Kubernetes"}, {"version", std::string(kServedVersion)}}},
               {"paths", std::move(paths_)},
               {"components", Object{{"schemas", components_.take()}}}};
    return model::to_json(Value(std::move(out)));
  }

 private:
  Value kind_reference(const Resource& resource, const model::GroupVersionKind& gvk) {
    if (resource.is_custom() && gvk == resource.gvk()) return components_.reference(resource);
    const model::BuiltinKind* kind = model::Kinds::builtin().find(gvk);
    return kind != nullptr ? components_.reference(*kind->shape)
                           : Value(Object{{"type", "object"}});
  }

  void add(const Resource& resource) {
    const std::string scope =
        resource.namespaced ? root_ + "/namespaces/{namespace}/" : root_ + "/";
    const Value object = kind_reference(resource, resource.gvk());
    const Value list =
        kind_reference(resource, {resource.group, resource.version, resource.list_kind});
    const Value status = kind_reference(resource, {"", "v1", "Status"});
    const std::string id = fmt::format("{}{}", resource.version, resource.kind);
    const auto op = [&](Operation which, const Value& answer) {
      return operation(which, resource, resource.gvk(), object, answer, id);
    };
    Object collection;
    if (resource.verbs.size() > 1) collection["get"] = op({"get", "list"}, list);
    collection["post"] = op({"post", "post"}, object);
    if (resource.verbs.size() == 8)
      collection["delete"] = op({"delete", "deletecollection"}, status);
    collection["parameters"] = path_parameters(resource.namespaced, false);
    paths_[scope + resource.plural] = std::move(collection);
    if (resource.verbs.size() == 1) return;
    if (resource.namespaced)
      paths_[root_ + "/" + resource.plural] = Object{{"get", op({"get", "list"}, list)}};
    Object item{{"get", op({"get", "get"}, object)},
                {"put", op({"put", "put"}, object)},
                {"patch", op({"patch", "patch"}, object)},
                {"delete", op({"delete", "delete"}, status)},
                {"parameters", path_parameters(resource.namespaced, true)}};
    const std::string path = scope + resource.plural + "/{name}";
    paths_[path] = std::move(item);
    if (resource.has_status)
      add_subresource(path + "/status", resource, resource.gvk(), id + "Status");
    if (resource.scale)
      add_subresource(path + "/scale", resource, resource.scale->kind, id + "Scale");
  }

  void add_subresource(const std::string& path, const Resource& resource,
                       const model::GroupVersionKind& kind, const std::string& id) {
    const Value object = kind_reference(resource, kind);
    Object item;
    for (const std::string_view method : {"get", "put", "patch"})
      item[method] = operation({method, method}, resource, kind, object, object, id);
    item["parameters"] = path_parameters(resource.namespaced, true);
    paths_[path] = std::move(item);
  }

  std::string root_;
  Components components_;
  Object paths_;
};

std::string relative_path(const Catalogue::Group& group, const Catalogue::Version& version) {
  return group.name.empty() ? "api/" + version.version
                            : "apis/" + group.name + "/" + version.version;
}

}  // namespace

std::string open_api_document(const Catalogue::Group& group, const Catalogue::Version& version) {
  return Document(group, version).text();
}

Value open_api_index(const Catalogue& catalogue) {
  Object paths;
  for (const Catalogue::Group& group : catalogue.groups)
    for (const Catalogue::Version& version : group.versions) {
      // Clients cache a document under its hash. Built-in ones change only with the program.
      const std::string content = group.custom
                                      ? open_api_document(group, version)
                                      : std::string(kServedVersion) + group.name + version.version;
      const std::string path = relative_path(group, version);
      paths[path] = Object{
          {"serverRelativeURL", fmt::format("/openapi/v3/{}?hash={}", path, hex(sha256(content)))}};
    }
  return Object{{"paths", std::move(paths)}};
}

}  // namespace holdfast::apiserver
