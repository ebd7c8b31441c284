// Reading and writing metadata.managedFields. Entries come from clients, so any of their parts may
// be wrong.
//
//   {"manager":M,"operation":"Apply"|"Update","apiVersion":V,"time":T,"fieldsType":"FieldsV1",
//    "fieldsV1":{…},"subresource":S}

#include "apply/ownership.h"

#include <holdfast/base/text.h>
#include <holdfast/model/time.h>

#include "apply/fields_v1.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::model::apply {
namespace {

constexpr size_t kMaxUpdateOwners = 10;
constexpr std::string_view kAncient = "ancient-changes";

std::string_view operation_text(const Owner& owner) { return owner.applies ? "Apply" : "Update"; }

int64_t seconds_of(const std::string& time) {
  const auto parsed = parse_rfc3339(time);
  return parsed ? std::chrono::floor<std::chrono::seconds>(*parsed).time_since_epoch().count() : 0;
}

// The member as text; false if it is something else.
bool read_text(const Object& entry, std::string_view name, std::string& out) {
  const Value* value = entry.if_contains(name);
  if (!value || value->is_null()) return true;
  if (!value->is_string()) return false;
  out = view(value->get_string());
  return true;
}

bool fail(std::string* why, std::string text) {
  if (why) *why = std::move(text);
  return false;
}

bool read_fields(Arena& arena, const Object& entry, const TypeRef& type, Owner& owner) {
  const Value* fields = entry.if_contains("fieldsV1");
  if (!fields || fields->is_null()) return true;
  auto decoded = decode_fields(arena, *fields, type);
  if (!decoded) return false;
  owner.set = decoded->set;
  if (!decoded->changed) owner.written = fields;
  return true;
}

bool read_owner(Arena& arena, const Value& value, size_t position, const TypeRef& type,
                Owner& owner, std::string* why) {
  if (!value.is_object()) return fail(why, "entry is not an object");
  const Object& entry = value.get_object();
  std::string operation;
  std::string fields_type;
  std::string time;
  const bool texts = read_text(entry, "manager", owner.manager) &&
                     read_text(entry, "operation", operation) &&
                     read_text(entry, "apiVersion", owner.api_version) &&
                     read_text(entry, "subresource", owner.subresource) &&
                     read_text(entry, "fieldsType", fields_type) && read_text(entry, "time", time);
  if (!texts) return fail(why, "entry has a member of a wrong type");
  if (operation != "Apply" && operation != "Update")
    return fail(why, "operation must be `Apply` or `Update`");
  if (owner.api_version.empty()) return fail(why, "apiVersion must not be empty");
  if (fields_type.empty())
    return fail(why, fmt::format("missing fieldsType in managed fields entry {}", position));
  if (fields_type != "FieldsV1")
    return fail(why, fmt::format("invalid fieldsType {} in managed fields entry {}",
                                 quoted(fields_type), position));
  owner.applies = operation == "Apply";
  if (const auto parsed = parse_rfc3339(time)) owner.time = to_rfc3339(*parsed);
  if (!read_fields(arena, entry, type, owner)) return fail(why, "error decoding set");
  return true;
}

Value encode_owner(const Owner& owner) {
  Object entry;
  entry.reserve(7);
  if (!owner.manager.empty()) entry.emplace("manager", owner.manager);
  entry.emplace("operation", operation_text(owner));
  entry.emplace("apiVersion", owner.api_version);
  if (!owner.time.empty()) entry.emplace("time", owner.time);
  entry.emplace("fieldsType", "FieldsV1");
  entry.emplace("fieldsV1", owner.written ? *owner.written : encode_fields(owner.set));
  if (!owner.subresource.empty()) entry.emplace("subresource", owner.subresource);
  return entry;
}

bool written_before(const Owner& a, const Owner& b) {
  if (a.applies != b.applies) return a.applies;
  if (a.time != b.time) {
    const int64_t x = seconds_of(a.time);
    const int64_t y = seconds_of(b.time);
    if (x != y) return x < y;
  }
  if (a.manager != b.manager) return a.manager < b.manager;
  if (a.api_version != b.api_version) return a.api_version < b.api_version;
  return a.subresource < b.subresource;
}

}  // namespace

bool Owner::same_writer(const Owner& other) const {
  return manager == other.manager && applies == other.applies && subresource == other.subresource &&
         (applies || api_version == other.api_version);
}

void Owner::replace_set(const Set& changed) {
  if (!set.same_as(changed)) written = nullptr;
  set = changed;
}

Owner* Owners::find(const Owner& writer) {
  for (Owner& owner : all_)
    if (owner.same_writer(writer)) return &owner;
  return nullptr;
}

Owner& Owners::put(const Owner& writer) {
  if (Owner* known = find(writer)) return *known;
  return all_.emplace_back(writer);
}

void Owners::drop_empty() {
  std::erase_if(all_, [](const Owner& owner) { return owner.set.empty(); });
}

