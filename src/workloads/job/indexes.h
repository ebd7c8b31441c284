/// Sets of completion indexes, as status.completedIndexes writes them: "0,2-5,7,8".
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::workloads::job {

/// Ordered intervals that neither overlap nor touch; a Job may have 100,000 indexes.
class Indexes {
 public:
  Indexes() = default;
  explicit Indexes(const std::set<int64_t>& all);
  /// Indexes from `completions` on are left out; an interval that does not parse is passed over.
  static Indexes parse(std::string_view text, int64_t completions);

  std::string text() const;
  int64_t size() const;
  bool has(int64_t index) const;
  Indexes with(const Indexes& others) const;
  int64_t in_common_with(const Indexes& others) const;
  /// The lowest `count` below `completions` that are not in it.
  std::vector<int64_t> first_missing(int64_t count, int64_t completions) const;
  bool operator==(const Indexes&) const = default;

 private:
  struct Interval {
    int64_t first = 0, last = 0;
    auto operator<=>(const Interval&) const = default;
  };
  void append(Interval next);
  std::vector<Interval> intervals_{};
};

}  // namespace holdfast::workloads::job
