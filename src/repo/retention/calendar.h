/// Times of snapshots on the calendar of the place where they were made.
#pragma once

#include <holdfast/repo/forget.h>
#include <holdfast/repo/tree.h>

namespace holdfast::repo {

/// With nanoseconds and offset, as the snapshot says it.
NodeTime time_of(const Snapshot& snapshot);
bool earlier(const NodeTime& a, const NodeTime& b);

/// A number that is the same for all times of one hour, day, ISO week, month or year.
int64_t hour_of(const NodeTime& time);
int64_t day_of(const NodeTime& time);
int64_t week_of(const NodeTime& time);
int64_t month_of(const NodeTime& time);
int64_t year_of(const NodeTime& time);

/// Days that a month does not have run over into the next, as Go's AddDate has it.
NodeTime back_by(const NodeTime& time, const CalendarSpan& span);

}  // namespace holdfast::repo
