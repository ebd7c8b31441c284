/// ReplicaSets of a Deployment: the current one, and the revisions and annotations of the others.
#include <holdfast/base/text.h>

#include "deployment/act.h"
#include "deployment/rollout.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace holdfast::workloads::deployment {
namespace {

using control::Note;
using control::Outcome;
using control::Write;

/// Longer histories lose their oldest revisions.
constexpr size_t kLongestHistory = 2000;
constexpr size_t kLongestName = 253;

// Those that say something about the object itself; all others are the user's and follow the
// template.
constexpr std::array<std::string_view, 6> kNotCopied = {
    "kubectl.kubernetes.io/last-applied-configuration",
    kRevision,
    kHistory,
    kDesired,
    kMost,
    kRollbackTo};

bool copied(std::string_view name) {
  return std::find(kNotCopied.begin(), kNotCopied.end(), name) == kNotCopied.end();
}

int64_t newest_revision(const std::vector<const ReplicaSet*>& sets) {
  int64_t newest = 0;
  for (const ReplicaSet* set : sets)
    newest = std::max(newest, revision_of(set->annotations).value_or(0));
  return newest;
}

std::string lengthen_history(const std::string& history, const std::string& revision) {
  if (history.empty() || history.starts_with(',')) return revision;
  std::string_view kept = history;
  while (kept.size() + revision.size() + 1 > kLongestHistory) {
    const size_t comma = kept.find(',');
    if (comma == std::string_view::npos) return revision;
    kept.remove_prefix(comma + 1);
  }
  return fmt::format("{},{}", kept, revision);
}

void put_replicas(Annotations& annotations, const Deployment& wanted) {
  annotations[std::string(kDesired)] = std::to_string(wanted.replicas);
  annotations[std::string(kMost)] = std::to_string(wanted.replicas + wanted.surge);
}

/// The annotations of the current ReplicaSet: the Deployment's own, and its place in the history.
Annotations with_revision(const Deployment& wanted, Annotations annotations, int64_t revision) {
  for (const auto& [name, value] : wanted.annotations)
    if (copied(name)) annotations[name] = value;
  const std::optional<int64_t> before = revision_of(annotations);
  if (!before || *before >= revision) return annotations;
  std::string& said = annotations[std::string(kRevision)];
  // It had a revision and gets a higher one: a rollback to it.
  if (!said.empty()) {
    std::string& history = annotations[std::string(kHistory)];
    history = lengthen_history(history, said);
  }
  said = std::to_string(revision);
  return annotations;
}

Condition progressing(const Seen& seen, std::string_view status, std::string_view reason,
                      std::string message) {
  return condition("Progressing", status, reason, std::move(message), seen.now);
}

/// Made by this Deployment and not told yet: no rollback brought it back, no predecessor left it.
bool just_created(const Deployment& wanted, const ReplicaSet& set) {
  return !set.annotations.contains(std::string(kHistory)) && set.created >= wanted.created;
}

/// The template, with which the wish for a rollback goes.
Outcome end_rollback(const Deployment& wanted, Annotations annotations,
                     const model::Value& pod_template, Note note) {
  annotations.erase(std::string(kRollbackTo));
  Write write = write_template(wanted, annotations, pod_template);
  write.note = std::move(note);
  return Outcome::act(std::move(write));
}

/// The template stays as it is.
Outcome give_up_rollback(const Deployment& wanted, std::string reason, std::string message) {
  return end_rollback(wanted, wanted.annotations, wanted.pod_template,
                      Note{true, std::move(reason), std::move(message), "Rollback"});
}

Outcome roll_back_to(const Deployment& wanted, const ReplicaSet& set, int64_t revision) {
  const std::string name = quoted(wanted.meta.name);
  if (same_template(set.pod_template, wanted.pod_template))
    return give_up_rollback(
        wanted, "DeploymentRollbackTemplateUnchanged",
        fmt::format("The rollback revision contains the same template as current deployment {}",
                    name));
  model::Value pod_template = set.pod_template;
  model::erase(pod_template, {"metadata", "labels", kTemplateHash});
  // The annotations that went with that template come back with it.
  Annotations annotations = wanted.annotations;
  std::erase_if(annotations, [](const auto& each) { return copied(each.first); });
  for (const auto& [key, value] : set.annotations)
    if (copied(key)) annotations[key] = value;
  return end_rollback(
      wanted, std::move(annotations), pod_template,
      Note{false, "DeploymentRollback",
           fmt::format("Rolled back deployment {} to revision {}", name, revision), "Rollback"});
}

int64_t second_newest(const std::vector<const ReplicaSet*>& sets) {
  int64_t newest = 0, second = 0;
  for (const ReplicaSet* set : sets) {
    const int64_t revision = revision_of(set->annotations).value_or(-1);
    if (revision >= newest) {
      second = newest;
      newest = revision;
    } else if (revision > second) {
      second = revision;
    }
  }
  return second;
}

}  // namespace

std::string next_name(const Seen& seen) {
  const std::string& name = seen.wanted.meta.name;
  const size_t longest = kLongestName - 1 - seen.next_hash.size();
  return fmt::format("{}-{}", name.substr(0, longest), seen.next_hash);
}

std::vector<const ReplicaSet*> Sets::all() const {
  std::vector<const ReplicaSet*> out = old;
  if (current != nullptr) out.push_back(current);
  return out;
}

