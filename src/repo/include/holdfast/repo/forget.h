/// Retention of snapshots, by restic's rules to the word.
#pragma once

#include <holdfast/repo/snapshot.h>

#include <compare>

namespace holdfast::repo {

/// "2y5m7d3h": years, months, days and hours, counted back on the calendar.
struct CalendarSpan {
  int years = 0, months = 0, days = 0, hours = 0;
  bool operator==(const CalendarSpan&) const = default;
  bool zero() const { return *this == CalendarSpan(); }
  std::string text() const;
};
Result<CalendarSpan> parse_span(std::string_view text);

struct KeepPolicy {
  int last = 0, hourly = 0, daily = 0, weekly = 0, monthly = 0, yearly = 0;  ///< -1 = all
  CalendarSpan within{};
  CalendarSpan within_hourly{}, within_daily{}, within_weekly{}, within_monthly{}, within_yearly{};
  std::vector<std::vector<std::string>> tags{};  ///< any of these sets, all of its tags
  bool empty() const;
};

struct Kept {
  Snapshot snapshot{};
  bool keep = false;
  std::vector<std::string> reasons{};  ///< as restic words them: "daily snapshot", "within 7d"
};

/// Its writer wants it to stay, whatever a policy says (rustic's --delete-never, --delete-after).
bool is_protected(const Snapshot& snapshot, WallTime now);

/// Pure. Of the snapshots of one group; newest first. An empty policy keeps all. One that is
/// protected stays, and counts for no rule. Spans count back
/// from the newest snapshot that is not later than `now`. Hours, days and weeks are those of the
/// place where the snapshot was made.
std::vector<Kept> apply_policy(std::vector<Snapshot> snapshots, const KeepPolicy& policy,
                               WallTime now);

struct GroupBy {
  bool host = true, paths = true, tags = false;
};
/// "host,paths,tags", any of them in any order, or "" for one group of all.
Result<GroupBy> parse_group_by(std::string_view text);

struct SnapshotGroup {
  std::string host{};
  std::vector<std::string> paths{}, tags{};  ///< sorted; empty where they do not divide
  std::vector<Snapshot> snapshots{};
  auto key() const { return std::tie(host, paths, tags); }
};
std::vector<SnapshotGroup> group_snapshots(const std::vector<Snapshot>& snapshots,
                                           const GroupBy& by);

struct ForgetGroup {
  SnapshotGroup group{};
  std::vector<Kept> verdicts{};  ///< newest first
};
/// Each group by the policy. A policy that would leave nothing of a group keeps its newest snapshot
/// for which `whole` holds, or the newest if none does; unless told that all may go.
std::vector<ForgetGroup> plan_forget(const std::vector<Snapshot>& snapshots, const GroupBy& by,
                                     const KeepPolicy& policy, WallTime now,
                                     const std::function<bool(const Snapshot&)>& whole,
                                     bool may_remove_all = false);

/// Removes snapshots; their data stays until prune. What could not be removed is named.
Result<void> forget(Opened& repository, const std::vector<Id>& snapshots);

struct TagChange {
  std::optional<std::vector<std::string>> set{};
  std::vector<std::string> add{}, remove{};
};
/// Writes the snapshot with other tags, then removes the old one; `original` keeps the first id.
/// Nothing if the tags are as wanted already.
Result<std::optional<Snapshot>> change_tags(Opened& repository, const Snapshot& snapshot,
                                            const TagChange& change);

}  // namespace holdfast::repo
