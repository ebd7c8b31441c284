// Order on create:  metadata → managedFields → admission (mutate) → prepare → validate → admission
// (validate) → store. Order on update:  the same on the next state, after the optimistic checks;
// then unchanged objects are recognised (no write, no event), and an object that is being deleted
// and lost its last finalizer goes.
#include "rest/write.h"

#include <holdfast/base/text.h>
#include <holdfast/model/structural.h>
#include <holdfast/model/time.h>
#include <holdfast/model/typed.h>

#include "admission/admission.h"
#include "crd/json_path.h"
#include "crd/served_kinds.h"
#include "rest/form.h"
#include "rest/metadata.h"

#include <fmt/format.h>

namespace holdfast::apiserver {
namespace {

using model::FieldErrors;

constexpr std::string_view kOptimisticLock =
    "the object has been modified; please apply your changes to the latest version and try again";
// As the real server: a name drawn eight times in a row that exists each time is given up.
constexpr int kNameAttempts = 8;
constexpr int kUpdateAttempts = 64;

Key key_of(const Resource& resource, const Value& object) {
  return {resource.storage, std::string(model::string_at(object, {"metadata", "namespace"})),
          std::string(model::string_at(object, {"metadata", "name"}))};
}

model::Writer writer_of(const Api& api, const WriteRequest& request) {
  return {request.options.field_manager, request.resource->api_version(), request.subresource,
          api.clock.now()};
}

bool is_definition(const Resource& resource) {
  return resource.kind == "CustomResourceDefinition" && resource.group == "apiextensions.k8s.io";
}

void take_errors(FieldErrors& errors, FieldErrors more) {
  for (model::FieldError& error : more) errors.push_back(std::move(error));
}

// A scale subresource promises integers at its paths.
void check_scale_path(const Value& object, const std::string& path, FieldErrors& errors) {
  const Value* value = find_simple(object, path);
  if (value == nullptr || value->is_null()) return;
  if (!value->is_int64()) {
    const std::string_view type = value->is_string()   ? "string"
                                  : value->is_bool()   ? "bool"
                                  : value->is_double() ? "float64"
                                                       : "map[string]interface {}";
    const std::string shown =
        value->is_string() ? std::string(model::view(value->get_string())) : model::to_json(*value);
    errors.push_back(model::invalid_field(
        path, Value(0),
        fmt::format("{} accessor error: {} is of the type {}, expected int64", path, shown, type)));
  } else if (value->get_int64() < 0) {
    errors.push_back(model::invalid_field(path, *value, "should be a non-negative integer"));
  }
}

void validate_custom(const Value& object, const Value* old, const Resource& resource,
                     FieldErrors& errors) {
  take_errors(errors, old != nullptr ? model::validate_update(object, *old, *resource.schema)
                                     : model::validate(object, *resource.schema));
  if (resource.scale) check_scale_path(object, resource.scale->spec_path, errors);
  model::check_rules(object, old, *resource.schema, errors);
}

FieldErrors validate_new(const Value& object, const Resource& resource) {
  FieldErrors errors;
  validate_metadata(object, resource, errors);
  if (resource.is_custom()) validate_custom(object, nullptr, resource, errors);
  if (resource.rules != nullptr && resource.rules->validate != nullptr)
    resource.rules->validate(object, errors);
  return errors;
}

void warn_about(const Value& object, const WriteRequest& request) {
  const KindRules* rules = request.resource->rules;
  if (request.warnings != nullptr && rules != nullptr && rules->warn != nullptr)
    rules->warn(object, *request.warnings);
}

// The main resource and scale: what follows the kind's ordinary rules for updates.
bool changes_spec(const WriteRequest& request) {
  return request.subresource.empty() || request.subresource == "scale";
}

FieldErrors validate_next(const Value& object, const Value& old, const WriteRequest& request) {
  const Resource& resource = *request.resource;
  FieldErrors errors;
  validate_metadata(object, resource, errors);
  validate_metadata_update(object, old, errors);
  if (resource.is_custom()) validate_custom(object, &old, resource, errors);
  if (resource.rules == nullptr) return errors;
  if (request.subresource == "status") {
    if (resource.rules->validate_status != nullptr)
      resource.rules->validate_status(object, old, errors);
  } else if (!changes_spec(request)) {
    return errors;  // binding and finalize check themselves
  } else if (resource.rules->validate_update != nullptr) {
    resource.rules->validate_update(object, old, errors);
  } else if (resource.rules->validate != nullptr) {
    resource.rules->validate(object, errors);
  }
  return errors;
}

bool same_but(const Value& a, const Value& b, std::initializer_list<std::string_view> ignored) {
  const auto skipped = [&](std::string_view name) {
    return std::find(ignored.begin(), ignored.end(), name) != ignored.end();
  };
  for (const auto& [name, value] : a.get_object()) {
    if (skipped(name)) continue;
    const Value* other = b.get_object().if_contains(name);
    if (other == nullptr || !model::equal(value, *other)) return false;
  }
  for (const auto& [name, value] : b.get_object())
    if (!skipped(name) && !a.get_object().contains(name)) return false;
  return true;
}

bool spec_changed(const Value& object, const Value& old, const Resource& resource) {
  if (resource.kind == "Deployment" && resource.group == "apps" &&
      model::object_at(object, {"metadata", "annotations"}) !=
          model::object_at(old, {"metadata", "annotations"}))
    return true;
  if (resource.has_status)
    return !same_but(object, old, {"metadata", "status", "apiVersion", "kind"});
  return !same_but(object, old, {"metadata", "apiVersion", "kind"});
}

// The parts of an object that this door of it (main or a subresource) may not change are put back.
void keep_other_parts(Value& object, const Value& old, const WriteRequest& request) {
  const Resource& resource = *request.resource;
  if (request.subresource == "status") {
    Value next = old;
    Object& members = next.get_object();
    if (const Value* status = model::find(object, {"status"}))
      members["status"] = *status;
    else
      members.erase("status");
    Object& metadata = model::ensure_object(next, {"metadata"});
    if (!resource.is_custom()) {
      const Value* given = model::find(object, {"metadata", "annotations"});
      if (given != nullptr) metadata["annotations"] = *given;
    }
    for (const std::string_view member : {"managedFields", "resourceVersion", "uid"}) {
      if (const Value* value = model::find(object, {"metadata", member}))
        metadata[member] = *value;
      else
        metadata.erase(member);
    }
    members["apiVersion"] = resource.api_version();
    object = std::move(next);
  } else if (resource.has_status && request.subresource != "binding") {
    if (const Value* status = model::find(old, {"status"}))
      object.get_object()["status"] = *status;
    else
      object.get_object().erase("status");
  }
}

Answer<void> check_version(const Value& object, const Stored& stored, const WriteRequest& request) {
  const Resource& resource = *request.resource;
  const std::string_view version = model::string_at(object, {"metadata", "resourceVersion"});
  if (!version.empty() && version != "0") {
    if (version.find_first_not_of("0123456789") != std::string_view::npos)
      return Status{
          .code = 500,
          .reason = "",
          .message = fmt::format("strconv.ParseUint: parsing \"{}\": invalid syntax", version),
          .details = std::nullopt};
    if (version != std::to_string(stored.revision))
      return model::conflict(resource.group_resource(), request.name, kOptimisticLock);
  } else if (!resource.unconditional_update) {
    return model::invalid({resource.group, resource.plural}, request.name,
                          {model::invalid_field("metadata.resourceVersion", Value(0),
                                                "must be specified for an update")});
  }
  return {};
}

// Who applies to an object of that uid does not want a new one.
Answer<void> check_no_uid(const Value& object, const WriteRequest& request) {
  const std::string_view uid = model::string_at(object, {"metadata", "uid"});
  if (uid.empty()) return {};
  return model::conflict(request.resource->group_resource(), request.name,
                         fmt::format("uid mismatch: the provided object specified uid {}, and no "
                                     "existing object was found",
                                     uid));
}

Answer<void> check_uid(const Value& object, const Stored& stored, const WriteRequest& request) {
  const std::string_view uid = model::string_at(object, {"metadata", "uid"});
  if (!uid.empty() && uid != stored.meta.uid)
    return model::conflict(
        request.resource->group_resource(), request.name,
        fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}", uid,
                    stored.meta.uid));
  return {};
}

