/// Map of owners for a restore, as rsync's --usermap and --groupmap have it:
///
///   FROM:TO[,FROM:TO…]      FROM is a number, a range 1000-1999, or * for all; TO is a number
///
/// The first that fits counts; what none fits keeps its number.
#pragma once

#include <holdfast/base/result.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace holdfast::cli {

class OwnerMap {
 public:
  /// Invalid names the part that is wrong. "" maps nothing.
  static Result<OwnerMap> parse(std::string_view text);

  bool empty() const { return rules_.empty(); }
  uint32_t operator()(uint32_t id) const;

 private:
  struct Rule {
    uint32_t first = 0, last = 0, to = 0;
  };
  static Result<Rule> parse_rule(std::string_view text);

  std::vector<Rule> rules_{};
};

}  // namespace holdfast::cli