bool same_template(const model::Value& a, const model::Value& b) {
  model::Value left = a, right = b;
  model::erase(left, {"metadata", "labels", kTemplateHash});
  model::erase(right, {"metadata", "labels", kTemplateHash});
  return model::equal(left, right);
}

Sets split(const Deployment& wanted, const std::vector<const ReplicaSet*>& owned) {
  Sets sets;
  sets.old = owned;
  std::sort(sets.old.begin(), sets.old.end(), [](const ReplicaSet* a, const ReplicaSet* b) {
    return std::tie(a->created, a->meta.name) < std::tie(b->created, b->meta.name);
  });
  const auto found = std::find_if(sets.old.begin(), sets.old.end(), [&](const ReplicaSet* set) {
    return same_template(set->pod_template, wanted.pod_template);
  });
  if (found == sets.old.end()) return sets;
  sets.current = *found;
  sets.old.erase(found);
  return sets;
}

MaybeOutcome keep_revision(const Seen& seen, const Sets& sets) {
  if (sets.current == nullptr) return std::nullopt;
  const ReplicaSet& set = *sets.current;
  const Annotations of_set =
      with_revision(seen.wanted, set.annotations, newest_revision(sets.old) + 1);
  const int64_t min_ready = seen.wanted.min_ready_seconds;
  const bool other_min_ready = set.min_ready_seconds != min_ready;
  if (of_set != set.annotations || other_min_ready)
    return Outcome::act(update_set(set, set.replicas, of_set,
                                   other_min_ready ? std::optional(min_ready) : std::nullopt));
  Annotations annotations = seen.wanted.annotations;
  Status status = seen.wanted.status;
  const auto said = set.annotations.find(std::string(kRevision));
  const std::string revision = said == set.annotations.end() ? "" : said->second;
  const bool told = annotations[std::string(kRevision)] == revision;
  annotations[std::string(kRevision)] = revision;
  if (seen.wanted.deadline_seconds) {
    if (!told && just_created(seen.wanted, set))
      status.set(progressing(seen, "True", "NewReplicaSetCreated",
                             fmt::format("Created new replica set {}", quoted(set.meta.name))));
    else if (status.find("Progressing") == nullptr)
      status.set(progressing(seen, "True", "FoundNewReplicaSet",
                             fmt::format("Found new replica set {}", quoted(set.meta.name))));
  }
  if (told && status == seen.wanted.status) return std::nullopt;
  return Outcome::act(write_status(seen.wanted, annotations, status));
}

Outcome create_current(const Seen& seen, const Sets& sets) {
  Status status = seen.wanted.status;
  if (seen.name_taken) {
    status.collisions = status.collisions.value_or(0) + 1;
    return *report(seen.wanted, status);
  }
  const std::string name = next_name(seen);
  if (!seen.refusal.empty() && seen.wanted.deadline_seconds) {
    status.set(progressing(
        seen, "False", "ReplicaSetCreateError",
        fmt::format("Failed to create new replica set {}: {}", quoted(name), seen.refusal)));
    if (MaybeOutcome told = report(seen.wanted, status)) return *std::move(told);
  }
  const int64_t replicas = next_size(seen.wanted, sets);
  Annotations annotations = with_revision(seen.wanted, {}, newest_revision(sets.old) + 1);
  put_replicas(annotations, seen.wanted);
  Write write = create_set(seen, name, replicas, annotations);
  if (replicas > 0)
    write.note =
        Note{false, "ScalingReplicaSet",
             fmt::format("Scaled up replica set {} from 0 to {}", name, replicas), "Scale"};
  return Outcome::act(std::move(write));
}

MaybeOutcome clean_up(const Deployment& wanted, const Sets& sets) {
  if (!wanted.history_limit) return std::nullopt;
  std::vector<const ReplicaSet*> alive;
  for (const ReplicaSet* set : sets.old)
    if (set->meta.deletion_timestamp.empty()) alive.push_back(set);
  const auto excess = static_cast<int64_t>(alive.size()) - *wanted.history_limit;
  if (excess <= 0) return std::nullopt;
  std::stable_sort(alive.begin(), alive.end(), [](const ReplicaSet* a, const ReplicaSet* b) {
    const std::optional<int64_t> left = revision_of(a->annotations);
    const std::optional<int64_t> right = revision_of(b->annotations);
    return left && right && *left < *right;
  });
  alive.resize(static_cast<size_t>(excess));
  for (const ReplicaSet* set : alive) {
    if (set->status.replicas != 0 || set->replicas != 0 ||
        set->meta.generation > set->status.observed_generation)
      continue;
    return Outcome::act(control::remove(kube::kReplicaSets, set->object));
  }
  return std::nullopt;
}

MaybeOutcome roll_back(const Seen& seen, const Sets& sets) {
  const auto asked = seen.wanted.annotations.find(std::string(kRollbackTo));
  if (asked == seen.wanted.annotations.end()) return std::nullopt;
  const std::string& text = asked->second;
  int64_t revision = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), revision);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (sets.current == nullptr) return create_current(seen, sets);
  if (revision == 0) revision = second_newest(sets.all());
  constexpr const char* kNotFound = "DeploymentRollbackRevisionNotFound";
  if (revision == 0)
    return give_up_rollback(seen.wanted, kNotFound, "Unable to find last revision.");
  for (const ReplicaSet* set : sets.all())
    if (revision_of(set->annotations) == revision) return roll_back_to(seen.wanted, *set, revision);
  return give_up_rollback(seen.wanted, kNotFound, "Unable to find the revision to rollback to.");
}

}  // namespace holdfast::workloads::deployment
