#include "rest/metadata.h"

#include <holdfast/base/text.h>
#include <holdfast/model/names.h>
#include <holdfast/model/time.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::apiserver {
namespace {

using model::FieldErrors;

constexpr int64_t kMaxAnnotationBytes = int64_t(256) << 10;
constexpr std::string_view kImmutable = "field is immutable";

Answer<void> match_namespace(Object& metadata, const Resource& resource, std::string_view ns) {
  const std::string wanted(resource.namespaced ? ns : "");
  const Value* given = metadata.if_contains("namespace");
  const std::string_view have =
      given && given->is_string() ? model::view(given->get_string()) : std::string_view();
  if (have == wanted) return {};
  if (wanted.empty()) {
    metadata.erase("namespace");
    return {};
  }
  if (!have.empty())
    return model::bad_request(
        "the namespace of the provided object does not match the namespace sent on the request");
  metadata["namespace"] = wanted;
  return {};
}

void check_name(const std::string& field, std::string_view value, bool prefix,
                const Resource& resource, FieldErrors& errors) {
  std::string tested(value);
  // generateName may end in a dash: what follows completes it.
  if (prefix && tested.size() > 1 && tested.back() == '-') tested.back() = 'a';
  const auto rule = resource.rules != nullptr && resource.rules->name_rule != nullptr
                        ? resource.rules->name_rule
                        : model::check_dns1123_subdomain;
  for (const std::string& complaint : rule(tested))
    errors.push_back(model::invalid_field(field, Value(value), complaint));
}

void check_names(const Value& object, const Resource& resource, FieldErrors& errors) {
  const std::string_view generate = model::string_at(object, {"metadata", "generateName"});
  if (!generate.empty()) check_name("metadata.generateName", generate, true, resource, errors);
  const std::string_view name = model::string_at(object, {"metadata", "name"});
  if (name.empty())
    errors.push_back(model::required_field("metadata.name", "name or generateName is required"));
  else
    check_name("metadata.name", name, false, resource, errors);

  const std::string_view ns = model::string_at(object, {"metadata", "namespace"});
  if (resource.namespaced && ns.empty()) {
    errors.push_back(model::required_field("metadata.namespace", ""));
  } else if (resource.namespaced) {
    for (const std::string& complaint : model::check_dns1123_label(ns))
      errors.push_back(model::invalid_field("metadata.namespace", Value(ns), complaint));
  } else if (!ns.empty()) {
    errors.push_back(model::forbidden_field("metadata.namespace", "not allowed on this type"));
  }
}

void check_labels(const Value& object, FieldErrors& errors) {
  for (const auto& [label, value] : model::object_at(object, {"metadata", "labels"})) {
    for (const std::string& complaint : model::check_qualified_name(label))
      errors.push_back(model::invalid_field("metadata.labels", Value(label), complaint));
    if (!value.is_string()) continue;
    for (const std::string& complaint : model::check_label_value(model::view(value.get_string())))
      errors.push_back(model::invalid_field("metadata.labels", value, complaint));
  }
}

void check_annotations(const Value& object, FieldErrors& errors) {
  int64_t size = 0;
  for (const auto& [annotation, value] : model::object_at(object, {"metadata", "annotations"})) {
    for (const std::string& complaint : model::check_qualified_name(to_lower(annotation)))
      errors.push_back(model::invalid_field("metadata.annotations", Value(annotation), complaint));
    size +=
        int64_t(annotation.size()) + (value.is_string() ? int64_t(value.get_string().size()) : 0);
  }
  if (size > kMaxAnnotationBytes)
    errors.push_back(model::too_long_field("metadata.annotations", kMaxAnnotationBytes));
}

void check_owner(const Value& owner, FieldErrors& errors) {
  const std::string field = "metadata.ownerReferences";
  const std::string_view api_version = model::string_at(owner, {"apiVersion"});
  const size_t slash = api_version.find('/');
  if ((slash == std::string_view::npos ? api_version : api_version.substr(slash + 1)).empty())
    errors.push_back(model::invalid_field(field + ".apiVersion", Value(api_version),
                                          "version must not be empty"));
  for (const std::string_view member : {"kind", "name", "uid"}) {
    const std::string_view value = model::string_at(owner, {member});
    if (value.empty())
      errors.push_back(
          model::invalid_field(model::child(field, member), Value(value), "must not be empty"));
  }
  if (api_version == "v1" && model::string_at(owner, {"kind"}) == "Event")
    errors.push_back(
        model::invalid_field(field, owner, "/v1, Kind=Event is disallowed from being an owner"));
}

void check_owners(const Value& object, FieldErrors& errors) {
  std::string first_controller;
  const Array& owners = model::array_at(object, {"metadata", "ownerReferences"});
  for (const Value& owner : owners) {
    check_owner(owner, errors);
    if (!model::bool_at(owner, {"controller"}, false)) continue;
    const std::string name =
        fmt::format("{}/{}", model::string_at(owner, {"kind"}), model::string_at(owner, {"name"}));
    if (first_controller.empty()) {
      first_controller = name;
      continue;
    }
    errors.push_back(
        model::invalid_field("metadata.ownerReferences", Value(owners),
                             fmt::format("Only one reference can have Controller set to true. "
                                         "Found \"true\" in references for {} and {}",
                                         first_controller, name)));
  }
}

// Of built-in kinds: a name without a domain must be one that the server itself knows.
void check_known_finalizers(const Value& object, FieldErrors& errors) {
  const Array& finalizers = model::array_at(object, {"metadata", "finalizers"});
  for (size_t i = 0; i < finalizers.size(); ++i) {
    const std::string_view text =
        finalizers[i].is_string() ? model::view(finalizers[i].get_string()) : std::string_view();
    if (text.find('/') == std::string_view::npos && text != "kubernetes" && text != "orphan" &&
        text != "foregroundDeletion")
      errors.push_back(model::invalid_field(
          fmt::format("metadata.finalizers[{}]", i), finalizers[i],
          "name is neither a standard finalizer name nor is it fully qualified"));
  }
}

void check_finalizers(const Value& object, FieldErrors& errors) {
  bool orphan = false, foreground = false;
  const Array& finalizers = model::array_at(object, {"metadata", "finalizers"});
  for (const Value& finalizer : finalizers) {
    const std::string_view text =
        finalizer.is_string() ? model::view(finalizer.get_string()) : std::string_view();
    for (const std::string& complaint : model::check_qualified_name(text))
      errors.push_back(model::invalid_field("metadata.finalizers", finalizer, complaint));
    orphan = orphan || text == "orphan";
    foreground = foreground || text == "foregroundDeletion";
  }
  if (orphan && foreground)
    errors.push_back(
        model::invalid_field("metadata.finalizers", Value(finalizers),
                             "finalizer orphan and foregroundDeletion cannot be both set"));
}

void copy_or_erase(Object& metadata, const Value& old, std::string_view member) {
  if (const Value* value = model::find(old, {"metadata", member}))
    metadata[member] = *value;
  else
    metadata.erase(member);
}

}  // namespace

