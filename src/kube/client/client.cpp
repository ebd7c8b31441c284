#include <holdfast/kube/client.h>

#include "client/failure.h"

#include <fmt/format.h>

namespace holdfast::kube {
namespace {

using model::Array;
using model::Object;
using model::Value;

class QueryText {
 public:
  void add(std::string_view name, std::string_view value) {
    if (value.empty()) return;
    text_ += text_.empty() ? '?' : '&';
    text_ += name;
    text_ += '=';
    text_ += net::percent_encode(value);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Go's duration text. The server gives up when we do, so that what it has not done by then it does
/// not do later.
std::string duration_text(std::chrono::milliseconds limit) {
  return fmt::format("{}ms", limit.count());
}

std::string write_query(const ClientSettings& settings, const WriteOptions& options, bool force) {
  QueryText query;
  query.add("fieldManager",
            options.field_manager.empty() ? settings.field_manager : options.field_manager);
  query.add("fieldValidation", options.field_validation);
  if (options.dry_run) query.add("dryRun", "All");
  if (force) query.add("force", "true");
  query.add("timeout", duration_text(settings.timeout));
  return query.text();
}

std::string_view content_type_of(PatchType type) {
  switch (type) {
    case PatchType::Json:
      return "application/json-patch+json";
    case PatchType::Merge:
      return "application/merge-patch+json";
    case PatchType::Strategic:
      return "application/strategic-merge-patch+json";
  }
  return "";
}

/// An empty name would make the path that of the whole collection, and a DELETE of that is not what
/// was meant.
Reply<void> named(const Resource& resource, std::string_view verb, std::string_view ns,
                  std::string_view name) {
  if (name.empty())
    return not_sent(Fault::Invalid, fmt::format("{} {}: no name given", verb, resource.text()));
  if (resource.namespaced && ns.empty())
    return not_sent(Fault::Invalid,
                    fmt::format("{} {} {}: no namespace given", verb, resource.text(), name));
  return {};
}

std::string delete_body(const DeleteOptions& options) {
  Object body{{"apiVersion", "v1"}, {"kind", "DeleteOptions"}};
  Object only;
  if (!options.only.uid.empty()) only["uid"] = options.only.uid;
  if (!options.only.resource_version.empty())
    only["resourceVersion"] = options.only.resource_version;
  if (!only.empty()) body["preconditions"] = std::move(only);
  if (!options.propagation.empty()) body["propagationPolicy"] = options.propagation;
  if (options.grace_seconds) body["gracePeriodSeconds"] = *options.grace_seconds;
  if (options.dry_run) body["dryRun"] = Array{Value("All")};
  return model::to_json(Value(std::move(body)));
}

}  // namespace

Reply<Value> Client::get(const Resource& resource, std::string_view ns, std::string_view name,
                         std::string_view subresource) {
  HF_TRY(named(resource, "get", ns, name));
  return send({.target = resource.path(ns, name, subresource), .headers = headers("")});
}

Reply<Value> Client::create(const Resource& resource, std::string_view ns, const Value& object,
                            const WriteOptions& options) {
  // A subresource (binding, eviction, token) is created on the object that it names.
  const std::string_view name =
      options.subresource.empty() ? "" : model::string_at(object, {"metadata", "name"});
  HF_TRY(named(resource, "create", ns, options.subresource.empty() ? "new" : name));
  return send({.method = "POST",
               .target = resource.path(ns, name, options.subresource) +
                         write_query(settings_, options, false),
               .headers = headers("application/json"),
               .body = model::to_json(object)});
}

Reply<Value> Client::update(const Resource& resource, const Value& object,
                            const WriteOptions& options) {
  const std::string_view ns = model::string_at(object, {"metadata", "namespace"});
  const std::string_view name = model::string_at(object, {"metadata", "name"});
  HF_TRY(named(resource, "update", ns, name));
  return send({.method = "PUT",
               .target = resource.path(ns, name, options.subresource) +
                         write_query(settings_, options, false),
               .headers = headers("application/json"),
               .body = model::to_json(object)});
}

Reply<Value> Client::patch(const Resource& resource, std::string_view ns, std::string_view name,
                           PatchType type, const Value& patch, const WriteOptions& options) {
  HF_TRY(named(resource, "patch", ns, name));
  return send({.method = "PATCH",
               .target = resource.path(ns, name, options.subresource) +
                         write_query(settings_, options, false),
               .headers = headers(content_type_of(type)),
               .body = model::to_json(patch)});
}

Reply<Value> Client::apply(const Resource& resource, const Value& configuration, bool force,
                           const WriteOptions& options) {
  const std::string_view ns = model::string_at(configuration, {"metadata", "namespace"});
  const std::string_view name = model::string_at(configuration, {"metadata", "name"});
  HF_TRY(named(resource, "apply", ns, name));
  return send({.method = "PATCH",
               .target = resource.path(ns, name, options.subresource) +
                         write_query(settings_, options, force),
               .headers = headers("application/apply-patch+yaml"),
               .body = model::to_json(configuration)});
}

Reply<Value> Client::remove(const Resource& resource, std::string_view ns, std::string_view name,
                            const DeleteOptions& options) {
  HF_TRY(named(resource, "delete", ns, name));
  QueryText query;
  query.add("timeout", duration_text(settings_.timeout));
  return send({.method = "DELETE",
               .target = resource.path(ns, name) + query.text(),
               .headers = headers("application/json"),
               .body = delete_body(options)});
}

Reply<void> Client::remove_collection(const Resource& resource, std::string_view ns,
                                      const ListOptions& which, const DeleteOptions& options) {
  HF_TRY(named(resource, "delete all", ns, "all"));
  QueryText query;
  query.add("labelSelector", which.label_selector);
  query.add("fieldSelector", which.field_selector);
  query.add("resourceVersion", which.resource_version);
  query.add("resourceVersionMatch", which.resource_version_match);
  query.add("timeout", duration_text(settings_.timeout));
  HF_TRY(send({.method = "DELETE",
               .target = resource.path(ns, "") + query.text(),
               .headers = headers("application/json"),
               .body = delete_body(options)}));
  return {};
}

Reply<Value> Client::raw(std::string method, std::string target, const Value& body) {
  const bool empty = body.is_null();
  return send({.method = std::move(method),
               .target = std::move(target),
               .headers = headers(empty ? "" : "application/json"),
               .body = empty ? "" : model::to_json(body)});
}

}  // namespace holdfast::kube
