// A deletion ends in one of three ways: the object is gone; it stays, marked with
// deletionTimestamp, until its finalizers are taken away; or it stays until its grace period is
// over and the node deletes it with grace 0. The propagation policy becomes a finalizer (orphan,
// foregroundDeletion) that the garbage collector works off.
#include "rest/remove.h"

#include <holdfast/model/time.h>

#include "admission/admission.h"
#include "rest/form.h"

#include <fmt/format.h>

#include <charconv>

namespace holdfast::apiserver {
namespace {

constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";

struct Deletion {
  enum class Way { Now, Wait, Pending } way = Way::Now;
};

Answer<void> check_preconditions(const Stored& live, const Resource& resource,
                                 const DeleteOptions& options) {
  const model::GroupResource named{resource.group, resource.kind};
  if (options.uid && *options.uid != live.meta.uid)
    return model::conflict(named, live.meta.name,
                           fmt::format("the UID in the precondition ({}) does not match the UID in "
                                       "record ({}). The object might have been "
                                       "deleted and then recreated",
                                       *options.uid, live.meta.uid));
  const std::string version = std::to_string(live.revision);
  if (options.resource_version && *options.resource_version != version)
    return model::conflict(
        named, live.meta.name,
        fmt::format(
            "the ResourceVersion in the precondition ({}) does not match the ResourceVersion in "
            "record ({}). The object might have been modified",
            *options.resource_version, version));
  return {};
}

bool wants_orphan(const model::Meta& meta, const Resource& resource, const DeleteOptions& options) {
  if (options.orphan_dependents) return *options.orphan_dependents;
  if (!options.propagation_policy.empty()) return options.propagation_policy == "Orphan";
  for (const std::string& finalizer : meta.finalizers) {
    if (finalizer == kOrphan) return true;
    if (finalizer == kForeground) return false;
  }
  return resource.orphans_by_default;
}

bool wants_foreground(const model::Meta& meta, const DeleteOptions& options) {
  if (options.orphan_dependents) return false;
  if (!options.propagation_policy.empty()) return options.propagation_policy == "Foreground";
  for (const std::string& finalizer : meta.finalizers) {
    if (finalizer == kForeground) return true;
    if (finalizer == kOrphan) return false;
  }
  return false;
}

Array next_finalizers(const model::Meta& meta, const Resource& resource,
                      const DeleteOptions& options) {
  Array next;
  for (const std::string& finalizer : meta.finalizers)
    if (finalizer != kOrphan && finalizer != kForeground) next.emplace_back(finalizer);
  if (wants_orphan(meta, resource, options)) next.emplace_back(kOrphan);
  if (wants_foreground(meta, options)) next.emplace_back(kForeground);
  return next;
}

void set_finalizers(Object& metadata, Array finalizers) {
  if (finalizers.empty())
    metadata.erase("finalizers");
  else
    metadata["finalizers"] = std::move(finalizers);
}

void bump_generation(Object& metadata) {
  if (const Value* generation = metadata.if_contains("generation");
      generation && generation->is_int64() && generation->get_int64() > 0)
    metadata["generation"] = generation->get_int64() + 1;
}

// How long a pod may go on: what was asked, else what its spec says; none if it never reached a
// node or has ended.
int64_t pod_grace(const Value& pod, const DeleteOptions& options) {
  const std::string_view phase = model::string_at(pod, {"status", "phase"});
  if (model::string_at(pod, {"spec", "nodeName"}).empty() || phase == "Failed" ||
      phase == "Succeeded")
    return 0;
  const int64_t asked = options.grace_period_seconds.value_or(
      model::int_at(pod, {"spec", "terminationGracePeriodSeconds"}, 30));
  return asked < 0 ? 1 : asked;
}

// Marks a pod for graceful deletion. False: it needs no grace (any more).
bool mark_graceful(Value& pod, const DeleteOptions& options, WallTime now, Deletion& deletion) {
  Object& metadata = model::ensure_object(pod, {"metadata"});
  const std::string_view marked = model::string_at(pod, {"metadata", "deletionTimestamp"});
  if (marked.empty()) {
    const int64_t grace = pod_grace(pod, options);
    metadata["deletionTimestamp"] = model::to_rfc3339(now + std::chrono::seconds(grace));
    metadata["deletionGracePeriodSeconds"] = grace;
    bump_generation(metadata);
    return grace > 0;
  }
  const int64_t before = model::int_at(pod, {"metadata", "deletionGracePeriodSeconds"}, 0);
  if (before == 0) return false;
  if (!options.grace_period_seconds || *options.grace_period_seconds >= before) {
    deletion.way = Deletion::Way::Pending;
    return true;
  }
  // Only shorter: the end moves from start + before to start + now asked, never into the past.
  const int64_t asked = *options.grace_period_seconds < 0 ? 1 : *options.grace_period_seconds;
  WallTime end = model::parse_rfc3339(marked).value_or(now) - std::chrono::seconds(before) +
                 std::chrono::seconds(asked);
  const bool over = end < now;
  if (over) end = now;
  metadata["deletionTimestamp"] = model::to_rfc3339(end);
  metadata["deletionGracePeriodSeconds"] = over && asked != 0 ? 1 : asked;
  return asked > 0;
}

void mark_deleting(Value& object, WallTime now) {
  Object& metadata = model::ensure_object(object, {"metadata"});
  const std::string_view marked = model::string_at(object, {"metadata", "deletionTimestamp"});
  if (marked.empty()) bump_generation(metadata);
  if (marked.empty() || model::parse_rfc3339(marked).value_or(now) > now)
    metadata["deletionTimestamp"] = model::to_rfc3339(now);
  metadata["deletionGracePeriodSeconds"] = 0;
}

// A namespace goes when its `kubernetes` finalizer has been taken away by whoever emptied it.
bool namespace_waits(Value& object, const Resource& resource) {
  if (resource.kind != "Namespace" || !resource.group.empty()) return false;
  model::ensure_object(object, {"status"})["phase"] = "Terminating";
  return !model::array_at(object, {"spec", "finalizers"}).empty();
}

// A definition goes when its custom objects are gone; the finalizer is the server's own.
void mark_definition(Value& object, const Resource& resource, WallTime now) {
  if (resource.kind != "CustomResourceDefinition" ||
      !model::string_at(object, {"metadata", "deletionTimestamp"}).empty())
    return;
  Object& metadata = model::ensure_object(object, {"metadata"});
  Array finalizers = model::array_at(object, {"metadata", "finalizers"});
  finalizers.emplace_back("customresourcecleanup.apiextensions.k8s.io");
  metadata["finalizers"] = std::move(finalizers);
  Array conditions = model::array_at(object, {"status", "conditions"});
  conditions.emplace_back(Object{
      {"type", "Terminating"},
      {"status", "True"},
      {"lastTransitionTime", model::to_rfc3339(now)},
      {"reason", "InstanceDeletionPending"},
      {"message",
       "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"}});
  model::ensure_object(object, {"status"})["conditions"] = std::move(conditions);
}

// Decides, and changes `object` to the state that waits if it does.
Deletion decide(Value& object, const Stored& live, const Resource& resource,
                const DeleteOptions& options, WallTime now) {
  Deletion deletion;
  bool graceful = false;
  if (resource.graceful_deletion) graceful = mark_graceful(object, options, now, deletion);
  if (deletion.way == Deletion::Way::Pending) return deletion;
  const bool namespace_pending = namespace_waits(object, resource);
  if (namespace_pending && !live.meta.deletion_timestamp.empty()) return {Deletion::Way::Pending};
  set_finalizers(model::ensure_object(object, {"metadata"}),
                 next_finalizers(live.meta, resource, options));
  mark_definition(object, resource, now);
  const bool finalizers = !model::array_at(object, {"metadata", "finalizers"}).empty();
  if (!graceful && (finalizers || namespace_pending)) mark_deleting(object, now);
  if (graceful || finalizers || namespace_pending) deletion.way = Deletion::Way::Wait;
  return deletion;
}

}  // namespace

Answer<DeleteOptions> read_delete_options(const Value& body, const net::Query& query) {
  DeleteOptions options;
  if (body.is_object()) {
    if (const Value* grace = model::find(body, {"gracePeriodSeconds"}); grace && !grace->is_null())
      options.grace_period_seconds = model::int_at(body, {"gracePeriodSeconds"}, 0);
    if (model::find(body, {"preconditions", "uid"}))
      options.uid = std::string(model::string_at(body, {"preconditions", "uid"}));
    if (model::find(body, {"preconditions", "resourceVersion"}))
      options.resource_version =
          std::string(model::string_at(body, {"preconditions", "resourceVersion"}));
    if (model::find(body, {"orphanDependents"}))
      options.orphan_dependents = model::bool_at(body, {"orphanDependents"}, false);
    options.propagation_policy = model::string_at(body, {"propagationPolicy"});
    options.dry_run = !model::array_at(body, {"dryRun"}).empty();
  } else {
    const std::string_view grace = net::query_value(query, "gracePeriodSeconds");
    int64_t seconds = 0;
    if (!grace.empty() &&
        std::from_chars(grace.data(), grace.data() + grace.size(), seconds).ec == std::errc())
      options.grace_period_seconds = seconds;
    const std::string_view orphan = net::query_value(query, "orphanDependents");
    if (!orphan.empty()) options.orphan_dependents = orphan == "true" || orphan == "1";
    options.propagation_policy = net::query_value(query, "propagationPolicy");
    options.dry_run = !net::query_value(query, "dryRun").empty();
  }
  model::FieldErrors errors;
  if (options.orphan_dependents && !options.propagation_policy.empty())
    errors.push_back(
        model::invalid_field("propagationPolicy", Value(options.propagation_policy),
                             "orphanDependents and deletionPropagation cannot be both set"));
  const std::string& policy = options.propagation_policy;
  if (!policy.empty() && policy != "Foreground" && policy != "Background" && policy != "Orphan")
    errors.push_back(model::unsupported_field("propagationPolicy", Value(policy),
                                              {"Foreground", "Background", "Orphan", "nil"}));
  const Array& dry = model::array_at(body, {"dryRun"});
  for (const Value& mode : dry)
    if (mode != "All") errors.push_back(model::unsupported_field("dryRun", Value(dry), {"All"}));
  if (const std::string_view mode = net::query_value(query, "dryRun");
      !body.is_object() && !mode.empty() && mode != "All")
    errors.push_back(model::unsupported_field("dryRun", Value(Array{Value(mode)}), {"All"}));
  if (!errors.empty()) return model::invalid({"meta.k8s.io", "DeleteOptions"}, "", errors);
  return options;
}

Answer<Removed> remove_object(Api& api, const WriteRequest& request, const DeleteOptions& options) {
  const Resource& resource = *request.resource;
  const Key key{resource.storage, resource.namespaced ? request.ns : "", request.name};
  for (;;) {
    const StoredPtr live = api.store.get(key);
    if (live == nullptr) return model::not_found(resource.group_resource(), request.name);
    HF_TRY(check_preconditions(*live, resource, options));
    Value object = parse_stored(*live);
    HF_TRY(admit_validate(api, {AdmissionVerb::Delete, request, object, &object}));

    const Deletion deletion = decide(object, *live, resource, options, api.clock.now());
    if (deletion.way == Deletion::Way::Pending) return Removed{live, false};
    if (deletion.way == Deletion::Way::Now) {
      if (options.dry_run) return Removed{live, true};
      Result<StoredPtr> removed = api.store.remove(key, live->revision);
      if (removed) return Removed{*removed, true};
      if (removed.error().fault() != Fault::Conflict && removed.error().fault() != Fault::NotFound)
        return model::internal_error(removed.error().what());
      continue;  // somebody wrote meanwhile: decide again on what is there now
    }
    Draft draft = make_draft(object);
    if (options.dry_run) return Removed{as_stored(std::move(draft), live->revision), false};
    StoredPtr same = as_stored(draft, live->revision);
    if (same->text == live->text) return Removed{live, false};
    Result<StoredPtr> put = api.store.put(key, live->revision, std::move(draft));
    if (put) return Removed{*put, false};
    if (put.error().fault() != Fault::Conflict) return model::internal_error(put.error().what());
  }
}

}  // namespace holdfast::apiserver
