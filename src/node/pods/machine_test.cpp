// The rules by which a pod's containers are started, restarted and ended.
#include "pods/machine.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace holdfast::node {
namespace {

using namespace std::chrono_literals;
using Kind = Action::Kind;

Pod pod_of(std::string_view spec, std::string_view more = "") {
  const std::string text = std::string(R"({"metadata":{"name":"p","namespace":"n","uid":"u")") +
                           std::string(more) + R"(},"spec":)" + std::string(spec) + "}";
  Result<model::Parsed> parsed = model::parse_json(text);
  EXPECT_TRUE(parsed) << text;
  return read_pod(std::make_shared<const model::Value>(std::move(parsed->value)));
}

constexpr std::string_view kOne = R"({"containers":[{"name":"a"}]})";
constexpr std::string_view kOneNever = R"({"restartPolicy":"Never","containers":[{"name":"a"}]})";

/// A machine with its own clock; what it asks for is answered by hand.
struct Story {
  explicit Story(std::string_view spec, std::string_view more = "")
      : machine(pod_of(spec, more), now) {}

  /// "start a 0", "signal a 15", "" …
  std::string next() {
    const std::optional<Action> action = machine.next(now);
    if (!action) return "";
    switch (action->kind) {
      case Kind::Prepare:
        machine.prepared();
        return "prepare";
      case Kind::Start:
        return "start " + action->container + " " + std::to_string(action->attempt);
      case Kind::PostStart:
        return "postStart " + action->container;
      case Kind::PreStop:
        return "preStop " + action->container;
      case Kind::Signal:
        return "signal " + action->container + " " + std::to_string(action->signal);
      case Kind::Finish:
        machine.finished();
        return "finish";
    }
    return "?";
  }
  void runs(const std::string& name, int64_t attempt = 0) {
    machine.on_record({.id = name + std::to_string(attempt),
                       .name = name,
                       .attempt = attempt,
                       .pid = 7,
                       .started_at = "2026-01-01T00:00:00Z",
                       .finished_at = ""},
                      now);
  }
  void ends(const std::string& name, int64_t code, int64_t attempt = 0) {
    machine.on_record({.id = name + std::to_string(attempt),
                       .name = name,
                       .attempt = attempt,
                       .pid = 0,
                       .started_at = "2026-01-01T00:00:00Z",
                       .finished_at = "2026-01-01T00:00:01Z",
                       .exit_code = code},
                      now);
  }
  MonoTime now{1h};
  PodMachine machine;
};

TEST(PodMachine, InitContainersRunOneByOneThenTheOthersTogether) {
  Story story(R"({"initContainers":[{"name":"i"},{"name":"j"}],
                  "containers":[{"name":"a"},{"name":"b"}]})");
  EXPECT_EQ(story.next(), "prepare");
  EXPECT_EQ(story.next(), "start i 0");
  EXPECT_EQ(story.next(), "");
  story.runs("i");
  EXPECT_EQ(story.next(), "");
  EXPECT_EQ(story.machine.phase(), "Pending");
  story.ends("i", 0);
  EXPECT_EQ(story.next(), "start j 0");
  story.ends("j", 0);
  EXPECT_EQ(story.next(), "start a 0");
  story.runs("a");
  EXPECT_EQ(story.next(), "start b 0");
  EXPECT_EQ(story.machine.phase(), "Pending");
  story.runs("b");
  EXPECT_EQ(story.machine.phase(), "Running");
  EXPECT_EQ(story.next(), "");
}

TEST(PodMachine, FirstRestartComesAtOnceTheNextAfterGrowingPauses) {
  Story story(kOne);
  story.next();
  EXPECT_EQ(story.next(), "start a 0");
  story.ends("a", 1);
  EXPECT_EQ(story.next(), "start a 1");
  story.ends("a", 1, 1);
  for (const auto pause : {10s, 20s, 40s, 80s, 160s, 300s, 300s}) {
    const int64_t attempt = story.machine.of("a").record->attempt;
    EXPECT_EQ(story.next(), "");
    EXPECT_TRUE(story.machine.crash_looping("a", story.now));
    EXPECT_EQ(story.machine.phase(), "Running");
    story.now += pause - 1s;
    EXPECT_EQ(story.next(), "") << pause.count();
    EXPECT_EQ(story.machine.wake(story.now), story.now + 1s);
    story.now += 1s;
    EXPECT_EQ(story.next(), "start a " + std::to_string(attempt + 1)) << pause.count();
    story.ends("a", 1, attempt + 1);
  }
}

