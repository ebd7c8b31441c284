#include "rest/form.h"

#include "kinds/convert.h"

namespace holdfast::apiserver {
namespace {

void append_member(std::string& out, std::string_view name, const Value& value) {
  if (out.back() != '{') out += ',';
  model::append_json(out, Value(name));
  out += ':';
  model::append_json(out, value);
}

// The order of Go's ObjectMeta. One order for all writers, so that an unchanged object is the same
// text whoever set its members last.
constexpr std::string_view kBeforeVersion[] = {"name", "generateName", "namespace", "selfLink",
                                               "uid"};
constexpr std::string_view kAfterVersion[] = {
    "generation",   "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
    "labels",       "annotations",       "ownerReferences",   "finalizers",
    "managedFields"};

// Writes metadata with an empty resourceVersion; the return value is the offset at which its digits
// belong.
size_t append_metadata(std::string& out, const Object& metadata) {
  if (out.back() != '{') out += ',';
  out += "\"metadata\":{";
  const auto append_known = [&](std::string_view name) {
    if (const Value* value = metadata.if_contains(name)) append_member(out, name, *value);
  };
  for (const std::string_view name : kBeforeVersion) append_known(name);
  if (out.back() != '{') out += ',';
  out += "\"resourceVersion\":\"";
  const size_t hole = out.size();
  out += '"';
  for (const std::string_view name : kAfterVersion) append_known(name);
  out += '}';
  return hole;
}

bool in_stored_version(const Resource& resource) {
  // Core and events.k8s.io events share one store, in core's form.
  if (resource.plural == "events" && resource.group == "events.k8s.io") return false;
  return resource.version == resource.storage_version;
}

}  // namespace

Draft make_draft(const Value& object) {
  const Object& members = object.get_object();
  std::string text = "{";
  for (const std::string_view first : {"kind", "apiVersion"})
    if (const Value* value = members.if_contains(first)) append_member(text, first, *value);
  size_t hole = 0;
  for (const auto& [name, value] : members) {
    if (name == "kind" || name == "apiVersion") continue;
    if (name == "metadata")
      hole = append_metadata(text, value.get_object());
    else
      append_member(text, name, value);
  }
  text += '}';
  HF_CHECK(hole != 0);
  Draft draft;
  draft.after_version = text.substr(hole);
  text.resize(hole);
  draft.before_version = std::move(text);
  draft.meta = model::meta_of(object);
  return draft;
}

StoredPtr as_stored(Draft draft, Revision revision) {
  auto stored = std::make_shared<Stored>();
  stored->revision = revision;
  if (revision == 0) {
    // Drop `,"resourceVersion":""` whole: an object that was never stored has none.
    constexpr std::string_view kMember = ",\"resourceVersion\":\"";
    if (draft.before_version.ends_with(kMember)) {
      draft.before_version.resize(draft.before_version.size() - kMember.size());
      draft.after_version.erase(0, 1);
    }
    stored->text = draft.before_version + draft.after_version;
  } else {
    stored->text = draft.before_version + std::to_string(revision) + draft.after_version;
  }
  stored->meta = std::move(draft.meta);
  return stored;
}

Value parse_stored(const Stored& stored) {
  auto parsed = model::parse_json(stored.text);
  HF_CHECK(parsed);  // we wrote it
  return std::move(parsed->value);
}

void convert_to_stored(Value& object, const Resource& resource) {
  if (!in_stored_version(resource)) convert(object, resource, resource.storage_version, true);
}

void convert_from_stored(Value& object, const Resource& resource) {
  if (!in_stored_version(resource)) convert(object, resource, resource.version, false);
}

Value to_served(const Stored& stored, const Resource& resource) {
  Value object = parse_stored(stored);
  convert_from_stored(object, resource);
  return object;
}

std::string served_text(const Stored& stored, const Resource& resource) {
  if (in_stored_version(resource)) return stored.text;
  return model::to_json(to_served(stored, resource));
}

}  // namespace holdfast::apiserver