bool last_finalizer_gone(const Value& object, const Value& old, const Resource& resource) {
  if (resource.kind == "Namespace" && !model::array_at(object, {"spec", "finalizers"}).empty())
    return false;
  return model::array_at(object, {"metadata", "finalizers"}).empty() &&
         !model::string_at(old, {"metadata", "deletionTimestamp"}).empty() &&
         model::int_at(old, {"metadata", "deletionGracePeriodSeconds"}, 0) == 0;
}

bool same_text(const Draft& draft, const Stored& stored) {
  const std::string version = std::to_string(stored.revision);
  return stored.text.size() ==
             draft.before_version.size() + version.size() + draft.after_version.size() &&
         stored.text.starts_with(draft.before_version) &&
         stored.text.ends_with(draft.after_version);
}

Answer<StoredPtr> store_next(Api& api, const WriteRequest& request, const Key& key,
                             const StoredPtr& live, Value object, const Value& old, bool& raced) {
  const bool gone = last_finalizer_gone(object, old, *request.resource);
  model::keep_times_if_unchanged(old, object);
  convert_to_stored(object, *request.resource);
  Draft draft = make_draft(object);
  if (same_text(draft, *live)) return live;
  if (request.options.dry_run) return as_stored(std::move(draft), live->revision);
  if (gone) {
    // The last finalizer went with this update: answer with what was asked for, and remove.
    StoredPtr asked = as_stored(std::move(draft), live->revision);
    Result<StoredPtr> removed = api.store.remove(key, live->revision);
    raced = !removed;
    if (raced) return asked;
    auto held = std::make_shared<Stored>(*asked);
    held->revision = (*removed)->revision;
    return StoredPtr(held);
  }
  Result<StoredPtr> put = api.store.put(key, live->revision, std::move(draft));
  raced = !put;
  return put ? *put : live;
}

