/// Cron expressions as Kubernetes' CronJob takes them, and the times that they name.
///
///   MINUTE HOUR DAY-OF-MONTH MONTH DAY-OF-WEEK
///     0-59  0-23   1-31       1-12     0-6        jan-dec, sun-sat in any case
///   each: * or ?, N, N-M, any of these with /STEP (N/STEP runs to the end), in lists with commas
///   or @yearly @annually @monthly @weekly @daily @midnight @hourly, or @every DURATION
///
/// If both day fields say something, either of them suffices; a field that begins with * and has no
/// step says nothing.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/result.h>

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

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
  struct Field {
    uint64_t values = 0;  ///< bit N: the value N
    bool any = false;     ///< says nothing
    bool has(unsigned value) const { return ((values >> value) & 1U) != 0; }
  };
  struct Local;

  static Result<Field> parse_field(size_t which, std::string_view text);
  Result<void> parse_fields(std::string_view expression);
  Local local(std::chrono::sys_seconds time) const;
  bool day_fits(const Local& at) const;

  std::array<Field, 5> fields_{};
  std::chrono::seconds every_{0};  ///< of @every
  std::string time_zone_{};
};

}  // namespace holdfast::protect
