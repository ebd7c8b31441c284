#include "job/plan.h"

#include <holdfast/model/time.h>

#include "job/tally.h"
#include "job/ttl.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace holdfast::workloads::job {
namespace {

using control::Outcome;
using control::Write;
using std::chrono::seconds;

model::Value json(std::string_view text) {
  auto parsed = model::parse_json(text);
  EXPECT_TRUE(parsed) << text;
  return parsed->value;
}

kube::Cached cached(const model::Value& value) {
  auto object = kube::Cached::from_value(value);
  EXPECT_TRUE(object) << model::to_json(value);
  return *object;
}

constexpr std::string_view kJob = R"({
  "apiVersion": "batch/v1", "kind": "Job",
  "metadata": {"name": "sum", "namespace": "shop", "uid": "job-1", "resourceVersion": "7"},
  "spec": {"parallelism": 2, "completions": 2, "backoffLimit": 1, "completionMode": "NonIndexed",
           "suspend": false, "podReplacementPolicy": "TerminatingOrFailed",
           "selector": {"matchLabels": {"app": "sum"}},
           "template": {"metadata": {"labels": {"app": "sum"}},
                        "spec": {"restartPolicy": "Never", "containers": [{"name": "c"}]}}},
  "status": {}})";

const WallTime kStart = *model::parse_rfc3339("2026-01-01T00:00:00Z");

/// A Job and its pods. step() carries the plan's next write out, as the server would.
class World {
 public:
  World() : job_(json(kJob)) {}

  model::Object& spec() { return model::ensure_object(job_, {"spec"}); }
  model::Value& job() { return job_; }
  std::vector<model::Value>& pods() { return pods_; }
  void pass(seconds time) { now_ += time; }

  Observed seen() const {
    Observed seen;
    seen.job = read_job(cached(job_));
    for (const auto& pod : pods_) seen.pods.push_back(read_job_pod(cached(pod), seen.job));
    seen.now = now_;
    seen.name_taken = [this](std::string_view name) {
      return std::any_of(pods_.begin(), pods_.end(), [&](const auto& pod) {
        return model::string_at(pod, {"metadata", "name"}) == name;
      });
    };
    put_in_order(seen);
    return seen;
  }

  /// "create", "let go", "delete" or "report"; "" when nothing is to be written.
  std::string step() {
    const Outcome outcome = plan(seen());
    again_ = outcome.again;
    const Write* write = outcome.write();
    if (write == nullptr) return "";
    if (write->note) notes_.push_back(write->note->reason);
    if (write->verb == Write::Verb::Update) {
      job_.as_object()["status"] = *model::find(write->body, {"status"});
      return "report";
    }
    if (write->verb == Write::Verb::Create) return create(write->body);
    const auto pod = std::find_if(pods_.begin(), pods_.end(), [&](const auto& each) {
      return model::string_at(each, {"metadata", "name"}) == write->key.name;
    });
    if (write->verb == Write::Verb::Patch) {
      model::erase(*pod, {"metadata", "finalizers"});
      if (!model::string_at(*pod, {"metadata", "deletionTimestamp"}).empty()) pods_.erase(pod);
      return "let go";
    }
    if (model::array_at(*pod, {"metadata", "finalizers"}).empty())
      pods_.erase(pod);
    else
      model::ensure_object(*pod, {"metadata"})["deletionTimestamp"] = model::to_rfc3339(now_);
    return "delete";
  }
  std::vector<std::string> settle() {
    std::vector<std::string> steps;
    for (std::string next = step(); !next.empty(); next = step()) {
      steps.push_back(next);
      if (steps.size() > 100) ADD_FAILURE() << "no end";
      if (steps.size() > 100) break;
    }
    return steps;
  }

  void end_pod(size_t i, std::string_view phase, int exit_code = 0) {
    pods_[i].as_object()["status"] = json(fmt::format(
        R"({{"phase": "{}", "containerStatuses": [{{"name": "c", "state": {{"terminated":
             {{"exitCode": {}, "finishedAt": "{}"}}}}}}]}})",
        phase, exit_code, model::to_rfc3339(now_)));
  }
  void run_pod(size_t i) {
    pods_[i].as_object()["status"] =
        json(R"({"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]})");
  }

  int64_t count(std::string_view field) const { return model::int_at(job_, {"status", field}, 0); }
  std::string reason(std::string_view type) const {
    for (const auto& condition : model::array_at(job_, {"status", "conditions"}))
      if (model::string_at(condition, {"type"}) == type &&
          model::string_at(condition, {"status"}) == "True")
        return std::string(model::string_at(condition, {"reason"}));
    return "";
  }
  std::string text(std::string_view field) const {
    return std::string(model::string_at(job_, {"status", field}));
  }
  std::chrono::milliseconds again() const { return again_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::string create(const model::Value& body) {
    model::Value pod = body;
    model::Object& metadata = model::ensure_object(pod, {"metadata"});
    metadata["uid"] = fmt::format("pod-{}", ++made_);
    metadata["resourceVersion"] = "1";
    pod.as_object()["status"] = json(R"({"phase": "Pending"})");
    pods_.push_back(pod);
    return "create";
  }
  model::Value job_;
  std::vector<model::Value> pods_{};
  std::vector<std::string> notes_{};
  WallTime now_ = kStart;
  std::chrono::milliseconds again_{0};
  int made_ = 0;
};

