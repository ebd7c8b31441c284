#include "invariants.h"

#include <holdfast/drivers/volumegroup/volume_group_action.h>

#include <fmt/format.h>

#include <set>

namespace holdfast::drivers::volumegroup {
namespace {

using model::Value;
using sim::Commit;
using sim::History;

constexpr std::string_view kMoveLabel = "holdfast.dev/data-move";
constexpr std::string_view kActionOf = "holdfast.dev/action-of";
constexpr std::string_view kRestoredBy = "holdfast.dev/restored-by";

std::string_view annotation(const Commit& commit, std::string_view name) {
  return model::string_at(*commit.object, {"metadata", "annotations", name});
}

bool is_log_pod(const History& history, const Commit& commit) {
  if (history.resources()[commit.resource].plural != "pods") return false;
  for (const Value& each : model::array_at(*commit.object, {"spec", "containers"}))
    if (model::string_at(each, {"name"}) == "log") return true;
  return false;
}

/// Names of the pods of an action that have put a log back: each restore has its own.
std::set<std::string> logs_put_back(const History& history, std::string_view action) {
  std::set<std::string> out;
  for (const Commit& each : history.commits())
    if (is_log_pod(history, each) && annotation(each, kActionOf) == action &&
        model::string_at(*each.object, {"status", "phase"}) == "Succeeded")
      out.insert(each.key.name);
  return out;
}

bool has_log(const History& history, std::string_view action) {
  for (const Commit& each : history.commits())
    if (annotation(each, kActionOf) == action && !annotation(each, kLogOf).empty()) return true;
  return false;
}

}  // namespace

std::optional<std::string> volumes_kept(const History& history, const Commit& commit) {
  if (history.resources()[commit.resource].plural != "persistentvolumes" ||
      commit.kind != Commit::Kind::Deleted)
    return std::nullopt;
  const std::string_view claim = model::string_at(*commit.object, {"spec", "claimRef", "name"});
  if (claim.starts_with("volume-group-action-") || claim.find("staging") != claim.npos)
    return std::nullopt;
  for (const Commit& each : history.commits())
    if (each.kind == Commit::Kind::Created && each.key.name == claim &&
        history.resources()[each.resource].plural == "persistentvolumeclaims" &&
        model::string_at(*each.object, {"metadata", "labels", kMoveLabel}).empty())
      return fmt::format("volume {} of claim {} was deleted", commit.key.name, claim);
  return std::nullopt;
}

std::optional<std::string> one_cut(const History& history, const Commit& commit) {
  const std::string_view plural = history.resources()[commit.resource].plural;
  if ((plural != "volumesnapshots" && plural != "volumegroupsnapshots") ||
      commit.kind != Commit::Kind::Created)
    return std::nullopt;
  const auto of = [](const Value& snapshot) {
    return std::tuple(model::string_at(snapshot, {"metadata", "labels", kActionLabel}),
                      model::string_at(snapshot, {"spec", "source", "persistentVolumeClaimName"}),
                      model::string_at(snapshot, {"metadata", "annotations", kLogOf}));
  };
  if (std::get<0>(of(*commit.object)).empty()) return std::nullopt;
  int count = 0;
  for (const Commit& each : history.commits())
    if (each.resource == commit.resource && each.kind == Commit::Kind::Created &&
        of(*each.object) == of(*commit.object))
      ++count;
  if (count < 2) return std::nullopt;
  return fmt::format("claim {} was cut {} times for one action", std::get<1>(of(*commit.object)),
                     count);
}

std::optional<std::string> log_put_back(const History& history, const Commit& commit) {
  if (commit.kind != Commit::Kind::Created) return std::nullopt;
  const std::string_view action = annotation(commit, kActionOf);
  const std::set<std::string> done = logs_put_back(history, action);
  if (is_log_pod(history, commit) && done.contains(commit.key.name))
    return fmt::format("pod {} puts back a log for the second time", commit.key.name);
  const std::string_view restored = annotation(commit, kRestoredBy);
  if (restored.empty() || history.resources()[commit.resource].plural != "persistentvolumeclaims" ||
      !has_log(history, action))
    return std::nullopt;
  std::set<std::string> restores;
  for (const Commit& each : history.commits())
    if (each.resource == commit.resource && each.kind == Commit::Kind::Created &&
        each.key == commit.key && annotation(each, kActionOf) == action)
      restores.emplace(annotation(each, kRestoredBy));
  restores.erase("");
  if (done.size() >= restores.size()) return std::nullopt;
  return fmt::format("claim {} was made for restore {}, and logs were put back {} times",
                     commit.key.name, restores.size(), done.size());
}

}  // namespace holdfast::drivers::volumegroup