TEST(PodMachine, PauseIsForgottenAfterTenMinutesOfRunning) {
  Story story(kOne);
  story.next();
  story.next();
  story.ends("a", 1);
  story.next();
  story.ends("a", 1, 1);
  story.now += 10s;
  EXPECT_EQ(story.next(), "start a 2");
  story.runs("a", 2);
  story.now += 601s;
  story.ends("a", 1, 2);
  story.now += 20s;
  EXPECT_EQ(story.next(), "start a 3");
  EXPECT_EQ(story.machine.of("a").crash_pause, 10s);
}

TEST(PodMachine, RestartPoliciesDecideTheEnd) {
  struct Case {
    std::string_view policy;
    int64_t code;
    std::string_view next, phase;
  };
  for (const Case& each : {Case{"Never", 0, "finish", "Succeeded"},
                           {"Never", 3, "finish", "Failed"},
                           {"OnFailure", 0, "finish", "Succeeded"},
                           {"OnFailure", 3, "start a 1", "Running"},
                           {"Always", 0, "start a 1", "Running"}}) {
    Story story(std::string(R"({"restartPolicy":")") + std::string(each.policy) +
                R"(","containers":[{"name":"a"}]})");
    story.next();
    story.next();
    story.ends("a", each.code);
    EXPECT_EQ(story.next(), each.next) << each.policy << each.code;
    EXPECT_EQ(story.machine.phase(), each.phase) << each.policy << each.code;
  }
}

TEST(PodMachine, FailedInitContainerEndsAPodThatNeverRestarts) {
  Story story(R"({"restartPolicy":"Never","initContainers":[{"name":"i"}],
                  "containers":[{"name":"a"}]})");
  story.next();
  EXPECT_EQ(story.next(), "start i 0");
  story.ends("i", 1);
  EXPECT_EQ(story.next(), "finish");
  EXPECT_EQ(story.machine.phase(), "Failed");
}

TEST(PodMachine, SidecarsStartFirstAndEndLast) {
  Story story(R"({"restartPolicy":"Never","initContainers":[{"name":"s","restartPolicy":"Always"},
                  {"name":"t","restartPolicy":"Always"}],"containers":[{"name":"a"}]})");
  story.next();
  EXPECT_EQ(story.next(), "start s 0");
  story.runs("s");
  EXPECT_EQ(story.next(), "start t 0");
  story.runs("t");
  EXPECT_EQ(story.next(), "start a 0");
  story.runs("a");
  story.ends("a", 0);
  EXPECT_EQ(story.next(), "signal t 15");
  EXPECT_EQ(story.next(), "");
  story.ends("t", 0);
  EXPECT_EQ(story.next(), "signal s 15");
  story.ends("s", 0);
  EXPECT_EQ(story.next(), "finish");
  EXPECT_EQ(story.machine.phase(), "Succeeded");
}

TEST(PodMachine, DeletionGivesGraceThenKills) {
  Story story(kOne,
              R"(,"deletionTimestamp":"2026-01-01T00:00:00Z","deletionGracePeriodSeconds":5)");
  story.machine.adopt({{.id = "a0",
                        .name = "a",
                        .attempt = 0,
                        .pid = 7,
                        .started_at = "2026-01-01T00:00:00Z",
                        .finished_at = ""}},
                      true, story.now);
  EXPECT_EQ(story.next(), "signal a 15");
  EXPECT_EQ(story.next(), "");
  story.now += 5s;
  EXPECT_EQ(story.next(), "signal a 9");
  EXPECT_EQ(story.next(), "");
  story.ends("a", 137);
  EXPECT_EQ(story.next(), "finish");
}

TEST(PodMachine, PreStopRunsBeforeTheSignalWithinTheGrace) {
  const std::string_view spec =
      R"({"containers":[{"name":"a","lifecycle":{"preStop":{"exec":{"command":["x"]}}}}]})";
  Story story(spec,
              R"(,"deletionTimestamp":"2026-01-01T00:00:00Z","deletionGracePeriodSeconds":5)");
  story.machine.adopt({{.id = "a0",
                        .name = "a",
                        .attempt = 0,
                        .pid = 7,
                        .started_at = "2026-01-01T00:00:00Z",
                        .finished_at = ""}},
                      true, story.now);
  EXPECT_EQ(story.next(), "preStop a");
  EXPECT_EQ(story.next(), "");
  story.now += 5s;
  EXPECT_EQ(story.next(), "signal a 15") << "the grace is over";
  EXPECT_EQ(story.next(), "");
  story.now += 2s;
  EXPECT_EQ(story.next(), "signal a 9") << "two seconds are always given";
}