TEST(JobPlan, StartsTellsAndThenWaitsForItsPods) {
  World world;

  EXPECT_EQ(world.settle(), (std::vector<std::string>{"report", "create", "create", "report"}));

  EXPECT_EQ(world.count("active"), 2);
  EXPECT_EQ(world.text("startTime"), "2026-01-01T00:00:00Z");
  const model::Value& pod = world.pods()[0];
  EXPECT_EQ(model::array_at(pod, {"metadata", "finalizers"})[0], model::Value(kTracking));
  EXPECT_EQ(model::string_at(pod, {"metadata", "generateName"}), "sum-");
}

TEST(JobPlan, CountsAPodOnlyAfterItsUidStoodInTheStatus) {
  World world;
  world.settle();
  world.end_pod(0, "Succeeded");

  EXPECT_EQ(world.step(), "report");
  EXPECT_EQ(model::array_at(world.job(), {"status", "uncountedTerminatedPods", "succeeded"}),
            (model::Array{"pod-1"}));
  EXPECT_EQ(world.count("succeeded"), 0);
  EXPECT_EQ(world.step(), "let go");
  EXPECT_EQ(world.count("succeeded"), 0);
  EXPECT_EQ(world.step(), "report");
  EXPECT_EQ(world.count("succeeded"), 1);
  EXPECT_TRUE(model::object_at(world.job(), {"status", "uncountedTerminatedPods"}).empty());
}

TEST(JobPlan, CompletesWithTheConditionOfTheCriteriaFirst) {
  World world;
  world.settle();
  world.end_pod(0, "Succeeded");
  world.end_pod(1, "Succeeded");

  EXPECT_EQ(world.step(), "report");
  EXPECT_EQ(world.reason("SuccessCriteriaMet"), "CompletionsReached");
  EXPECT_EQ(world.reason("Complete"), "");
  EXPECT_EQ(world.settle(), (std::vector<std::string>{"let go", "let go", "report"}));

  EXPECT_EQ(world.reason("Complete"), "CompletionsReached");
  EXPECT_EQ(world.count("succeeded"), 2);
  EXPECT_EQ(world.count("active"), 0);
  EXPECT_FALSE(world.text("completionTime").empty());
  EXPECT_EQ(world.notes().back(), "Completed");
}

TEST(JobPlan, ReplacesAFailedPodAfterItsPause) {
  World world;
  world.settle();
  world.end_pod(0, "Failed", 1);
  world.settle();

  EXPECT_EQ(world.count("failed"), 1);
  EXPECT_EQ(world.pods().size(), 2U);
  EXPECT_EQ(world.again(), seconds(10));

  world.pass(seconds(10));
  EXPECT_EQ(world.settle(), (std::vector<std::string>{"create", "report"}));
}

TEST(JobPlan, PauseDoublesWithEachFailure) {
  const WallTime last = kStart;
  EXPECT_EQ(backoff_left(0, last, kStart), seconds(0));
  EXPECT_EQ(backoff_left(1, last, kStart + seconds(3)), seconds(7));
  EXPECT_EQ(backoff_left(3, last, kStart), seconds(40));
  EXPECT_EQ(backoff_left(50, last, kStart), std::chrono::minutes(10));
  EXPECT_EQ(backoff_left(1, last, kStart + seconds(11)), seconds(0));
}

TEST(JobPlan, TooManyFailuresEndItAndCountTheRest) {
  World world;
  world.spec()["backoffLimit"] = 0;
  world.settle();
  world.run_pod(1);
  world.end_pod(0, "Failed", 1);

  EXPECT_EQ(world.step(), "report");
  EXPECT_EQ(world.reason("FailureTarget"), "BackoffLimitExceeded");
  world.settle();

  EXPECT_EQ(world.reason("Failed"), "BackoffLimitExceeded");
  EXPECT_EQ(world.count("failed"), 2);
  EXPECT_EQ(world.count("active"), 0);
  EXPECT_EQ(world.notes().back(), "BackoffLimitExceeded");
}

