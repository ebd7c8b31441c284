// Subresources scale, binding and token: small doors into one part of an object. (status and
// finalize are the ordinary update and patch with a narrower effect; write.cpp knows them.)
#include <holdfast/base/text.h>
#include <holdfast/model/patch.h>
#include <holdfast/model/selector.h>
#include <holdfast/model/time.h>

#include "crd/served_kinds.h"
#include "rest/decode.h"
#include "rest/form.h"
#include "rest/operations.h"
#include "rest/render.h"
#include "tables/printers.h"

#include <fmt/format.h>

namespace holdfast::apiserver {
namespace {

std::vector<std::string_view> steps(const std::string& path) {
  return split(std::string_view(path).substr(1), '.');
}

const Value* at_path(const Value& object, const std::string& path) {
  const Value* at = &object;
  if (path.size() < 2) return nullptr;
  for (const std::string_view step : steps(path)) {
    at = at->is_object() ? at->get_object().if_contains(step) : nullptr;
    if (at == nullptr) return nullptr;
  }
  return at;
}

void set_at_path(Value& object, const std::string& path, Value value) {
  Value* at = &object;
  for (const std::string_view step : steps(path)) {
    if (!at->is_object()) *at = Object();
    at = &at->get_object()[step];
  }
  *at = std::move(value);
}

int64_t replicas_at(const Value& object, const std::string& path) {
  const Value* value = at_path(object, path);
  return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

// The selector in the form `a=b,c in (d)`: what an autoscaler sends back to us as a query.
std::string selector_text(const Value& object, const Resource& resource) {
  if (resource.is_custom()) {
    const Value* value = at_path(object, resource.scale->selector_path);
    return value != nullptr && value->is_string() ? std::string(model::view(value->get_string()))
                                                  : "";
  }
  const Value* selector = model::find(object, {"spec", "selector"});
  if (selector == nullptr) return "";
  const Value whole = resource.kind == "ReplicationController"
                          ? Value(Object{{"matchLabels", *selector}})
                          : *selector;
  Result<model::LabelSelector> parsed = model::LabelSelector::from_object(whole);
  return parsed ? parsed->text() : "";
}

Value scale_of(const Value& object, const Resource& resource) {
  Object metadata;
  for (const std::string_view member :
       {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"})
    if (const Value* value = model::find(object, {"metadata", member})) metadata[member] = *value;
  Object status{{"replicas", replicas_at(object, resource.scale->status_path)}};
  const std::string selector = selector_text(object, resource);
  if (!selector.empty()) status["selector"] = selector;
  Object spec;
  const int64_t replicas = replicas_at(object, resource.scale->spec_path);
  if (replicas != 0) spec["replicas"] = replicas;
  return Value(Object{{"kind", "Scale"},
                      {"apiVersion", "autoscaling/v1"},
                      {"metadata", std::move(metadata)},
                      {"spec", std::move(spec)},
                      {"status", std::move(status)}});
}

std::string render_scale(const Value& scale, View view, WallTime now) {
  if (view.form != View::Form::Table) return model::to_json(scale);
  const auto column = [](std::string_view name, std::string_view type) {
    return Value(Object{
        {"name", name}, {"type", type}, {"format", ""}, {"description", ""}, {"priority", 0}});
  };
  const std::string_view created = model::string_at(scale, {"metadata", "creationTimestamp"});
  Array cells{Value(model::string_at(scale, {"metadata", "name"})),
              Value(model::int_at(scale, {"spec", "replicas"}, 0)),
              Value(model::int_at(scale, {"status", "replicas"}, 0)), Value(age(created, now))};
  const Value metadata = *model::find(scale, {"metadata"});
  const Value object = Object{
      {"kind", "PartialObjectMetadata"}, {"apiVersion", "meta.k8s.io/v1"}, {"metadata", metadata}};
  return model::to_json(Value(Object{
      {"kind", "Table"},
      {"apiVersion", "meta.k8s.io/v1"},
      {"metadata",
       Object{{"resourceVersion", model::string_at(scale, {"metadata", "resourceVersion"})}}},
      {"columnDefinitions", Array{column("Name", "string"), column("Desired", "integer"),
                                  column("Available", "integer"), column("Age", "string")}},
      {"rows", Array{Value(Object{{"cells", std::move(cells)}, {"object", object}})}}}));
}

Answer<Value> next_scale(const Call& call, const Value& current) {
  if (call.info.verb == "update") return decode_kind(call.http, {"autoscaling", "v1", "Scale"});
  Body body = HF_TRY(read_body(call.http, {"autoscaling", "v1", "Scale"}));
  const std::string_view type = call.http.headers.get("Content-Type");
  Value next;
  if (type.starts_with("application/json-patch+json")) {
    Result<Value> patched = model::apply_json_patch(current, body.value);
    if (!patched) return model::bad_request(patched.error().what());
    next = std::move(*patched);
  } else {
    next = model::apply_merge_patch(current, body.value);
  }
  return next;
}

Answer<void> check_scale(const Value& scale, const Call& call) {
  const int64_t replicas = model::int_at(scale, {"spec", "replicas"}, 0);
  if (replicas < 0)
    return model::invalid({"autoscaling", "Scale"}, call.info.name,
                          {model::invalid_field("spec.replicas", Value(replicas),
                                                "must be greater than or equal to 0")});
  const std::string_view name = model::string_at(scale, {"metadata", "name"});
  if (!name.empty() && name != call.info.name)
    return model::bad_request(
        fmt::format("the name of the object ({}) does not match the name on the URL ({})", name,
                    call.info.name));
  return {};
}

}  // namespace

Answer<Reply> scale(Api& api, Call& call) {
  const Resource& resource = *call.resource;
  const View view = HF_TRY(negotiate(call.http));
  Reply reply;
  if (call.info.verb == "get") {
    const StoredPtr stored =
        api.store.get({resource.storage, resource.namespaced ? call.info.ns : "", call.info.name});
    if (stored == nullptr) return model::not_found(resource.group_resource(), call.info.name);
    reply.body =
        render_scale(scale_of(to_served(*stored, resource), resource), view, api.clock.now());
    reply.hold = stored->revision;
    return reply;
  }
  const WriteOptions options = HF_TRY(read_write_options(call.http, false));
  const WriteRequest request = write_request(call, options);
  const NextState next_state = [&](const Value* live) -> Answer<Value> {
    const Value wanted = HF_TRY(next_scale(call, scale_of(*live, resource)));
    HF_TRY(check_scale(wanted, call));
    Value next = *live;
    set_at_path(next, resource.scale->spec_path, model::int_at(wanted, {"spec", "replicas"}, 0));
    const std::string_view version = model::string_at(wanted, {"metadata", "resourceVersion"});
    if (!version.empty()) model::ensure_object(next, {"metadata"})["resourceVersion"] = version;
    return next;
  };
  const Written written = HF_TRY(update_object(api, request, {}, next_state));
  reply.body =
      render_scale(scale_of(to_served(*written.object, resource), resource), view, api.clock.now());
  reply.hold = written.object->revision;
  return reply;
}

// Says in the status that the pod has its node.
static void set_scheduled(Value& pod, WallTime now) {
  Array conditions;
  for (const Value& condition : model::array_at(pod, {"status", "conditions"}))
    if (model::string_at(condition, {"type"}) != "PodScheduled") conditions.push_back(condition);
  conditions.emplace_back(Object{{"type", "PodScheduled"},
                                 {"status", "True"},
                                 {"lastProbeTime", nullptr},
                                 {"lastTransitionTime", model::to_rfc3339(now)}});
  model::ensure_object(pod, {"status"})["conditions"] = std::move(conditions);
}

Answer<Reply> bind_pod(Api& api, Call& call) {
  const Value binding = HF_TRY(decode_kind(call.http, {"", "v1", "Binding"}));
  const WriteOptions options = HF_TRY(read_write_options(call.http, false));
  const std::string node(model::string_at(binding, {"target", "name"}));
  const std::string_view kind = model::string_at(binding, {"target", "kind"});
  model::FieldErrors errors;
  if (!kind.empty() && kind != "Node")
    errors.push_back(model::unsupported_field("target.kind", Value(kind), {"Node", "<empty>"}));
  if (node.empty()) errors.push_back(model::required_field("target.name", ""));
  if (!errors.empty()) return model::invalid({"", "Binding"}, call.info.name, errors);

  WriteRequest request = write_request(call, options);
  if (request.name.empty() || call.info.subresource.empty())
    request.name = model::string_at(binding, {"metadata", "name"});
  request.resource = api.kinds.catalogue()->find("", "v1", "pods");
  request.subresource = "binding";
  const NextState next_state = [&](const Value* live) -> Answer<Value> {
    const std::string_view bound = model::string_at(*live, {"spec", "nodeName"});
    const auto refuse = [&](const std::string& cause) {
      return model::conflict({"", "pods/binding"}, request.name, cause);
    };
    if (!model::string_at(*live, {"metadata", "deletionTimestamp"}).empty())
      return refuse(
          fmt::format("pod {} is being deleted, cannot be assigned to a host", request.name));
    if (!bound.empty())
      return refuse(fmt::format("pod {} is already assigned to node \"{}\"", request.name, bound));
    Value next = *live;
    model::ensure_object(next, {"spec"})["nodeName"] = node;
    set_scheduled(next, api.clock.now());
    Object& annotations = model::ensure_object(next, {"metadata", "annotations"});
    for (const auto& [name, value] : model::object_at(binding, {"metadata", "annotations"}))
      annotations[name] = value;
    if (annotations.empty()) model::erase(next, {"metadata", "annotations"});
    return next;
  };
  const Written written = HF_TRY(update_object(api, request, {}, next_state));
  Reply reply;
  reply.code = 201;
  reply.body = R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201})";
  reply.hold = written.object->revision;
  return reply;
}

}  // namespace holdfast::apiserver