TEST(PodMachine, PostStartHoldsBackTheNextContainerAndItsFailureRestarts) {
  Story story(R"({"containers":[{"name":"a","lifecycle":{"postStart":{"exec":{"command":["x"]}}}},
                  {"name":"b"}]})");
  story.next();
  story.next();
  story.runs("a");
  EXPECT_EQ(story.next(), "postStart a");
  EXPECT_EQ(story.next(), "");
  story.machine.hook_done("a", Kind::PostStart, false, story.now);
  EXPECT_EQ(story.next(), "signal a 15");
  EXPECT_EQ(story.next(), "start b 0");
}

TEST(PodMachine, DeadlineEndsThePodAsFailed) {
  Story story(R"({"activeDeadlineSeconds":10,"containers":[{"name":"a"}]})");
  story.next();
  story.next();
  story.runs("a");
  story.now += 10s;
  EXPECT_EQ(story.next(), "signal a 15");
  story.ends("a", 143);
  EXPECT_EQ(story.next(), "finish");
  EXPECT_EQ(story.machine.phase(), "Failed");
  EXPECT_EQ(story.machine.end_reason(), "DeadlineExceeded");
}

TEST(PodMachine, UnhealthyContainerIsEndedAndStartedAgain) {
  Story story(kOne);
  story.next();
  story.next();
  story.runs("a");
  EXPECT_EQ(story.next(), "");
  story.machine.unhealthy("a", "why", 3s, story.now);
  EXPECT_EQ(story.next(), "signal a 15");
  story.now += 3s;
  EXPECT_EQ(story.next(), "signal a 9");
  story.ends("a", 137);
  EXPECT_EQ(story.next(), "start a 1");
}

TEST(PodMachine, MissingImageIsTriedAgainAfterPauses) {
  Story story(kOne);
  story.next();
  EXPECT_EQ(story.next(), "start a 0");
  story.machine.refused("a", "ErrImagePull", "not there", true, story.now);
  EXPECT_EQ(story.next(), "");
  // A first look soon, since the image may have come; the pull itself waits for the pause.
  story.now += 2s;
  EXPECT_EQ(story.next(), "start a 0");
  story.machine.pull_later("a", "back-off");
  EXPECT_EQ(story.machine.of("a").waiting_reason, "ImagePullBackOff");
  story.now += 7s;
  EXPECT_EQ(story.next(), "");
  story.now += 1s;
  EXPECT_EQ(story.next(), "start a 0");
  story.machine.refused("a", "ErrImagePull", "not there", true, story.now);
  EXPECT_EQ(story.machine.of("a").pull_at, story.now + 20s);
}

TEST(PodMachine, APodWhoseShimDiedIsPreparedAgain) {
  Story story(kOne);
  story.next();
  story.machine.prepared();
  story.next();
  story.runs("a");

  story.machine.adopt({*story.machine.of("a").record}, false, story.now);
  story.machine.not_prepared("", "", story.now);

  EXPECT_EQ(story.next(), "prepare");
  story.machine.prepared();
  EXPECT_EQ(story.next(), "start a 1");
}

TEST(PodMachine, RunsWhoseEndNobodySawCountAsEndedAndBeginAgain) {
  Story story(kOne);
  story.machine.adopt({{.id = "a0",
                        .name = "a",
                        .attempt = 0,
                        .pid = 7,
                        .started_at = "2026-01-01T00:00:00Z",
                        .finished_at = ""}},
                      false, story.now);
  EXPECT_EQ(story.next(), "prepare");
  EXPECT_EQ(story.next(), "start a 1");
}

TEST(PodMachine, TakesOverWhatStillRuns) {
  Story story(kOneNever);
  story.machine.adopt({{.id = "a0",
                        .name = "a",
                        .attempt = 0,
                        .pid = 7,
                        .started_at = "2026-01-01T00:00:00Z",
                        .finished_at = ""}},
                      true, story.now);
  EXPECT_EQ(story.next(), "");
  EXPECT_EQ(story.machine.phase(), "Running");
}

}  // namespace
}  // namespace holdfast::node
