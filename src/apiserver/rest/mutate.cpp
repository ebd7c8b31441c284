// create, update, patch and delete as requests ask for them: bodies in, rendered objects out.
#include <holdfast/base/text.h>
#include <holdfast/model/patch.h>

#include "rest/decode.h"
#include "rest/form.h"
#include "rest/list_options.h"
#include "rest/operations.h"
#include "rest/render.h"

#include <fmt/format.h>

namespace holdfast::apiserver {
namespace {

Reply reply_with(const Api& api, const Call& call, const View& view, const Written& written) {
  Reply reply;
  reply.code = written.created ? 201 : 200;
  reply.body = render_object(*written.object, *call.resource, view, api.clock.now());
  reply.hold = written.object->revision;
  return reply;
}

enum class PatchType { Json, Merge, Strategic, Apply };

Answer<PatchType> patch_type(const Call& call) {
  const std::string_view header = call.http.headers.get("Content-Type");
  const std::string type = to_lower(trim(header.substr(0, header.find(';'))));
  if (type == "application/json-patch+json") return PatchType::Json;
  if (type == "application/merge-patch+json") return PatchType::Merge;
  if (type == "application/strategic-merge-patch+json" && !call.resource->is_custom())
    return PatchType::Strategic;
  if (type == "application/apply-patch+yaml") return PatchType::Apply;
  // The real server's router refuses for built-ins, its handler for custom resources.
  return model::unsupported_media_type(
      call.resource->is_custom()
          ? "the body of the request was in an unknown format - accepted media types include: "
            "application/json-patch+json, application/merge-patch+json, "
            "application/apply-patch+yaml"
          : "415: Unsupported Media Type");
}

Status patch_failed(const Error& error, const Resource& resource, const std::string& name) {
  if (error.fault() == Fault::Internal)
    return Status{.code = 500, .reason = "", .message = error.what(), .details = std::nullopt};
  if (error.fault() != Fault::Conflict) return model::bad_request(error.what());
  // A patch that does not fit the object: well formed, but not doable.
  Status status = model::invalid(resource.group_kind(), name, {});
  status.message = "the server rejected our request due to an error in our request";
  status.details = Status::Details{};
  return status;
}

Answer<Value> apply_plain_patch(PatchType type, const Value& live, const Value& patch,
                                const Call& call) {
  const Resource& resource = *call.resource;
  if (type == PatchType::Merge) return model::apply_merge_patch(live, patch);
  Result<Value> next = type == PatchType::Json
                           ? model::apply_json_patch(live, patch)
                           : model::apply_strategic_patch(live, patch, *resource.schema);
  if (!next) return patch_failed(next.error(), resource, call.info.name);
  return std::move(*next);
}

Answer<void> check_patch_name(const Value& object, const Call& call) {
  const std::string_view name = model::string_at(object, {"metadata", "name"});
  if (!name.empty() && name != call.info.name)
    return model::bad_request(
        fmt::format("the name of the object ({}) does not match the name on the URL ({})", name,
                    call.info.name));
  return {};
}

Answer<Body> read_patch(const Call& call, PatchType type) {
  Answer<Body> body = read_body(call.http, call.resource->gvk());
  const bool plain = type == PatchType::Json || type == PatchType::Merge;
  if (!body && body.error().code == 400 && plain)
    return model::bad_request("error decoding patch: " + body.error().message);
  if (!body || type != PatchType::Merge || body->value.is_object() || body->value.is_null())
    return body;
  const std::string_view found = body->value.is_array()    ? "array"
                                 : body->value.is_string() ? "string"
                                 : body->value.is_bool()   ? "bool"
                                                           : "number";
  return model::bad_request(
      fmt::format("error decoding patch: json: cannot unmarshal {} into Go value of type "
                  "map[string]interface {{}}",
                  found));
}

Answer<Written> patch_plain(Api& api, Call& call, PatchType type, const Body& body,
                            const WriteOptions& options) {
  WriteRequest request = write_request(call, options);
  return update_object(api, request, {}, [&](const Value* live) -> Answer<Value> {
    std::vector<std::string> warnings;
    Value next = HF_TRY(apply_plain_patch(type, *live, body.value, call));
    HF_TRY(check_patch_name(next, call));
    HF_TRY(settle_object(next, body.duplicates, *call.resource, options.validation, warnings));
    if (call.warnings.empty()) call.warnings = std::move(warnings);
    return next;
  });
}

Answer<Written> patch_apply(Api& api, Call& call, Body body, const WriteOptions& options) {
  const Resource& resource = *call.resource;
  Value config = std::move(body.value);
  if (!config.is_object())
    return model::bad_request("error decoding YAML: the body is not an object");
  if (model::find(config, {"metadata", "managedFields"}))
    return model::bad_request("metadata.managedFields must be nil");
  if (const std::string_view version = model::string_at(config, {"apiVersion"});
      version != resource.api_version())
    return model::bad_request(fmt::format("invalid object type: {}{}, Kind={}",
                                          version.find('/') == std::string_view::npos ? "/" : "",
                                          version, model::string_at(config, {"kind"})));
  HF_TRY(check_patch_name(config, call));
  // What the client wrote is decoded before it is merged, so that its types are right and its
  // unknown members known.
  std::vector<std::string> warnings;
  WriteRequest request = write_request(call, options);
  const model::Writer writer{options.field_manager, resource.api_version(), call.info.subresource,
                             api.clock.now()};
  return update_object(
      api, request, {.create_if_absent = call.info.subresource.empty(), .apply = true},
      [&](const Value* live) -> Answer<Value> {
        warnings.clear();
        Value base = live != nullptr ? *live : Value();
        Value wanted = config;
        if (live == nullptr) model::ensure_object(wanted, {"metadata"})["name"] = call.info.name;
        Value next =
            HF_TRY(model::apply_config(base, wanted, *resource.schema, writer, options.force,
                                       untracked_paths(resource, call.info.subresource)));
        HF_TRY(settle_object(next, body.duplicates, resource, options.validation, warnings));
        if (call.warnings.empty()) call.warnings = warnings;
        return next;
      });
}

}  // namespace

WriteRequest write_request(Call& call, WriteOptions options) {
  return {call.resource,      call.info.ns, call.info.name, call.info.subresource,
          std::move(options), call.user,    &call.warnings};
}

Answer<Reply> create(Api& api, Call& call) {
  const View view = HF_TRY(negotiate(call.http));
  const WriteOptions options = HF_TRY(read_write_options(call.http, false));
  Body body = HF_TRY(read_object(call.http, *call.resource));
  Value object =
      HF_TRY(decode_object(std::move(body), *call.resource, options.validation, call.warnings));
  if (const std::string_view version = model::string_at(object, {"metadata", "resourceVersion"});
      !version.empty() && version != "0")
    return Status{.code = 500,
                  .reason = "",
                  .message = "resourceVersion should not be set on objects to be created",
                  .details = std::nullopt};
  const Written written =
      HF_TRY(create_object(api, write_request(call, options), std::move(object)));
  return reply_with(api, call, view, written);
}

Answer<Reply> update(Api& api, Call& call) {
  const View view = HF_TRY(negotiate(call.http));
  const WriteOptions options = HF_TRY(read_write_options(call.http, false));
  Body body = HF_TRY(read_object(call.http, *call.resource));
  const Value object =
      HF_TRY(decode_object(std::move(body), *call.resource, options.validation, call.warnings));
  const std::string_view name = model::string_at(object, {"metadata", "name"});
  if (name.empty()) return model::bad_request(fmt::format("name must be provided"));
  HF_TRY(check_patch_name(object, call));
  const UpdateMode mode{
      .create_if_absent = call.resource->create_on_update && call.info.subresource.empty(),
      .apply = false,
      .replace = true};
  const Written written =
      HF_TRY(update_object(api, write_request(call, options), mode,
                           [&](const Value*) -> Answer<Value> { return object; }));
  return reply_with(api, call, view, written);
}

Answer<Reply> patch(Api& api, Call& call) {
  const View view = HF_TRY(negotiate(call.http));
  const PatchType type = HF_TRY(patch_type(call));
  const WriteOptions options = HF_TRY(read_write_options(call.http, type == PatchType::Apply));
  Body body = HF_TRY(read_patch(call, type));
  const Written written =
      HF_TRY(type == PatchType::Apply ? patch_apply(api, call, std::move(body), options)
                                      : patch_plain(api, call, type, body, options));
  return reply_with(api, call, view, written);
}

namespace {

Answer<DeleteOptions> delete_options(const Call& call) {
  Value body;
  if (!call.http.body.empty()) body = HF_TRY(decode_kind(call.http, {"", "v1", "DeleteOptions"}));
  return read_delete_options(body, call.http.query);
}

std::string success_status(const Resource& resource, const Stored& stored) {
  Object details{{"name", stored.meta.name}};
  if (!resource.group.empty()) details["group"] = resource.group;
  details["kind"] = resource.plural;
  details["uid"] = stored.meta.uid;
  return model::to_json(Value(Object{{"kind", "Status"},
                                     {"apiVersion", "v1"},
                                     {"metadata", Object()},
                                     {"status", "Success"},
                                     {"details", std::move(details)}}));
}

}  // namespace

Answer<Reply> remove(Api& api, Call& call) {
  const View view = HF_TRY(negotiate(call.http));
  const DeleteOptions options = HF_TRY(delete_options(call));
  if (call.resource->orphans_by_default && call.resource->kind == "Job" &&
      options.propagation_policy.empty() && !options.orphan_dependents)
    call.warnings.push_back(
        "child pods are preserved by default when jobs are deleted; set "
        "propagationPolicy=Background to remove them or set "
        "propagationPolicy=Orphan to suppress this warning");
  const Removed removed = HF_TRY(remove_object(api, write_request(call, {}), options));
  Reply reply;
  reply.hold = removed.object->revision;
  if (removed.gone && !call.resource->returns_deleted)
    reply.body = success_status(*call.resource, *removed.object);
  else
    reply.body = render_object(*removed.object, *call.resource, view, api.clock.now());
  return reply;
}

Answer<Reply> remove_collection(Api& api, Call& call) {
  const View view = HF_TRY(negotiate(call.http));
  const ListOptions options = HF_TRY(read_list_options(call, false));
  const DeleteOptions how = HF_TRY(delete_options(call));
  const Resource& resource = *call.resource;
  Range range{.resource = resource.storage,
              .ns = std::nullopt,
              .from_ns = "",
              .from_name = "",
              .limit = 0,
              .at = 0};
  if (resource.namespaced && !call.info.ns.empty()) range.ns = call.info.ns;
  Result<Page> page = api.store.list(range);
  if (!page) return model::internal_error(page.error().what());
  std::vector<StoredPtr> removed;
  Reply reply;
  reply.hold = page->revision;
  for (const StoredPtr& item : page->items) {
    if (!selected(*item, resource, options)) continue;
    WriteRequest request = write_request(call, {});
    request.ns = item->meta.ns;
    request.name = item->meta.name;
    DeleteOptions exactly = how;
    exactly.uid = item->meta.uid;
    Answer<Removed> one = remove_object(api, request, exactly);
    if (!one && one.error().code != 404 && one.error().code != 409) return one.take_error();
    if (!one) continue;
    reply.hold = std::max(reply.hold, one->object->revision);
    removed.push_back(item);
  }
  ListMeta meta;
  meta.revision = page->revision;
  reply.body = render_list(removed, resource, view, meta, api.clock.now());
  return reply;
}

}  // namespace holdfast::apiserver
