/// Retention of points in time: restic's rules, for points that are more than one snapshot.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/model/fields.h>

#include <optional>
#include <string>
#include <vector>

namespace holdfast::protect {

/// A point stays if any rule keeps it. Without a rule all do.
struct RetentionPolicy {
  std::optional<int64_t> keep_last{}, keep_daily{}, keep_weekly{}, keep_monthly{}, keep_yearly{};
  std::string keep_within{};
  template <class V>
  void fields(V& v) {
    v.optional("keepLast", keep_last, "number of the newest to keep", {.minimum = 0});
    v.optional("keepDaily", keep_daily, "number of days of which the newest is kept",
               {.minimum = 0});
    v.optional("keepWeekly", keep_weekly,
               "number of weeks of which the newest is kept; weeks begin on Monday",
               {.minimum = 0});
    v.optional("keepMonthly", keep_monthly, "number of months of which the newest is kept",
               {.minimum = 0});
    v.optional("keepYearly", keep_yearly, "number of years of which the newest is kept",
               {.minimum = 0});
    v.optional("keepWithin", keep_within,
               "time before the newest within which all are kept: 1y6m7d12h",
               {.pattern = "^([0-9]+[ymdh])*$"});
  }
};

/// What is wrong with it, beginning with the field; "" if nothing is.
std::string objection(const RetentionPolicy& policy);

struct RetainedPoint {
  WallTime time{};
  bool good = false;     ///< complete, and proven
  bool running = false;  ///< not over yet: nobody knows what it will be
};

/// Which points may go, the oldest first, by their places in `points`. Only good ones count for
/// the rules, so that failures never push a good one out; a failure may go as soon as a later point
/// is good. What is running never goes, nor does the newest good one. A policy that is empty, or
/// that cannot be read, lets nothing go. Days begin at midnight UTC.
std::vector<size_t> expired(const std::vector<RetainedPoint>& points, const RetentionPolicy& policy,
                            WallTime now);

}  // namespace holdfast::protect