TEST(JobPlan, DoesNotFinishWhileAPodIsTerminating) {
  World world;
  world.spec()["backoffLimit"] = 0;
  world.settle();
  world.end_pod(0, "Failed", 1);
  model::ensure_object(world.pods()[1], {"metadata"})["deletionTimestamp"] = "2026-01-01T00:00:30Z";
  model::ensure_object(world.pods()[1], {"metadata"})["finalizers"] = model::Array{"other"};
  world.settle();

  EXPECT_EQ(world.reason("FailureTarget"), "BackoffLimitExceeded");
  EXPECT_EQ(world.reason("Failed"), "");
  EXPECT_EQ(world.count("terminating"), 1);

  world.pods().erase(world.pods().begin() + 1);
  world.settle();
  EXPECT_EQ(world.reason("Failed"), "BackoffLimitExceeded");
}

TEST(JobPlan, DeadlineEndsIt) {
  World world;
  world.spec()["activeDeadlineSeconds"] = 30;
  world.settle();
  EXPECT_EQ(world.again(), seconds(30));

  world.pass(seconds(30));
  world.settle();

  EXPECT_EQ(world.reason("Failed"), "DeadlineExceeded");
  EXPECT_TRUE(world.pods().empty());
  EXPECT_EQ(world.count("failed"), 2);
}

TEST(JobPlan, SuspendTakesPodsAwayWithoutCountingThem) {
  World world;
  world.settle();
  world.spec()["suspend"] = true;
  world.settle();

  EXPECT_TRUE(world.pods().empty());
  EXPECT_EQ(world.count("failed"), 0);
  EXPECT_EQ(world.count("active"), 0);
  EXPECT_EQ(world.reason("Suspended"), "JobSuspended");

  world.pass(seconds(60));
  world.spec()["suspend"] = false;
  world.settle();
  EXPECT_EQ(world.reason("Suspended"), "");
  EXPECT_EQ(world.text("startTime"), "2026-01-01T00:01:00Z");
  EXPECT_EQ(world.count("active"), 2);
}

TEST(JobPlan, JobMadeSuspendedHasNoStartTime) {
  World world;
  world.spec()["suspend"] = true;
  world.settle();

  EXPECT_EQ(world.text("startTime"), "");
  EXPECT_EQ(world.reason("Suspended"), "JobSuspended");
}

TEST(JobPlan, FewerParallelPodsMeansTheSurplusGoesUncounted) {
  World world;
  world.settle();
  world.spec()["parallelism"] = 1;
  world.settle();

  EXPECT_EQ(world.pods().size(), 1U);
  EXPECT_EQ(world.count("failed"), 0);
}

TEST(JobPlan, WithoutCompletionsTheFirstSuccessIsEnough) {
  World world;
  world.spec().erase("completions");
  world.settle();
  world.end_pod(0, "Succeeded");
  world.settle();
  EXPECT_EQ(world.reason("Complete"), "");
  EXPECT_EQ(world.pods().size(), 2U);

  world.end_pod(1, "Succeeded");
  world.settle();
  EXPECT_EQ(world.reason("Complete"), "CompletionsReached");
}

TEST(JobPlan, OnlyFailedPodsAreReplacedIfAskedFor) {
  World world;
  world.spec()["podReplacementPolicy"] = "Failed";
  world.settle();
  model::ensure_object(world.pods()[0], {"metadata"})["deletionTimestamp"] = "2026-01-01T00:00:30Z";
  world.settle();
  EXPECT_EQ(world.pods().size(), 2U);
  EXPECT_EQ(world.count("terminating"), 1);
}

class IndexedJobPlan : public testing::Test {
 protected:
  IndexedJobPlan() {
    world_.spec()["completionMode"] = "Indexed";
    world_.spec()["completions"] = 3;
  }
  World world_;
};

TEST_F(IndexedJobPlan, PodsKnowTheirIndex) {
  world_.settle();

  ASSERT_EQ(world_.pods().size(), 2U);
  const model::Value& pod = world_.pods()[1];
  EXPECT_EQ(model::string_at(pod, {"metadata", "annotations", kIndexKey}), "1");
  EXPECT_EQ(model::string_at(pod, {"metadata", "labels", kIndexKey}), "1");
  EXPECT_EQ(model::string_at(pod, {"spec", "hostname"}), "sum-1");
  EXPECT_EQ(model::string_at(pod, {"metadata", "generateName"}), "sum-1-");
  const model::Value& variable =
      model::array_at(model::array_at(pod, {"spec", "containers"})[0], {"env"})[0];
  EXPECT_EQ(model::string_at(variable, {"valueFrom", "fieldRef", "fieldPath"}),
            "metadata.labels['batch.kubernetes.io/job-completion-index']");
}

