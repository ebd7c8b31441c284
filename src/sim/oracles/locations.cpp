#include "oracles/locations.h"

#include <holdfast/model/time.h>

#include "oracles/normal.h"

#include <fmt/format.h>

namespace holdfast::sim {
namespace {

using model::string_at;

/// Tries are a minute apart, and begin at whole seconds.
constexpr MonoTime kApart = std::chrono::seconds(59);

std::string_view tried(const ObjectPtr& location) {
  return location == nullptr ? std::string_view() : string_at(*location, {"status", "lastChecked"});
}

/// The try of which it tells; nothing if it is none, or none that is new.
std::optional<WallTime> new_try(const History& history, const Commit& commit) {
  if (history.resources()[commit.resource].plural != "backuplocations" ||
      commit.kind == Commit::Kind::Deleted || tried(commit.object) == tried(commit.before))
    return std::nullopt;
  return model::parse_rfc3339(tried(commit.object));
}

}  // namespace

bool Beats::is_one(const Commit& commit, MonoTime now) {
  if (!new_try(history_, commit)) return false;
  const auto last = last_.find(commit.key);
  const bool apart = last == last_.end() || now - last->second >= kApart;
  last_[commit.key] = now;
  return apart && commit.before != nullptr && normal(*commit.object) == normal(*commit.before);
}

std::optional<Violation> judge_location(const History& history, const Commit& commit,
                                        std::optional<WallTime> away) {
  const std::optional<WallTime> at = new_try(history, commit);
  if (!away || !at || *at < *away || string_at(*commit.object, {"status", "phase"}) != "Available")
    return std::nullopt;
  return Violation{"untrue", fmt::format("{} says that the bucket answered at {}, and it was away",
                                         commit.key.text(), tried(commit.object))};
}

}  // namespace holdfast::sim
