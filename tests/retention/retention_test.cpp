// The verdicts and reasons of our retention beside stock restic's, on what chance draws.
#include <holdfast/base/process.h>
#include <holdfast/base/text.h>
#include <holdfast/blob/stores.h>
#include <holdfast/repo/forget.h>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <cstdlib>
#include <filesystem>
#include <map>

namespace holdfast::repo {
namespace {

using Verdicts = std::map<std::string, std::vector<std::string>>;  ///< kept: by time, the reasons

struct Retention : testing::Test {
  void SetUp() override {
    const char* named = std::getenv("HOLDFAST_RESTIC");
    restic_ = named == nullptr ? "restic" : named;
    const auto version = output_of({restic_, "version"});
    if (!version) GTEST_SKIP() << "no " << restic_ << " on this machine";
    keeps_oldest_ = !version->starts_with("restic 0.14");
    folder_ = std::filesystem::path(testing::TempDir()) / ("retention-" + random_.uuid());
    ::setenv("RESTIC_PASSWORD", "secret", 1);
    auto store = blob::file_store(folder_ / "repo", true);
    ASSERT_TRUE(store) << store.error().what();
    auto made = init(store.take(), "secret", {}, around_);
    ASSERT_TRUE(made) << made.error().what();
    repository_ = made.take();
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  /// Times gather in bunches, so that hours, days and weeks have several and none.
  Snapshot draw_snapshot(SeededRandom& chance, int64_t& seconds) {
    const int64_t steps[] = {61, 1800, 7200, 90'000, 700'000, 3'000'000, 20'000'000};
    seconds -= int64_t(chance.below(uint64_t(steps[chance.below(7)]))) + 1;
    const int offsets[] = {0, 60, -300, 330};
    const int offset = offsets[chance.below(4)] * 60;
    const auto local = std::chrono::sys_seconds(std::chrono::seconds(seconds + offset));
    const auto day = std::chrono::floor<std::chrono::days>(local);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(local - day);
    Snapshot out;
    out.time_text = fmt::format(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:09}{}", int(date.year()), unsigned(date.month()),
        unsigned(date.day()), clock.hours().count(), clock.minutes().count(),
        clock.seconds().count(), chance.below(90'000'000) * 10 + 100'000'001,
        offset == 0 ? "Z"
                    : fmt::format("{}{:02}:{:02}", offset < 0 ? '-' : '+', std::abs(offset) / 3600,
                                  std::abs(offset) / 60 % 60));
    out.time = WallTime(std::chrono::seconds(seconds));
    out.paths = {"/data"};
    out.host = "host";
    if (chance.below(3) == 0) out.tags = {"a"};
    if (chance.below(5) == 0) out.tags.emplace_back("b");
    return out;
  }

  struct Drawn {
    KeepPolicy policy{};
    std::vector<std::string> flags{};
  };
  static Drawn draw_policy(SeededRandom& chance) {
    Drawn out;
    const auto number = [&](const char* flag, int& into) {
      if (chance.below(3) != 0) return;
      into = int(chance.below(12)) + 1;
      out.flags.push_back(fmt::format("--keep-{}={}", flag, into));
    };
    const auto span = [&](const char* flag, CalendarSpan& into) {
      if (chance.below(5) != 0) return;
      const char* spans[] = {"3h", "2d", "1m", "5m7d", "1y", "2y5m7d3h", "13m", "31d12h"};
      const char* text = spans[chance.below(8)];
      into = parse_span(text).take();
      out.flags.push_back(fmt::format("--keep-{}={}", flag, text));
    };
    number("last", out.policy.last);
    number("hourly", out.policy.hourly);
    number("daily", out.policy.daily);
    number("weekly", out.policy.weekly);
    number("monthly", out.policy.monthly);
    number("yearly", out.policy.yearly);
    span("within", out.policy.within);
    span("within-hourly", out.policy.within_hourly);
    span("within-daily", out.policy.within_daily);
    span("within-weekly", out.policy.within_weekly);
    span("within-monthly", out.policy.within_monthly);
    span("within-yearly", out.policy.within_yearly);
    if (chance.below(6) == 0) {
      out.policy.tags = {{"a"}, {"a", "b"}};
      out.flags.insert(out.flags.end(), {"--keep-tag=a", "--keep-tag=a,b"});
    }
    if (out.flags.empty()) {
      out.policy.last = 1;
      out.flags.emplace_back("--keep-last=1");
    }
    return out;
  }

  Verdicts of_restic(const std::vector<std::string>& flags) {
    std::vector<std::string> words{restic_,     "-r",     folder_ / "repo", "--no-cache",
                                   "--no-lock", "forget", "--dry-run",      "--json"};
    words.insert(words.end(), flags.begin(), flags.end());
    const auto printed = output_of(words);
    EXPECT_TRUE(printed) << printed.error().what();
    Verdicts out;
    simdjson::dom::parser parser;
    const simdjson::padded_string padded(*printed);
    for (auto group : parser.parse(padded).get_array())
      for (auto reason : group["reasons"].get_array()) {
        const std::string_view time = reason["snapshot"]["time"].get_string();
        for (auto match : reason["matches"].get_array())
          out[std::string(time)].emplace_back(std::string_view(match.get_string()));
      }
    return out;
  }

  static std::string told(const Verdicts& verdicts) {
    std::string out;
    for (const auto& [time, reasons] : verdicts) out += time + ": " + join(reasons, ", ") + "\n";
    return out;
  }

  Verdicts of_ours(const std::vector<Snapshot>& snapshots, const KeepPolicy& policy) {
    Verdicts out;
    for (const Kept& kept : apply_policy(snapshots, policy, clock_.now())) {
      std::vector<std::string> reasons = kept.reasons;
      if (!keeps_oldest_)
        std::erase_if(reasons, [](const std::string& r) { return r.starts_with("oldest "); });
      if (!reasons.empty()) out[kept.snapshot.time_text] = reasons;
    }
    return out;
  }

  SystemClock clock_{};
  SystemRandom random_{};
  Surroundings around_{.clock = clock_, .random = random_, .host = "host", .user = "user"};
  std::string restic_;
  bool keeps_oldest_ = true;  ///< the end of the list, also where its hour, day, … has one already
  std::filesystem::path folder_;
  std::unique_ptr<Opened> repository_;
};

TEST_F(Retention, KeepsWhatResticKeepsForTheSameReasons) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    SeededRandom chance(seed);
    std::vector<Snapshot> snapshots;
    int64_t seconds = 1'700'000'000 + int64_t(chance.below(50'000'000));
    for (int i = 0; i < 60; ++i) {
      snapshots.push_back(draw_snapshot(chance, seconds));
      ASSERT_TRUE(save_snapshot(*repository_, snapshots.back()));
    }
    for (int i = 0; i < 6; ++i) {
      const Drawn drawn = draw_policy(chance);
      EXPECT_EQ(told(of_ours(snapshots, drawn.policy)), told(of_restic(drawn.flags)))
          << "seed " << seed << ": " << join(drawn.flags, " ");
    }
    std::vector<Id> ids;
    for (const Snapshot& snapshot : snapshots) ids.push_back(snapshot.id);
    ASSERT_TRUE(forget(*repository_, ids));
  }
}

}  // namespace
}  // namespace holdfast::repo