TEST_F(IndexedJobPlan, EachIndexMustSucceed) {
  world_.settle();
  world_.end_pod(1, "Succeeded");
  world_.settle();
  EXPECT_EQ(world_.text("completedIndexes"), "1");
  EXPECT_EQ(world_.count("succeeded"), 1);
  ASSERT_EQ(world_.pods().size(), 3U);
  EXPECT_EQ(model::string_at(world_.pods()[2], {"metadata", "annotations", kIndexKey}), "2");

  world_.end_pod(0, "Succeeded");
  world_.end_pod(2, "Succeeded");
  world_.settle();
  EXPECT_EQ(world_.text("completedIndexes"), "0-2");
  EXPECT_EQ(world_.reason("Complete"), "CompletionsReached");
}

TEST_F(IndexedJobPlan, SuccessPolicyEndsItEarlyAndTheOthersAreNotFailures) {
  world_.spec()["successPolicy"] = json(R"({"rules": [{"succeededIndexes": "0"}]})");
  world_.settle();
  world_.run_pod(1);
  world_.end_pod(0, "Succeeded");
  world_.settle();

  EXPECT_EQ(world_.reason("Complete"), "SuccessPolicy");
  EXPECT_EQ(world_.count("failed"), 0);
  EXPECT_EQ(world_.pods().size(), 1U);
}

TEST_F(IndexedJobPlan, LimitPerIndexFailsTheIndexAndGoesOnWithTheOthers) {
  world_.spec()["backoffLimitPerIndex"] = 0;
  world_.spec()["backoffLimit"] = 100;
  world_.settle();
  world_.end_pod(0, "Failed", 1);
  world_.settle();
  EXPECT_EQ(world_.text("failedIndexes"), "0");
  EXPECT_EQ(world_.pods().size(), 3U);

  world_.end_pod(1, "Succeeded");
  world_.end_pod(2, "Succeeded");
  world_.settle();
  EXPECT_EQ(world_.reason("Failed"), "FailedIndexes");
}

TEST_F(IndexedJobPlan, SuccessorOfAFailedPodTakesItsCountOver) {
  world_.spec()["backoffLimitPerIndex"] = 2;
  world_.spec()["backoffLimit"] = 100;
  world_.settle();
  world_.end_pod(0, "Failed", 1);
  world_.settle();
  EXPECT_EQ(world_.count("failed"), 0);

  world_.pass(seconds(10));
  world_.settle();
  EXPECT_EQ(world_.count("failed"), 1);
  EXPECT_EQ(model::string_at(world_.pods()[2], {"metadata", "annotations", kFailureCount}), "1");
}

TEST(PodFailurePolicy, RulesDecideInOrder) {
  const model::Value policy = json(R"({"rules": [
    {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
    {"action": "FailJob", "onExitCodes": {"containerName": "c", "operator": "In", "values": [42]}},
    {"action": "Count", "onExitCodes": {"operator": "NotIn", "values": [1]}}]})");
  const auto pod = [](int code, std::string_view more = "") {
    return json(fmt::format(
        R"({{"metadata": {{"namespace": "shop", "name": "p"}}, "status": {{{}"containerStatuses":
             [{{"name": "c", "state": {{"terminated": {{"exitCode": {}}}}}}}]}}}})",
        more, code));
  };

  EXPECT_EQ(judge(policy, pod(42)).action, Ruling::Action::FailJob);
  EXPECT_EQ(judge(policy, pod(42)).message,
            "Container c for pod shop/p failed with exit code 42 matching FailJob rule at index 1");
  EXPECT_EQ(judge(policy, pod(3)).action, Ruling::Action::Count);
  EXPECT_EQ(judge(policy, pod(1)).action, Ruling::Action::None);
  EXPECT_EQ(judge(policy, pod(42, R"("conditions": [{"type": "DisruptionTarget",
                                      "status": "True"}],)"))
                .action,
            Ruling::Action::Ignore);
}

TEST(JobTtl, CountsFromTheEnd) {
  World world;
  world.spec()["ttlSecondsAfterFinished"] = 5;
  world.settle();
  EXPECT_FALSE(expires_at(world.job()));

  world.end_pod(0, "Succeeded");
  world.end_pod(1, "Succeeded");
  world.settle();
  ASSERT_TRUE(expires_at(world.job()));
  EXPECT_EQ(*expires_at(world.job()), kStart + seconds(5));
}

}  // namespace
}  // namespace holdfast::workloads::job
