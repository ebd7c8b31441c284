// Retention policy, as restic's ApplyPolicy decides. Each rule looks at the snapshots from the
// newest to the oldest and keeps the first one of each hour, day, … as long as it may keep more.
#include <holdfast/base/text.h>

#include "retention/calendar.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::repo {
namespace {

using Bucket = int64_t (*)(const NodeTime&);

struct CountRule {
  int left = 0;
  Bucket bucket = nullptr;  ///< nothing: every snapshot is its own
  std::string_view reason{};
  std::optional<int64_t> seen{};
};

struct WithinRule {
  CalendarSpan span{};
  Bucket bucket = nullptr;
  std::string_view reason{};
  std::optional<int64_t> seen{};
};

bool has_tags(const Snapshot& snapshot, const std::vector<std::string>& tags) {
  for (const std::string& tag : tags) {
    if (tag.empty() && snapshot.tags.empty()) return true;
    if (std::find(snapshot.tags.begin(), snapshot.tags.end(), tag) == snapshot.tags.end())
      return false;
  }
  return true;
}

/// The newest that does not lie in the future; the beginning of time if all do.
NodeTime latest(const std::vector<Kept>& list, WallTime now) {
  NodeTime found{.seconds = -62135596800};
  for (const Kept& each : list) {
    const NodeTime time = time_of(each.snapshot);
    if (earlier(found, time) && each.snapshot.time < now) found = time;
  }
  return found;
}

class Rules {
 public:
  Rules(const KeepPolicy& policy, const NodeTime& newest)
      : policy_(policy),
        newest_(newest),
        counts_{{policy.last, nullptr, "last snapshot", {}},
                {policy.hourly, hour_of, "hourly snapshot", {}},
                {policy.daily, day_of, "daily snapshot", {}},
                {policy.weekly, week_of, "weekly snapshot", {}},
                {policy.monthly, month_of, "monthly snapshot", {}},
                {policy.yearly, year_of, "yearly snapshot", {}}},
        withins_{{policy.within_hourly, hour_of, "hourly within", {}},
                 {policy.within_daily, day_of, "daily within", {}},
                 {policy.within_weekly, week_of, "weekly within", {}},
                 {policy.within_monthly, month_of, "monthly within", {}},
                 {policy.within_yearly, year_of, "yearly within", {}}} {}

  void judge(Kept& kept, bool oldest) {
    const NodeTime time = time_of(kept.snapshot);
    for (const std::vector<std::string>& tags : policy_.tags)
      if (has_tags(kept.snapshot, tags))
        kept.reasons.push_back(fmt::format("has tags [{}]", join(tags, ", ")));
    if (lies_within(time, policy_.within))
      kept.reasons.push_back("within " + policy_.within.text());
    for (CountRule& rule : counts_) count(rule, time, oldest, kept.reasons);
    for (WithinRule& rule : withins_) {
      if (!lies_within(time, rule.span)) continue;
      const int64_t bucket = rule.bucket(time);
      if (rule.seen == bucket && !oldest) continue;
      kept.reasons.push_back(fmt::format("{}{} {}", rule.seen == bucket ? "oldest " : "",
                                         rule.reason, rule.span.text()));
      rule.seen = bucket;
    }
    kept.keep = !kept.reasons.empty();
  }

 private:
  bool lies_within(const NodeTime& time, const CalendarSpan& span) const {
    return !span.zero() && earlier(back_by(newest_, span), time);
  }

  static void count(CountRule& rule, const NodeTime& time, bool oldest,
                    std::vector<std::string>& reasons) {
    if (rule.left == 0) return;
    const std::optional<int64_t> bucket =
        rule.bucket == nullptr ? std::nullopt : std::optional(rule.bucket(time));
    const bool again = bucket && rule.seen == bucket;
    if (again && !oldest) return;
    rule.seen = bucket;
    if (rule.left > 0) --rule.left;
    reasons.push_back(fmt::format("{}{}", again ? "oldest " : "", rule.reason));
  }

  const KeepPolicy& policy_;
  const NodeTime newest_;
  CountRule counts_[6];
  WithinRule withins_[5];
};

}  // namespace

bool KeepPolicy::empty() const {
  return last == 0 && hourly == 0 && daily == 0 && weekly == 0 && monthly == 0 && yearly == 0 &&
         within.zero() && within_hourly.zero() && within_daily.zero() && within_weekly.zero() &&
         within_monthly.zero() && within_yearly.zero() && tags.empty();
}

bool is_protected(const Snapshot& snapshot, WallTime now) {
  return snapshot.keep_until && now <= *snapshot.keep_until;
}

std::vector<Kept> apply_policy(std::vector<Snapshot> snapshots, const KeepPolicy& policy,
                               WallTime now) {
  std::stable_sort(snapshots.begin(), snapshots.end(), [](const Snapshot& a, const Snapshot& b) {
    return earlier(time_of(b), time_of(a));
  });
  std::vector<Kept> list;
  list.reserve(snapshots.size());
  for (Snapshot& snapshot : snapshots) list.push_back({std::move(snapshot), false, {}});
  Rules rules(policy, latest(list, now));
  for (Kept& kept : list) {
    if (policy.empty())
      kept = {std::move(kept.snapshot), true, {"policy is empty"}};
    else if (is_protected(kept.snapshot, now))
      kept = {std::move(kept.snapshot), true, {"protected"}};
    else
      rules.judge(kept, &kept == &list.back());
  }
  return list;
}

}  // namespace holdfast::repo
