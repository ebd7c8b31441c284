/// The history of a set's pod template. A revision's data is the patch that brings its template
/// back:
///   {"spec": {"template": {"$patch": "replace", "metadata": {…}, "spec": {…}}}}
/// and its name is SET-HASH, the hash being that of the data and of how often the name was taken by
/// other data (status.collisionCount).
#pragma once

#include "statefulset/observed.h"

#include <optional>
#include <string>

namespace holdfast::workloads::statefulset {

model::Value revision_data(const Set& set);
std::string revision_hash(const model::Value& data, int64_t collisions);
std::string revision_name(const Set& set, std::string_view hash);
/// spec.template as the revision has it.
model::Value template_of(const Revision& revision);

/// What the set's history says, or what must happen to it first.
struct History {
  const Revision* current = nullptr;  ///< what pods below the partition run
  const Revision* update = nullptr;   ///< what the template says now
  int64_t collisions = 0;
  /// The template's revision exists but a newer one is last: its number must become this one.
  std::optional<int64_t> renumber{};
  /// No revision has the template: create one of this name.
  std::string create{}, hash{};
};
History read_history(const Observed& seen);

/// ControllerRevision to be created for `history.create`.
model::Value new_revision(const Observed& seen, const History& history);
/// The oldest revision beyond spec.revisionHistoryLimit that nothing uses.
const Revision* surplus_revision(const Observed& seen, const History& history);

}  // namespace holdfast::workloads::statefulset
