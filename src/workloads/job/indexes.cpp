#include "job/indexes.h"

#include <holdfast/base/text.h>

#include <algorithm>
#include <charconv>

namespace holdfast::workloads::job {

namespace {

bool read_number(std::string_view text, int64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Indexes::Indexes(const std::set<int64_t>& all) {
  for (const int64_t index : all) append({index, index});
}

void Indexes::append(Interval next) {
  if (intervals_.empty() || next.first > intervals_.back().last + 1)
    intervals_.push_back(next);
  else
    intervals_.back().last = std::max(intervals_.back().last, next.last);
}

Indexes Indexes::parse(std::string_view text, int64_t completions) {
  Indexes result;
  if (text.empty()) return result;
  for (const std::string_view part : split(text, ',')) {
    const std::vector<std::string_view> limits = split(part, '-');
    Interval interval;
    if (!read_number(limits[0], interval.first)) continue;
    if (interval.first >= completions) break;
    interval.last = interval.first;
    if (limits.size() > 1 && !read_number(limits[1], interval.last)) continue;
    interval.last = std::min(interval.last, completions - 1);
    result.append(interval);
  }
  return result;
}

std::string Indexes::text() const {
  std::string out;
  for (const Interval& interval : intervals_) {
    if (!out.empty()) out += ',';
    out += std::to_string(interval.first);
    if (interval.last == interval.first) continue;
    out += interval.last == interval.first + 1 ? ',' : '-';
    out += std::to_string(interval.last);
  }
  return out;
}

int64_t Indexes::size() const {
  int64_t total = 0;
  for (const Interval& interval : intervals_) total += interval.last - interval.first + 1;
  return total;
}

bool Indexes::has(int64_t index) const {
  const auto after =
      std::upper_bound(intervals_.begin(), intervals_.end(), index,
                       [](int64_t value, const Interval& each) { return value < each.first; });
  return after != intervals_.begin() && std::prev(after)->last >= index;
}

Indexes Indexes::with(const Indexes& others) const {
  std::vector<Interval> all;
  std::merge(intervals_.begin(), intervals_.end(), others.intervals_.begin(),
             others.intervals_.end(), std::back_inserter(all));
  Indexes result;
  for (const Interval& interval : all) result.append(interval);
  return result;
}

int64_t Indexes::in_common_with(const Indexes& others) const {
  int64_t common = 0;
  auto a = intervals_.begin();
  auto b = others.intervals_.begin();
  while (a != intervals_.end() && b != others.intervals_.end()) {
    const int64_t overlap = std::min(a->last, b->last) - std::max(a->first, b->first) + 1;
    common += std::max<int64_t>(overlap, 0);
    if (a->last < b->last)
      ++a;
    else
      ++b;
  }
  return common;
}

std::vector<int64_t> Indexes::first_missing(int64_t count, int64_t completions) const {
  std::vector<int64_t> missing;
  int64_t candidate = 0;
  const auto take_until = [&](int64_t end) {
    for (; candidate < std::min(end, completions) && int64_t(missing.size()) < count; ++candidate)
      missing.push_back(candidate);
  };
  for (const Interval& interval : intervals_) {
    take_until(interval.first);
    candidate = std::max(candidate, interval.last + 1);
  }
  take_until(completions);
  return missing;
}

}  // namespace holdfast::workloads::job
