/// The times that a cron expression (model/cron.h) names.
///
/// If both day fields say something, either of them suffices; a field that begins with * and has no
/// step says nothing.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/result.h>
#include <holdfast/model/cron.h>
#include <holdfast/model/fields.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::protect {

class Schedule {
 public:
  /// Invalid names the field and what may stand there. `time_zone` is a name of the IANA database
  /// ("Europe/Berlin"); empty: UTC.
  static Result<Schedule> parse(std::string_view expression, std::string_view time_zone = "");

  /// The first time after that one, on the full minute; with @every, so much later. Where clocks
  /// are put forward, times that do not exist are passed over; where they are put back, times that
  /// exist twice come twice. Nothing if five years hold none (30 February).
  std::optional<WallTime> next(WallTime after) const;

 private:
  struct Local;

  Local local(std::chrono::sys_seconds time) const;
  bool day_fits(const Local& at) const;

  std::array<model::CronField, 5> fields_{};
  std::chrono::seconds every_{0};  ///< of @every
  std::string time_zone_{};
};

/// A schedule that an object asks for.
struct ScheduleWish {
  std::string_view cron{}, time_zone{};
  bool suspend = false;
  std::optional<int64_t> starting_deadline_seconds{};  ///< one that is later is left out
  WallTime since{};                                    ///< seen to until then
  std::string_view task{};                             ///< what it starts
};

/// A schedule as users write it; what it starts is the kind's own field.
struct CronSchedule {
  std::string cron{}, time_zone{};
  bool suspend = false;
  std::optional<int64_t> starting_deadline_seconds{};
  template <class V>
  void fields(V& v) {
    v.required("cron", cron, "cron expression, as in CronJobs");
    v.optional("timeZone", time_zone,
               "time zone of the expression, such as Europe/Berlin; empty: UTC");
    v.defaulted("suspend", suspend, false, "true: the schedule is paused");
    v.optional("startingDeadlineSeconds", starting_deadline_seconds,
               "seconds after which a missed run is skipped", {.minimum = 0});
  }
  /// It refers to what stands here, and to `task`.
  ScheduleWish wish(std::string_view task) const {
    return {.cron = cron,
            .time_zone = time_zone,
            .suspend = suspend,
            .starting_deadline_seconds = starting_deadline_seconds,
            .task = task};
  }
};

/// The time up to which one schedule of an object was seen to, as its status keeps it.
struct ScheduleTime {
  std::string schedule{}, last_scheduled{};
  bool operator==(const ScheduleTime&) const = default;
  template <class V>
  void fields(V& v) {
    v.required("schedule", schedule, "task, cron expression and time zone of the schedule");
    v.optional("lastScheduled", last_scheduled, "time up to which the schedule was evaluated",
               {.format = "date-time"});
  }
};

struct Due {
  /// The last time until now at which a schedule was due and not too late: what was missed is done
  /// once, however often it was missed. Of several it is the one that was seen to longest ago, so
  /// that a frequent one does not keep a rare one from its turn.
  std::optional<WallTime> missed{};
  size_t which = 0;                ///< the place of that one among the wishes
  std::optional<WallTime> next{};  ///< after now, of all of them
  std::optional<Error> error{};    ///< of the last one that cannot be read
};

Due due(const std::vector<ScheduleWish>& wishes, WallTime now);

/// Gives each wish its `since` out of `times`, one that is new there `now`, and returns the times
/// as they are to be kept: one for each wish, in their order.
std::vector<ScheduleTime> times_of(std::vector<ScheduleWish>& wishes,
                                   const std::vector<ScheduleTime>& times, WallTime now);

}  // namespace holdfast::protect