Answer<void> prepare_new_metadata(Value& object, const Resource& resource, std::string_view ns,
                                  const Clock& clock, Random& random) {
  Object& metadata = model::ensure_object(object, {"metadata"});
  for (const std::string_view member :
       {"uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink",
        "resourceVersion"})
    metadata.erase(member);
  HF_TRY(match_namespace(metadata, resource, ns));
  const std::string_view generate = model::string_at(object, {"metadata", "generateName"});
  if (model::string_at(object, {"metadata", "name"}).empty() && !generate.empty())
    metadata["name"] = model::generate_name(generate, random);
  metadata["uid"] = random.uuid();
  metadata["creationTimestamp"] = model::to_rfc3339(clock.now());
  if (resource.generation) metadata["generation"] = 1;
  return {};
}

Answer<void> prepare_updated_metadata(Value& object, const Value& old, const Resource& resource,
                                      std::string_view ns) {
  Object& metadata = model::ensure_object(object, {"metadata"});
  HF_TRY(match_namespace(metadata, resource, ns));
  if (model::string_at(object, {"metadata", "uid"}).empty()) copy_or_erase(metadata, old, "uid");
  copy_or_erase(metadata, old, "generation");
  metadata.erase("selfLink");
  // Left out, they are taken from before; given differently, they are refused by the validation.
  for (const std::string_view member :
       {"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"})
    if (const Value* given = metadata.if_contains(member); given == nullptr || given->is_null())
      copy_or_erase(metadata, old, member);
  if (model::find(old, {"metadata", "deletionTimestamp"}) != nullptr)
    copy_or_erase(metadata, old, "deletionTimestamp");
  return {};
}

void validate_metadata(const Value& object, const Resource& resource, FieldErrors& errors) {
  check_names(object, resource, errors);
  check_labels(object, errors);
  check_annotations(object, errors);
  check_owners(object, errors);
  check_finalizers(object, errors);
  if (!resource.is_custom()) check_known_finalizers(object, errors);
  if (const Value* managed = model::find(object, {"metadata", "managedFields"}))
    for (model::FieldError& error :
         model::validate_managed_fields(*managed, "metadata.managedFields"))
      errors.push_back(std::move(error));
}

void validate_metadata_update(const Value& object, const Value& old, FieldErrors& errors) {
  if (!model::string_at(old, {"metadata", "deletionTimestamp"}).empty()) {
    std::vector<std::string> added;
    const Array& before = model::array_at(old, {"metadata", "finalizers"});
    for (const Value& finalizer : model::array_at(object, {"metadata", "finalizers"}))
      if (std::find(before.begin(), before.end(), finalizer) == before.end() &&
          finalizer.is_string())
        added.push_back(quoted(model::view(finalizer.get_string())));
    std::sort(added.begin(), added.end());
    if (!added.empty())
      errors.push_back(model::forbidden_field(
          "metadata.finalizers", fmt::format("no new finalizers can be added if the object is "
                                             "being deleted, found new finalizers []string{{{}}}",
                                             join(added, ", "))));
  }
  for (const std::string_view member : {"name", "namespace", "uid"}) {
    const std::string_view value = model::string_at(object, {"metadata", member});
    if (value != model::string_at(old, {"metadata", member}))
      errors.push_back(model::invalid_field(model::child("metadata", member), Value(value),
                                            std::string(kImmutable)));
  }
  for (const std::string_view member :
       {"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    const Value* value = model::find(object, {"metadata", member});
    const Value* before = model::find(old, {"metadata", member});
    const Value now = value != nullptr ? *value : Value();
    if (!model::equal(now, before != nullptr ? *before : Value()))
      errors.push_back(
          model::invalid_field(model::child("metadata", member), now, std::string(kImmutable)));
  }
}

}  // namespace holdfast::apiserver
