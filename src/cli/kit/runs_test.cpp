// Runs in words: the step under way, and an ending with what to do about it.
#include <holdfast/cli/runs.h>

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

const kube::Resource kThings{"x.dev", "v1", "things", "Thing", true};
const EndingOf kWhose{kThings, "a", "shop", "holdfast thing describe"};

TEST(Runs, StandAtTheirFirstStepThatIsNotOver) {
  const std::vector<StepText> steps{{.name = "cut", .state = "Completed"},
                                    {.name = "copy", .state = "Started"},
                                    {.name = "list", .state = "Pending"}};
  EXPECT_EQ(stage_text("Started", steps), "Started  copy, 2 of 3");
  EXPECT_EQ(stage_text("Started", {}), "Started");
}

TEST(Runs, StepsAreToldWithTheTimeThatTheyTook) {
  Sheet sheet;
  tell_steps(sheet, "Story",
             {{.name = "cut",
               .state = "Completed",
               .started = "2026-01-02T03:04:05.000000Z",
               .finished = "2026-01-02T03:04:05.048000Z"},
              {.name = "copy", .state = "Started", .started = "2026-01-02T03:04:06.000000Z"}});
  const std::string text = sheet.text();
  EXPECT_NE(text.find("2026-01-02T03:04:05.000000Z  0.048 s"), std::string::npos) << text;
}

TEST(Runs, EndWithTheAdviceOfTheirReason) {
  const std::vector<Advice> advice{{"InUse", "stop it: x stop {name} -n {ns}"}};
  model::Condition condition;
  condition.status = "False";
  condition.reason = "InUse";
  condition.message = "by pod b";
  const Ending known = ending_by(&condition, kWhose, advice);
  EXPECT_EQ(known.code, codes::kFailed);
  EXPECT_EQ(known.said, "a: InUse: by pod b");
  EXPECT_EQ(known.next, "stop it: x stop a -n shop");
  EXPECT_EQ(ending_by(&condition, kWhose, {}).next, "more: holdfast thing describe a -n shop");
  EXPECT_EQ(ending_by(nullptr, kWhose, advice).said, "a: Unknown: it ended without a message");
  condition.status = "True";
  const Ending good = ending_by(&condition, kWhose, advice);
  EXPECT_EQ(good.code, codes::kDone);
  EXPECT_EQ(good.said, "thing.x.dev/a: InUse: by pod b");
  EXPECT_EQ(good.next, "");
}

TEST(Runs, ATrialFailsOnlyForWhatWouldFail) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(tell_trial("a backup", {}), codes::kDone);
  EXPECT_EQ(tell_trial("a backup", {.code = codes::kPartly, .said = "half"}), codes::kDone);
  EXPECT_EQ(tell_trial("a backup", {.code = codes::kFailed, .said = "no"}), codes::kFailed);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "error: a backup would fail: half\nerror: a backup would fail: no\n");
}

}  // namespace
}  // namespace holdfast::cli
