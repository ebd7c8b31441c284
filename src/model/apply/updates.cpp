// Creates, updates and the patches: the writer becomes the owner of what it changed, and of nothing
// else.

#include "apply/updates.h"

#include <holdfast/model/apply.h>
#include <holdfast/model/time.h>

namespace holdfast::model {
namespace apply {

Comparison without_ignored(Arena& arena, const Comparison& comparison, const Set& ignored) {
  if (ignored.empty()) return comparison;
  return {subtract_trees(arena, comparison.removed, ignored),
          subtract_trees(arena, comparison.modified, ignored),
          subtract_trees(arena, comparison.added, ignored)};
}

void take_from_others(Arena& arena, Owners& owners, const Comparison& comparison,
                      const Owner* writer) {
  const Set changed = unite(arena, comparison.modified, comparison.added);
  for (Owner& owner : owners.all()) {
    if (writer && owner.same_writer(*writer)) continue;
    const Set left = subtract(arena, owner.set, changed);
    owner.replace_set(subtract(arena, left, comparison.removed));
  }
  owners.drop_empty();
}

void drop_foreign_groups(Owners& owners, std::string_view api_version) {
  const auto group = [](std::string_view version) {
    const size_t slash = version.find('/');
    return slash == std::string_view::npos ? std::string_view() : version.substr(0, slash);
  };
  std::erase_if(owners.all(),
                [&](const Owner& owner) { return group(owner.api_version) != group(api_version); });
}

bool record_update(Arena& arena, Owners& owners, const TypeRef& type, const Value& before,
                   const Value& after, const Writer& writer, const Set& ignored) {
  const std::optional<Comparison> compared = compare(arena, type, before, after);
  if (!compared) return false;
  drop_foreign_groups(owners, writer.api_version);
  const Comparison comparison = without_ignored(arena, *compared, ignored);
  take_from_others(arena, owners, comparison, nullptr);
  const Set written = without_identity(arena, unite(arena, comparison.modified, comparison.added));
  if (!written.empty()) {
    Owner& owner = owners.put(owner_for(writer, false));
    owner.replace_set(unite(arena, owner.set, written));
    owner.api_version = writer.api_version;
    // The real server forgets the time of what is written through scale, and clients have come to
    // see it so.
    if (writer.subresource != "scale") owner.time = to_rfc3339(writer.now);
  }
  cap_updates(arena, owners);
  return true;
}

namespace {

bool is_reset(const Value& managed_fields) {
  if (!managed_fields.is_array()) return false;
  const Array& entries = managed_fields.get_array();
  if (entries.empty()) return true;
  return entries.size() == 1 && entries[0].is_object() && entries[0].get_object().empty();
}

// Who owns the fields before this write: what the client sent, or else what the live object says.
Owners owners_before(Arena& arena, const TypeRef& type, const Value& live, const Value* requested,
                     bool subresource) {
  if (!subresource && requested) {
    if (is_reset(*requested)) return {};
    auto sent = decode_owners(arena, requested, type);
    if (sent && !sent->empty()) return std::move(*sent);
  }
  auto known = decode_owners(arena, find(live, {"metadata", "managedFields"}), type);
  return known ? std::move(*known) : Owners();
}

}  // namespace
}  // namespace apply

void track_update(const Value& live, Value& object, const Schema& schema, const Writer& writer,
                  const std::vector<std::string>& ignored) {
  using namespace apply;
  Arena arena;
  const TypeRef type = root_type(schema);
  Value requested;
  if (Value* sent = find(object, {"metadata", "managedFields"})) {
    requested = std::move(*sent);
    erase(object, {"metadata", "managedFields"});
  }
  Owners owners = owners_before(arena, type, live, requested.is_null() ? nullptr : &requested,
                                !writer.subresource.empty());
  const bool created = string_at(live, {"metadata", "uid"}).empty();
  // Who never had owners, or was told to forget them, is not tracked again before the first apply.
  if (owners.empty() && !created) return;
  const Value zero = live.is_null() ? zero_object(schema) : Value();
  if (!record_update(arena, owners, type, live.is_null() ? zero : live, object, writer,
                     ignored_set(arena, ignored)))
    return;
  write_owners(object, owners);
}

namespace {

// Equal but for `skipped`, which is compared elsewhere or not at all.
bool equal_without(const Object& a, const Object& b, std::string_view skipped) {
  const auto counted = [&](const Object& object) {
    return object.size() - (object.contains(skipped) ? 1 : 0);
  };
  if (counted(a) != counted(b)) return false;
  for (const auto& member : a) {
    if (member.key() == skipped) continue;
    const Value* other = b.if_contains(member.key());
    if (!other || !equal(member.value(), *other)) return false;
  }
  return true;
}

bool same_owners(const Array& before, const Array& after) {
  if (before.size() != after.size() || after.empty()) return false;
  for (size_t i = 0; i < after.size(); ++i) {
    if (!before[i].is_object() || !after[i].is_object()) return false;
    if (!equal_without(before[i].get_object(), after[i].get_object(), "time")) return false;
  }
  return true;
}

}  // namespace

void keep_times_if_unchanged(const Value& live, Value& object) {
  const Value* old_fields = find(live, {"metadata", "managedFields"});
  Value* new_fields = find(object, {"metadata", "managedFields"});
  if (!old_fields || !new_fields || !old_fields->is_array() || !new_fields->is_array()) return;
  if (!same_owners(old_fields->get_array(), new_fields->get_array())) return;
  const Object& old_meta = object_at(live, {"metadata"});
  const Object& new_meta = object_at(object, {"metadata"});
  if (!equal_without(old_meta, new_meta, "managedFields")) return;
  if (!equal_without(live.get_object(), object.get_object(), "metadata")) return;
  *new_fields = *old_fields;
}

}  // namespace holdfast::model
