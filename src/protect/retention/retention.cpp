// Retention of points, by the rules that repo has for snapshots.
#include <holdfast/protect/retention.h>
#include <holdfast/repo/forget.h>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace holdfast::protect {
namespace {

int count_of(const std::optional<int64_t>& count) {
  return int(std::clamp<int64_t>(count.value_or(0), 0, std::numeric_limits<int>::max()));
}

Result<repo::KeepPolicy> rules_of(const RetentionPolicy& policy) {
  repo::KeepPolicy rules;
  rules.last = count_of(policy.keep_last);
  rules.daily = count_of(policy.keep_daily);
  rules.weekly = count_of(policy.keep_weekly);
  rules.monthly = count_of(policy.keep_monthly);
  rules.yearly = count_of(policy.keep_yearly);
  if (!policy.keep_within.empty()) rules.within = HF_TRY(repo::parse_span(policy.keep_within));
  return rules;
}

/// Places of those that `pick` wants, the newest first.
template <class Pick>
std::vector<size_t> places(const std::vector<RetainedPoint>& points, const Pick& pick) {
  std::vector<size_t> out;
  for (size_t at = 0; at < points.size(); ++at)
    if (pick(points[at])) out.push_back(at);
  std::stable_sort(out.begin(), out.end(),
                   [&points](size_t a, size_t b) { return points[a].time > points[b].time; });
  return out;
}

}  // namespace

std::string objection(const RetentionPolicy& policy) {
  for (const auto& [name, count] :
       {std::pair("keepLast", policy.keep_last), std::pair("keepDaily", policy.keep_daily),
        std::pair("keepWeekly", policy.keep_weekly), std::pair("keepMonthly", policy.keep_monthly),
        std::pair("keepYearly", policy.keep_yearly)})
    if (count.value_or(0) < 0) return fmt::format("{}: {} is less than none", name, *count);
  const Result<repo::KeepPolicy> rules = rules_of(policy);
  if (rules) return "";
  return fmt::format("keepWithin: {}: {}", rules.error().what(), rules.error().hint());
}

std::vector<size_t> expired(const std::vector<RetainedPoint>& points, const RetentionPolicy& policy,
                            WallTime now) {
  const Result<repo::KeepPolicy> rules = rules_of(policy);
  const std::vector<size_t> good =
      places(points, [](const RetainedPoint& each) { return each.good && !each.running; });
  if (!rules || rules->empty() || good.empty()) return {};
  std::vector<repo::Snapshot> snapshots(good.size());
  for (size_t i = 0; i < good.size(); ++i) snapshots[i].time = points[good[i]].time;
  // They come back in the order that they have already: the newest first.
  const std::vector<repo::Kept> verdicts = repo::apply_policy(std::move(snapshots), *rules, now);
  const WallTime newest = points[good.front()].time;
  std::vector<bool> goes(points.size());
  for (size_t i = 1; i < good.size(); ++i) goes[good[i]] = !verdicts[i].keep;
  for (size_t at = 0; at < points.size(); ++at)
    if (!points[at].good && !points[at].running) goes[at] = points[at].time < newest;
  std::vector<size_t> out = places(
      points, [&](const RetainedPoint& each) { return goes[size_t(&each - points.data())]; });
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace holdfast::protect
