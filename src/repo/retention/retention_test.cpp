#include <holdfast/repo/forget.h>

#include "upkeep/sample.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace holdfast::repo {
namespace {

Snapshot at(const std::string& time, std::vector<std::string> tags = {}) {
  Snapshot out;
  out.time_text = time;
  out.time = wall_time(*parse_time(time));
  out.tags = std::move(tags);
  return out;
}

std::vector<std::string> kept(const std::vector<Kept>& verdicts) {
  std::vector<std::string> out;
  for (const Kept& each : verdicts)
    if (each.keep) out.push_back(each.snapshot.time_text);
  return out;
}

const WallTime kNow = wall_time(*parse_time("2026-01-01T00:00:00Z"));

TEST(CalendarSpan, ReadsWhatResticReads) {
  EXPECT_EQ(parse_span("2y5m7d3h").take(), (CalendarSpan{2, 5, 7, 3}));
  EXPECT_EQ(parse_span("3h")->text(), "3h");
  for (const char* wrong : {"", "3", "h", "3w", "-1d", "1d2"}) EXPECT_FALSE(parse_span(wrong));
}

TEST(Policy, CountsDaysWhereTheSnapshotWasMade) {
  // One day in Kolkata, two in Greenwich.
  const auto verdicts = apply_policy(
      {at("2025-03-01T23:30:00Z"), at("2025-03-02T00:10:00Z"), at("2025-03-02T23:00:00+05:30")},
      {.daily = 2}, kNow);

  EXPECT_EQ(kept(verdicts),
            (std::vector<std::string>{"2025-03-02T23:00:00+05:30", "2025-03-01T23:30:00Z"}));
}

TEST(Policy, CountsBackFromTheNewestThatIsNotInTheFuture) {
  const auto verdicts = apply_policy({at("2030-01-01T00:00:00Z"), at("2025-03-31T00:00:00Z"),
                                      at("2025-03-03T00:00:01Z"), at("2025-03-02T00:00:00Z")},
                                     {.within = parse_span("1m").take()}, kNow);

  // A month before the 31st of March is the 31st of February: the 3rd of March.
  EXPECT_EQ(kept(verdicts),
            (std::vector<std::string>{"2030-01-01T00:00:00Z", "2025-03-31T00:00:00Z",
                                      "2025-03-03T00:00:01Z"}));
}

TEST(Policy, WeeksAreThoseOfIso) {
  // Monday 2024-12-30 is of week 1 of 2025; Sunday 2024-12-29 is not.
  const auto verdicts = apply_policy(
      {at("2025-01-05T10:00:00Z"), at("2024-12-30T00:00:00Z"), at("2024-12-29T23:00:00Z"),
       at("2024-12-23T00:00:00Z"), at("2024-12-22T00:00:00Z")},
      {.weekly = 2}, kNow);

  EXPECT_EQ(kept(verdicts),
            (std::vector<std::string>{"2025-01-05T10:00:00Z", "2024-12-29T23:00:00Z"}));
}

TEST(Policy, AnEmptyOneKeepsAll) {
  const auto verdicts = apply_policy({at("2025-01-01T00:00:00Z")}, {}, kNow);
  EXPECT_EQ(verdicts[0].reasons, (std::vector<std::string>{"policy is empty"}));
}

TEST(Policy, LetsOthersProtectTheirSnapshots) {
  const auto told = [](const std::string& day, const std::string& text) {
    return parse_snapshot(
               fmt::format(R"({{"time":"2025-03-{}T00:00:00Z","tree":"{}","delete":{}}})", day,
                           Id().hex(), text),
               Id())
        .take();
  };
  // Now is 2026-01-01: the fourth has had its time, the fifth says what nobody knows.
  const auto verdicts =
      apply_policy({at("2025-03-09T00:00:00Z"), told("01", R"("Never")"), told("02", R"("NotSet")"),
                    told("03", R"({"After":"2026-01-01T01:30:00.5+01:00[Europe/Berlin]"})"),
                    told("04", R"({"After":"2026-01-01T00:30:00+01:00[Europe/Berlin]"})"),
                    told("05", R"({"Sometimes":true})"), told("06", "null")},
                   {.last = 1}, kNow);

  EXPECT_EQ(kept(verdicts),
            (std::vector<std::string>{"2025-03-09T00:00:00Z", "2025-03-05T00:00:00Z",
                                      "2025-03-03T00:00:00Z", "2025-03-01T00:00:00Z"}));
}

TEST(ForgetPlan, NeverTakesTheLastGoodOneOfAGroup) {
  Snapshot broken = at("2025-01-03T00:00:00Z"), good = at("2025-01-02T00:00:00Z"),
           old = at("2025-01-01T00:00:00Z"), other = at("2025-01-01T00:00:00Z");
  other.host = "elsewhere";
  const auto whole = [](const Snapshot& s) { return s.time_text != "2025-01-03T00:00:00Z"; };
  const KeepPolicy policy{.tags = {{"none has it"}}};

  const auto plan = plan_forget({broken, good, old, other}, {}, policy, kNow, whole);

  ASSERT_EQ(plan.size(), 2U);
  EXPECT_EQ(kept(plan[0].verdicts), (std::vector<std::string>{good.time_text}));
  EXPECT_EQ(plan[1].group.host, "elsewhere");
  EXPECT_EQ(kept(plan[1].verdicts).size(), 1U);
  const auto all = plan_forget({broken, good}, {}, policy, kNow, whole, true);
  EXPECT_TRUE(kept(all[0].verdicts).empty());
}

TEST(Tags, AreRewrittenAndTheFirstIdIsKept) {
  Sample sample;
  const Snapshot first = sample.back_up({{"a", "b"}});
  const auto repository = sample.open();

  const auto second = change_tags(*repository, first, {.add = {"x", "y"}});
  ASSERT_TRUE(second && *second);
  const auto third = change_tags(*repository, **second, {.remove = {"x"}});
  ASSERT_TRUE(third && *third);

  EXPECT_EQ((*third)->tags, (std::vector<std::string>{"y"}));
  EXPECT_EQ((*third)->original, first.id);
  EXPECT_EQ(sample.names("snapshots/").size(), 1U);
  EXPECT_FALSE(*change_tags(*repository, **third, {.set = {{"y"}}}));
}

TEST(Tags, LeaveTheMembersOfOthersAsTheyAre) {
  Sample sample;
  const auto repository = sample.open();
  const std::string members =
      R"(,"label":"kept","delete":"Never","parents":["a"],"description":"of \u00fcs")";
  const std::string counted = R"(,"command":"rustic backup","backup_duration":1.5e-3)";
  Snapshot first = sample.back_up({{"a", "b"}});
  first.others = members;
  first.summary = {.backup_start = "2026-01-01T00:00:00Z", .files_new = 7, .others = counted};
  ASSERT_TRUE(save_snapshot(*repository, first));
  const Snapshot read = find_snapshot(*repository, first.id.hex(), {}).take();

  const auto second = change_tags(*repository, read, {.add = {"x"}});

  ASSERT_TRUE(second && *second);
  const Snapshot last = find_snapshot(*repository, (*second)->id.hex(), {}).take();
  EXPECT_EQ(last.others, members);
  ASSERT_TRUE(last.summary);
  EXPECT_EQ(last.summary->others, counted);
  EXPECT_EQ(last.summary->files_new, 7U);
}

TEST(AppendOnly, NothingThatWasBackedUpGoes) {
  Sample sample;
  const Snapshot first = sample.back_up({{"a", "b"}});
  sample.config.append_only = true;
  const auto repository = sample.open();
  ASSERT_TRUE(sample.open()->save(FileType::Snapshot, "{}"));
  const auto before = std::pair(sample.names("snapshots/"), sample.names("index/"));

  const Result<void> gone = forget(*repository, {first.id});
  const auto tagged = change_tags(*repository, first, {.add = {"x"}});

  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().fault(), Fault::Invalid);
  EXPECT_FALSE(tagged);
  EXPECT_FALSE(repository->remove(FileType::Index, Id()));
  EXPECT_EQ(std::pair(sample.names("snapshots/"), sample.names("index/")), before);
  const Id lock = repository->save(FileType::Lock, "{}").take();
  EXPECT_TRUE(repository->remove(FileType::Lock, lock));
}

}  // namespace
}  // namespace holdfast::repo
