/// Cron expressions as Kubernetes' CronJob takes them.
///
///   MINUTE HOUR DAY-OF-MONTH MONTH DAY-OF-WEEK
///     0-59  0-23   1-31       1-12     0-6        jan-dec, sun-sat in any case
///   each: * or ?, N, N-M, any of these with /STEP (N/STEP runs to the end), in lists with commas
///   or @yearly @annually @monthly @weekly @daily @midnight @hourly, or @every DURATION
///
/// What is wrong is a value, not a sentence: the server answers in the real server's words, our own
/// kinds in ours.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace holdfast::model {

enum CronFieldIndex : size_t { kCronMinute, kCronHour, kCronDay, kCronMonth, kCronWeekday };

struct CronBounds {
  std::string_view name;
  unsigned least, most;
};
inline constexpr std::array<CronBounds, 5> kCronBounds = {{{"minute", 0, 59},
                                                           {"hour", 0, 23},
                                                           {"day of month", 1, 31},
                                                           {"month", 1, 12},
                                                           {"day of week", 0, 6}}};

struct CronField {
  uint64_t values = 0;  ///< bit N: the value N
  bool any = false;     ///< an entry is * without a step: the field says nothing
  bool has(unsigned value) const { return ((values >> value) & 1U) != 0; }
};

/// Views point into the text that was parsed.
struct CronFault {
  enum class Kind {
    FieldCount,  ///< `words` are not 5
    Descriptor,  ///< no @name of this kind
    Duration,    ///< `word` after @every
    Number,      ///< `word` is no number (nor a name)
    TooLarge,    ///< `word` is more than an int holds
    Negative,    ///< `word`, which is `number`
    Hyphens,     ///< more than one
    Slashes,     ///< more than one
    BelowLeast,  ///< the range begins at `first`
    AboveMost,   ///< the range ends at `last`
    Backwards,   ///< from `first` to `last`
    ZeroStep,
    Gap,      ///< an entry of the list is empty; `entry` is the whole field
    StarEnd,  ///< "*-5"
    Plus,     ///< "+5"
  };
  Kind kind{};
  size_t field = 0;
  std::string_view entry{}, word{};
  bool in_step = false;  ///< `word` stands after the slash
  int64_t number = 0;
  uint64_t first = 0, last = 0;
  std::vector<std::string_view> words{};
};

struct Cron {
  std::array<CronField, 5> fields{};
  std::optional<std::chrono::nanoseconds> every{};  ///< of @every: then no field counts
  /// The first that Kubernetes lets pass though nobody can mean it: Gap, StarEnd or Plus.
  std::optional<CronFault> oddity{};
};

/// Without white space before an @.
std::variant<Cron, CronFault> parse_cron(std::string_view text);

}  // namespace holdfast::model
