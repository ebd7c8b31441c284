/// metadata.managedFields, read: who owns which fields of an object, since when, and by which kind
/// of request.
#pragma once

#include <holdfast/model/apply.h>

#include "apply/compare.h"
#include "apply/field_set.h"
#include "apply/types.h"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::model::apply {

/// One writer's fields. Writers are told apart by name, operation, subresource and, unless they
/// apply, API version.
struct Owner {
  std::string manager;
  bool applies = false;
  std::string api_version;
  std::string subresource;
  std::string time;  ///< RFC 3339; "" if unknown
  Set set;
  /// The fieldsV1 that `set` was read from, as long as it still says the same.
  const Value* written = nullptr;

  bool same_writer(const Owner& other) const;
  void replace_set(const Set& changed);
};

class Owners {
 public:
  Owners() = default;

  bool empty() const { return all_.empty(); }
  std::vector<Owner>& all() { return all_; }
  const std::vector<Owner>& all() const { return all_; }
  Owner* find(const Owner& writer);
  /// The entry of that writer, made if it is not there.
  Owner& put(const Owner& writer);
  void drop_empty();

 private:
  std::vector<Owner> all_;
};

/// Nothing and the reason if an entry is not what the API allows. Null and [] are no owners.
std::optional<Owners> decode_owners(Arena& arena, const Value* managed_fields, const TypeRef& type,
                                    std::string* why = nullptr);
/// Sorted as the server writes them: appliers first, then by time, name, version, subresource.
Array encode_owners(const Owners& owners);
/// Puts them into metadata.managedFields, or removes that if there are none.
void write_owners(Value& object, const Owners& owners);

/// How the sentence of a conflict names it: `"kubectl" with subresource "scale" using apps/v1`.
std::string owner_text(const Owner& owner);
/// Sorts like the JSON text by which the server keys its owners.
std::string owner_id(const Owner& owner);

/// A new entry for the writer; a nameless one is "unknown".
Owner owner_for(const Writer& writer, bool applies);

/// Fields that identify an object or that the server sets: nobody owns them.
Set without_identity(Arena& arena, const Set& set);
/// Fields under dot-separated paths.
Set ignored_set(Arena& arena, const std::vector<std::string>& paths);

/// Merges the oldest entries of updates until there are at most ten, per version into an entry
/// "ancient-changes".
void cap_updates(Arena& arena, Owners& owners);

}  // namespace holdfast::model::apply