// Takes the replicas out if they are 0, as the real server's Scale leaves them out.
bool drop_zero_replicas(Value& object, const Resource& resource) {
  if (!resource.scale) return false;
  Value* at = &object;
  for (const std::string_view step : split(std::string_view(resource.scale->spec_path), '.')) {
    if (step.empty()) continue;  // the path begins with a dot
    Object* parent = at->if_object();
    at = parent != nullptr ? parent->if_contains(step) : nullptr;
    if (at == nullptr) return false;
    if (at->is_int64() && at->get_int64() == 0) return parent->erase(step) > 0;
  }
  return false;
}

// Who owns what after this write. Two doors of an object keep no full account in the real server:
// a binding is nobody's write, and replicas that a Scale of 0 set are nobody's.
void track(Api& api, const WriteRequest& request, const Value& old, Value& object) {
  const Resource& resource = *request.resource;
  if (request.subresource == "binding") return;
  const auto update = [&](Value& next) {
    model::track_update(old, next, *resource.schema, writer_of(api, request),
                        untracked_paths(resource, request.subresource));
  };
  if (request.subresource != "scale") return update(object);
  Value scaled = object;
  if (!drop_zero_replicas(scaled, resource)) return update(object);
  update(scaled);
  model::erase(object, {"metadata", "managedFields"});
  if (const Value* fields = model::find(scaled, {"metadata", "managedFields"}))
    model::ensure_object(object, {"metadata"})["managedFields"] = *fields;
}

// The next state through all rules; `object` is changed in place.
Answer<void> admit_next(Api& api, const WriteRequest& request, UpdateMode mode, const Value& old,
                        Value& object) {
  const Resource& resource = *request.resource;
  if (!mode.apply) track(api, request, old, object);
  HF_TRY(admit_mutate(api, {AdmissionVerb::Update, request, object, &old}));
  keep_other_parts(object, old, request);
  HF_TRY(prepare_updated_metadata(object, old, resource, request.ns));
  if (changes_spec(request) && resource.rules != nullptr &&
      resource.rules->prepare_update != nullptr)
    resource.rules->prepare_update(object, old);
  if (request.subresource == "status" && resource.rules != nullptr &&
      resource.rules->prepare_status != nullptr)
    resource.rules->prepare_status(object, old, model::to_rfc3339(api.clock.now()));
  if (resource.generation && changes_spec(request) && spec_changed(object, old, resource))
    model::ensure_object(object, {"metadata"})["generation"] =
        model::int_at(old, {"metadata", "generation"}, 0) + 1;
  if (is_definition(resource)) api.kinds.establish(object);
  const FieldErrors errors = validate_next(object, old, request);
  if (!errors.empty()) return model::invalid(resource.group_kind(), request.name, errors);
  warn_about(object, request);
  return admit_validate(api, {AdmissionVerb::Update, request, object, &old});
}