std::optional<Owners> decode_owners(Arena& arena, const Value* managed_fields, const TypeRef& type,
                                    std::string* why) {
  Owners owners;
  if (!managed_fields || managed_fields->is_null()) return owners;
  if (!managed_fields->is_array()) {
    fail(why, "managedFields is not a list");
    return std::nullopt;
  }
  size_t position = 0;
  for (const Value& entry : managed_fields->get_array()) {
    Owner owner;
    if (!read_owner(arena, entry, position++, type, owner, why)) return std::nullopt;
    owners.put(owner) = owner;
  }
  return owners;
}

Array encode_owners(const Owners& owners) {
  std::vector<const Owner*> sorted;
  for (const Owner& owner : owners.all()) sorted.push_back(&owner);
  std::sort(sorted.begin(), sorted.end(),
            [](const Owner* a, const Owner* b) { return written_before(*a, *b); });
  Array out;
  out.reserve(sorted.size());
  for (const Owner* owner : sorted) out.push_back(encode_owner(*owner));
  return out;
}

void write_owners(Value& object, const Owners& owners) {
  // Encoded first: what is unchanged is copied from the very list that is replaced.
  Array encoded = encode_owners(owners);
  erase(object, {"metadata", "managedFields"});
  if (!encoded.empty())
    ensure_object(object, {"metadata"}).insert_or_assign("managedFields", std::move(encoded));
}

std::string owner_text(const Owner& owner) {
  std::string out = quoted(owner.manager);
  if (!owner.subresource.empty()) out += " with subresource " + quoted(owner.subresource);
  if (!owner.applies) out += " using " + owner.api_version;
  return out;
}

std::string owner_id(const Owner& owner) {
  Object id;
  if (!owner.manager.empty()) id.emplace("manager", owner.manager);
  id.emplace("operation", operation_text(owner));
  if (!owner.applies) id.emplace("apiVersion", owner.api_version);
  if (!owner.subresource.empty()) id.emplace("subresource", owner.subresource);
  return to_json(id);
}

Owner owner_for(const Writer& writer, bool applies) {
  Owner owner;
  owner.manager = writer.manager.empty() ? "unknown" : writer.manager;
  owner.applies = applies;
  owner.api_version = writer.api_version;
  owner.subresource = writer.subresource;
  return owner;
}

Set ignored_set(Arena& arena, const std::vector<std::string>& paths) {
  Set set;
  for (const std::string& path : paths) {
    std::vector<Element> elements;
    for (std::string_view name : split(path, '.')) elements.push_back(Element::field(name));
    set = unite(arena, set, single(arena, elements));
  }
  return set;
}

Set without_identity(Arena& arena, const Set& set) {
  static const std::vector<std::string> paths = {"apiVersion",
                                                 "kind",
                                                 "metadata",
                                                 "metadata.name",
                                                 "metadata.namespace",
                                                 "metadata.creationTimestamp",
                                                 "metadata.selfLink",
                                                 "metadata.uid",
                                                 "metadata.clusterName",
                                                 "metadata.generation",
                                                 "metadata.managedFields",
                                                 "metadata.resourceVersion"};
  static Arena forever;
  static const Set identity = ignored_set(forever, paths);
  return subtract(arena, set, identity);
}

namespace {

std::vector<Owner> oldest_updates_first(const Owners& owners) {
  std::vector<Owner> updates;
  for (const Owner& owner : owners.all())
    if (!owner.applies) updates.push_back(owner);
  std::sort(updates.begin(), updates.end(), [](const Owner& a, const Owner& b) {
    const int64_t x = seconds_of(a.time);
    const int64_t y = seconds_of(b.time);
    return x != y ? x < y : owner_id(a) < owner_id(b);
  });
  return updates;
}

void merge_into_bucket(Arena& arena, Owners& owners, const Owner& first, const Owner& next) {
  Owner merged = next;
  merged.manager = kAncient;
  merged.subresource.clear();
  const Owner* bucket = owners.find(merged);
  merged.replace_set(unite(arena, next.set, bucket ? bucket->set : first.set));
  merged.written = nullptr;
  std::erase_if(owners.all(), [&](const Owner& owner) {
    return owner.same_writer(next) || owner.same_writer(merged) ||
           (!bucket && owner.same_writer(first));
  });
  owners.all().push_back(merged);
}

}  // namespace

void cap_updates(Arena& arena, Owners& owners) {
  if (owners.all().size() <= kMaxUpdateOwners) return;
  const std::vector<Owner> updates = oldest_updates_first(owners);
  std::vector<const Owner*> first_of_version;
  size_t count = updates.size();
  for (size_t i = 0; i < updates.size() && count > kMaxUpdateOwners; ++i) {
    const Owner& next = updates[i];
    const auto first =
        std::find_if(first_of_version.begin(), first_of_version.end(),
                     [&](const Owner* owner) { return owner->api_version == next.api_version; });
    if (first == first_of_version.end()) {
      first_of_version.push_back(&next);
      continue;
    }
    merge_into_bucket(arena, owners, **first, next);
    --count;
  }
}

}  // namespace holdfast::model::apply
