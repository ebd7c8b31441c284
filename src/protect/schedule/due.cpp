// Due times of several schedules of one object: the missed one, and the next.
#include <holdfast/base/text.h>
#include <holdfast/model/time.h>
#include <holdfast/protect/schedule.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;

/// A schedule of every second that nobody saw to for a day; beyond that only the time is inexact.
constexpr int kMostMissed = 100000;
/// A longer deadline is none.
constexpr std::chrono::seconds kLongestDeadline = std::chrono::hours(24 * 365);

std::optional<std::chrono::seconds> deadline_of(const ScheduleWish& wish) {
  if (!wish.starting_deadline_seconds) return std::nullopt;
  return std::min(std::chrono::seconds(*wish.starting_deadline_seconds), kLongestDeadline);
}

/// What a schedule is known by: edited into another one it begins anew.
std::string name_of(const ScheduleWish& wish) {
  return std::string(
      trim(fmt::format("{} {} {}", wish.task, trim(wish.cron), trim(wish.time_zone))));
}

}  // namespace

std::vector<ScheduleTime> times_of(std::vector<ScheduleWish>& wishes,
                                   const std::vector<ScheduleTime>& times, WallTime now) {
  std::vector<ScheduleTime> out;
  for (ScheduleWish& each : wishes) {
    std::optional<WallTime> seen_to;
    const std::string name = name_of(each);
    for (const ScheduleTime& time : times)
      if (time.schedule == name)  // the latest, where two are alike
        seen_to = std::max(seen_to, model::parse_rfc3339(time.last_scheduled));
    each.since = seen_to.value_or(now);
    out.push_back({name, model::to_rfc3339(each.since)});
  }
  return out;
}

Due due(const std::vector<ScheduleWish>& wishes, WallTime now) {
  Due out;
  for (size_t i = 0; i < wishes.size(); ++i) {
    const ScheduleWish& each = wishes[i];
    if (each.suspend) continue;
    Result<Schedule> schedule = Schedule::parse(each.cron, each.time_zone);
    if (!schedule) {
      out.error = schedule.take_error();
      continue;
    }
    // What is too late anyway is not counted through.
    const std::optional<std::chrono::seconds> deadline = deadline_of(each);
    const WallTime since = deadline ? std::max(each.since, now - *deadline - 1s) : each.since;
    std::optional<WallTime> at = schedule->next(since), last;
    for (int passed = 0; at && *at <= now && passed < kMostMissed; ++passed) {
      last = at;
      at = schedule->next(*at);
    }
    const bool late = last && deadline && now - *last > *deadline;
    if (last && !late && (!out.missed || each.since < wishes[out.which].since)) {
      out.missed = last;
      out.which = i;
    }
    if (at && (!out.next || *at < *out.next)) out.next = at;
  }
  return out;
}

}  // namespace holdfast::protect