// A new object has no status yet: for built-ins that is their Go type's zero value, with members.
void clear_status(Value& object, const Resource& resource) {
  object.get_object().erase("status");
  const model::Field* field =
      resource.is_custom() ? nullptr : resource.schema->shape->find("status");
  if (field == nullptr) return;
  Value empty = Object();
  HF_CHECK(model::decode_typed(empty, field->schema));
  object.get_object()["status"] = std::move(empty);
}

}  // namespace

std::vector<std::string> untracked_paths(const Resource& resource, const std::string& subresource) {
  if (resource.has_status && subresource.empty()) return {"status"};
  if (subresource == "status" && resource.is_custom()) return {"spec", "metadata"};
  if (subresource == "status") return {"spec"};
  return {};
}

void set_kind_defaults(Value& object, const Resource& resource) {
  if (resource.is_custom())
    model::set_defaults(object, *resource.schema);
  else if (resource.rules != nullptr && resource.rules->set_defaults != nullptr)
    resource.rules->set_defaults(object);
}

Answer<Written> create_object(Api& api, const WriteRequest& request, Value object, bool tracked) {
  const Resource& resource = *request.resource;
  const bool generated = model::string_at(object, {"metadata", "name"}).empty();
  if (!tracked)
    model::track_update(Value(), object, *resource.schema, writer_of(api, request),
                        untracked_paths(resource, ""));
  for (int attempt = 1;; ++attempt) {
    Value next = object;
    HF_TRY(prepare_new_metadata(next, resource, request.ns, api.clock, api.random));
    HF_TRY(admit_mutate(api, {AdmissionVerb::Create, request, next, nullptr}));
    // A node comes with what its kubelet knows of it.
    if (resource.has_status && resource.kind != "Node") clear_status(next, resource);
    if (resource.rules != nullptr && resource.rules->prepare_create != nullptr)
      resource.rules->prepare_create(next);
    if (is_definition(resource)) api.kinds.establish(next);
    const FieldErrors errors = validate_new(next, resource);
    const std::string name(model::string_at(next, {"metadata", "name"}));
    if (!errors.empty()) return model::invalid(resource.group_kind(), name, errors);
    warn_about(next, request);
    HF_TRY(admit_validate(api, {AdmissionVerb::Create, request, next, nullptr}));

    const Key key = key_of(resource, next);
    convert_to_stored(next, resource);
    Draft draft = make_draft(next);
    if (request.options.dry_run) {
      if (api.store.get(key) != nullptr)
        return model::already_exists(resource.group_resource(), name);
      return Written{as_stored(std::move(draft), 0), true};
    }
    Result<StoredPtr> put = api.store.put(key, 0, std::move(draft));
    if (put) return Written{*put, true};
    if (put.error().fault() != Fault::Conflict) return model::internal_error(put.error().what());
    if (!generated || attempt == kNameAttempts)
      return model::already_exists(resource.group_resource(), name);
  }
}

Answer<Written> update_object(Api& api, const WriteRequest& request, UpdateMode mode,
                              const NextState& change) {
  const Resource& resource = *request.resource;
  const Key key{resource.storage, resource.namespaced ? request.ns : "", request.name};
  for (int attempt = 0; attempt < kUpdateAttempts; ++attempt) {
    const StoredPtr live = api.store.get(key);
    if (live == nullptr) {
      if (!mode.create_if_absent) return model::not_found(resource.group_resource(), request.name);
      Value object = HF_TRY(change(nullptr));
      if (mode.apply) HF_TRY(check_no_uid(object, request));
      Answer<Written> created = create_object(api, request, std::move(object), mode.apply);
      if (created || created.error().reason != "AlreadyExists") return created;
      continue;  // somebody else created it first: update theirs
    }
    const Value old = to_served(*live, resource);
    Value object = HF_TRY(change(&old));
    HF_TRY(check_version(object, *live, request));
    if (mode.replace) HF_TRY(check_uid(object, *live, request));
    HF_TRY(admit_next(api, request, mode, old, object));
    bool raced = false;
    StoredPtr stored = HF_TRY(store_next(api, request, key, live, std::move(object), old, raced));
    if (!raced) return Written{std::move(stored), false};
  }
  return model::conflict(resource.group_resource(), request.name, kOptimisticLock);
}

}  // namespace holdfast::apiserver
