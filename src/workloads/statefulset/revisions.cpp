#include "statefulset/revisions.h"

#include <holdfast/control/write.h>

#include "pods/template.h"

#include <fmt/format.h>

#include <set>

namespace holdfast::workloads::statefulset {

model::Value revision_data(const Set& set) {
  model::Object kept;
  kept["$patch"] = "replace";
  for (const auto& [name, value] : model::object_at(*set.value, {"spec", "template"}))
    kept[name] = value;
  model::Value data(boost::json::object_kind);
  model::ensure_object(data, {"spec"})["template"] = std::move(kept);
  return data;
}

std::string revision_hash(const model::Value& data, int64_t collisions) {
  return control::short_hash(canonical_json(data) + std::to_string(collisions));
}

std::string revision_name(const Set& set, std::string_view hash) {
  // Names end at 253 characters, and 29 of them are kept for the dash and the hash.
  return fmt::format("{}-{}", std::string_view(set.name).substr(0, 223), hash);
}

model::Value template_of(const Revision& revision) {
  const model::Value* kept = model::find(revision.data, {"spec", "template"});
  if (!kept) return model::Value(boost::json::object_kind);
  model::Value result = *kept;
  model::erase(result, {"$patch"});
  return result;
}

History read_history(const Observed& seen) {
  History history;
  history.collisions = model::int_at(*seen.set.value, {"status", "collisionCount"}, 0);
  const model::Value data = revision_data(seen.set);
  for (const Revision& revision : seen.revisions) {
    if (revision.name == seen.set.current_revision) history.current = &revision;
    if (model::equal(revision.data, data)) history.update = &revision;
  }
  if (history.update == nullptr) {
    history.hash = revision_hash(data, history.collisions);
    history.create = revision_name(seen.set, history.hash);
    // The label keeps the first hash, as the real controller has it; only the name moves on.
    for (auto taken = seen.names_taken.find(history.create);
         taken != seen.names_taken.end() && !model::equal(taken->second, data);
         taken = seen.names_taken.find(history.create))
      history.create = revision_name(seen.set, revision_hash(data, ++history.collisions));
    return history;
  }
  const Revision& newest = seen.revisions.back();
  if (history.update != &newest && !model::equal(newest.data, data))
    history.renumber = newest.number + 1;
  else
    history.update = &newest;
  if (history.current == nullptr) history.current = history.update;
  return history;
}

model::Value new_revision(const Observed& seen, const History& history) {
  const Set& set = seen.set;
  model::Object labels = model::object_at(*set.value, {"spec", "template", "metadata", "labels"});
  labels["controller.kubernetes.io/hash"] = history.hash;
  model::Object metadata;
  metadata["name"] = history.create;
  metadata["namespace"] = set.ns;
  metadata["labels"] = std::move(labels);
  const model::Object& annotations = model::object_at(*set.value, {"metadata", "annotations"});
  if (!annotations.empty()) metadata["annotations"] = annotations;
  metadata["ownerReferences"] =
      model::Array{control::controller_reference(kube::kStatefulSets, set.object)};
  model::Object revision;
  revision["apiVersion"] = "apps/v1";
  revision["kind"] = "ControllerRevision";
  revision["metadata"] = std::move(metadata);
  revision["data"] = revision_data(set);
  revision["revision"] = seen.revisions.empty() ? 1 : seen.revisions.back().number + 1;
  return revision;
}

const Revision* surplus_revision(const Observed& seen, const History& history) {
  std::set<std::string_view> used{history.current->name, history.update->name};
  for (const Replica& pod : seen.pods) used.insert(pod.revision);
  const Revision* oldest = nullptr;
  int64_t unused = 0;
  for (const Revision& revision : seen.revisions) {
    if (used.count(revision.name) > 0) continue;
    if (oldest == nullptr) oldest = &revision;
    ++unused;
  }
  const int64_t limit = seen.set.history_limit;
  return limit >= 0 && unused > limit ? oldest : nullptr;
}

}  // namespace holdfast::workloads::statefulset
