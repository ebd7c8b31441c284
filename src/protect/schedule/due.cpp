// Due times of several schedules of one object: the missed one, and the next.
#include <holdfast/protect/schedule.h>

namespace holdfast::protect {
namespace {

/// A schedule of every second that nobody saw to for a day; beyond that only the time is inexact.
constexpr int kMostMissed = 100000;

}  // namespace

Due due(const std::vector<ScheduleWish>& wishes, WallTime since, WallTime now) {
  Due out;
  for (size_t i = 0; i < wishes.size(); ++i) {
    const ScheduleWish& each = wishes[i];
    if (each.suspend) continue;
    Result<Schedule> schedule = Schedule::parse(each.cron, each.time_zone);
    if (!schedule) {
      out.error = schedule.take_error();
      continue;
    }
    std::optional<WallTime> at = schedule->next(since), last;
    for (int passed = 0; at && *at <= now && passed < kMostMissed; ++passed) {
      last = at;
      at = schedule->next(*at);
    }
    const bool late = last && each.starting_deadline_seconds &&
                      now - *last > std::chrono::seconds(*each.starting_deadline_seconds);
    if (last && !late && (!out.missed || *last > *out.missed)) {
      out.missed = last;
      out.which = i;
    }
    if (at && (!out.next || *at < *out.next)) out.next = at;
  }
  return out;
}

}  // namespace holdfast::protect
