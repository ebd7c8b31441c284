/// The times that a cron expression (model/cron.h) names.
///
/// If both day fields say something, either of them suffices; a field that begins with * and has no
/// step says nothing.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/result.h>
#include <holdfast/model/cron.h>

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
};

struct Due {
  /// The last time until now at which one was due and not too late: what was missed is done once,
  /// however often it was missed.
  std::optional<WallTime> missed{};
  size_t which = 0;                ///< the place of that one among the wishes
  std::optional<WallTime> next{};  ///< after now, of all of them
  std::optional<Error> error{};    ///< of the last one that cannot be read
};

/// Seen to until `since`.
Due due(const std::vector<ScheduleWish>& wishes, WallTime since, WallTime now);

}  // namespace holdfast::protect
