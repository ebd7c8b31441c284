#include "deployment/plan.h"

#include <holdfast/model/time.h>

#include "deployment/rollout.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace holdfast::workloads::deployment {
namespace {

using namespace std::chrono_literals;
using Do = Step::Do;

const WallTime kNow = *model::parse_rfc3339("2026-01-01T12:00:00Z");

model::Value template_of(int version) {
  return model::parse_json(
             fmt::format(R"({{"metadata":{{"labels":{{"app":"web"}}}},"spec":{{"version":{}}}}})",
                         version))
      ->value;
}

/// A Deployment and its ReplicaSets, moved by the plan alone; their controller is played by
/// `obey` and `make_ready`.
struct World {
  Seen seen{};
  int created = 0;

  World(int64_t replicas, int64_t surge, int64_t unavailable) {
    Deployment& wanted = seen.wanted;
    wanted.meta.ns = "shop";
    wanted.meta.name = "web";
    wanted.meta.uid = "web-uid";
    wanted.meta.generation = 1;
    wanted.created = kNow - 1h;
    wanted.replicas = replicas;
    wanted.surge = surge;
    wanted.unavailable = unavailable;
    wanted.deadline_seconds = 600;
    wanted.history_limit = 10;
    wanted.selector = *model::LabelSelector::parse("app=web");
    use(1);
    seen.now = kNow;
  }

  void use(int version) {
    ++seen.wanted.meta.generation;
    seen.wanted.pod_template = template_of(version);
    seen.next_hash = "v" + std::to_string(version);
  }

  ReplicaSet* find(const std::string& name) {
    for (ReplicaSet& set : seen.sets)
      if (set.meta.name == name) return &set;
    return nullptr;
  }

  int64_t size(const std::string& name) { return find(name) ? find(name)->replicas : -1; }

  void create(const Step& step) {
    ReplicaSet set;
    set.meta.ns = "shop";
    set.meta.name = set.meta.uid = step.set.meta.name;
    set.meta.generation = 1;
    set.meta.labels = {{"app", "web"}};
    set.meta.owners = {{"apps/v1", "Deployment", "web", "web-uid", true, true}};
    set.created = kNow + std::chrono::seconds(++created);
    set.annotations = step.annotations;
    set.replicas = step.replicas;
    set.min_ready_seconds = seen.wanted.min_ready_seconds;
    set.pod_template = seen.wanted.pod_template;
    seen.sets.push_back(std::move(set));
  }

  /// Carries one step out; false if there was none.
  bool step() {
    const Step step = plan(seen);
    ReplicaSet* set = find(step.set.meta.name);
    switch (step.what) {
      case Do::Nothing:
        return false;
      case Do::CreateSet:
        create(step);
        break;
      case Do::UpdateSet:
        if (set->replicas != step.replicas) ++set->meta.generation;
        set->replicas = step.replicas;
        set->annotations = step.annotations;
        if (step.min_ready) set->min_ready_seconds = seen.wanted.min_ready_seconds;
        break;
      case Do::DeleteSet:
        std::erase_if(seen.sets,
                      [&](const ReplicaSet& each) { return each.meta.name == step.set.meta.name; });
        break;
      case Do::Report:
        seen.wanted.status = step.status;
        seen.wanted.annotations = step.annotations;
        break;
      case Do::RollBack:
        seen.wanted.annotations = step.annotations;
        seen.wanted.pod_template = step.pod_template;
        break;
      case Do::Adopt:
      case Do::Release:
        ADD_FAILURE() << "nothing to claim";
        return false;
    }
    return true;
  }

  void rest() {
    for (int steps = 0; step(); ++steps) ASSERT_LT(steps, 100) << "the plan never rests";
  }

  /// What the ReplicaSet controller does about sizes: no pod gets ready by it.
  void obey() {
    for (ReplicaSet& set : seen.sets) {
      set.status.replicas = set.replicas;
      set.status.available = set.status.ready = std::min(set.status.available, set.replicas);
      set.status.observed_generation = set.meta.generation;
    }
  }

  bool make_one_ready(const std::string& name) {
    ReplicaSet* set = find(name);
    if (set == nullptr || set->status.available >= set->replicas) return false;
    set->status.replicas = set->replicas;
    set->status.ready = ++set->status.available;
    return true;
  }

  void check_bounds() {
    int64_t all = 0, available = 0;
    for (const ReplicaSet& set : seen.sets) {
      all += set.replicas;
      available += std::min(set.status.available, set.replicas);
    }
    EXPECT_LE(all, seen.wanted.replicas + seen.wanted.surge);
    EXPECT_GE(available, seen.wanted.replicas - seen.wanted.unavailable);
  }

  /// The rollout of `version`, all pods getting ready one by one, bounds checked at every step.
  void roll_out(int version, bool check = true) {
    const std::string name = "web-v" + std::to_string(version);
    for (int rounds = 0; rounds < 200; ++rounds) {
      while (step())
        if (check) check_bounds();
      obey();
      if (!make_one_ready(name) && !step()) return;
    }
    ADD_FAILURE() << "the rollout never ends";
  }

  std::string progress() const {
    const Condition* found = seen.wanted.status.find("Progressing");
    return found != nullptr ? found->status + " " + found->reason : "";
  }
};

TEST(DeploymentPlan, BeginsWithAReplicaSetOfRevisionOne) {
  World world(3, 1, 1);
  world.seen.wanted.annotations = {{"owner", "me"},
                                   {"kubectl.kubernetes.io/last-applied-configuration", "{}"}};

  const Step step = plan(world.seen);

  EXPECT_EQ(step.what, Do::CreateSet);
  EXPECT_EQ(step.set.meta.name, "web-v1");
  EXPECT_EQ(step.replicas, 3);
  EXPECT_EQ(step.annotations, (Annotations{{"deployment.kubernetes.io/desired-replicas", "3"},
                                           {"deployment.kubernetes.io/max-replicas", "4"},
                                           {"deployment.kubernetes.io/revision", "1"},
                                           {"owner", "me"}}));
  EXPECT_EQ(step.note->message, "Scaled up replica set web-v1 from 0 to 3");
}

TEST(DeploymentPlan, TellsOfCreationProgressAndSuccess) {
  World world(2, 1, 0);

  ASSERT_TRUE(world.step());
  ASSERT_TRUE(world.step());
  EXPECT_EQ(world.progress(), "True NewReplicaSetCreated");
  EXPECT_EQ(world.seen.wanted.annotations[std::string(kRevision)], "1");
  world.rest();
  world.obey();
  world.rest();
  EXPECT_EQ(world.progress(), "True ReplicaSetUpdated");
  EXPECT_EQ(world.seen.wanted.status.find("Available")->reason, "MinimumReplicasUnavailable");
  world.roll_out(1, false);
  EXPECT_EQ(world.progress(), "True NewReplicaSetAvailable");
  EXPECT_EQ(world.seen.wanted.status.find("Progressing")->message,
            "ReplicaSet \"web-v1\" has successfully progressed.");
  EXPECT_EQ(world.seen.wanted.status.find("Available")->reason, "MinimumReplicasAvailable");
}

TEST(DeploymentPlan, KeepsItsBoundsThroughEveryStepOfARollout) {
  for (const int64_t replicas : {1, 2, 3, 5, 10})
    for (const auto& [surge, unavailable] : {std::pair{1, 0}, {0, 1}, {1, 1}, {3, 2}, {10, 0}}) {
      SCOPED_TRACE(
          fmt::format("{} replicas, surge {}, unavailable {}", replicas, surge, unavailable));
      World world(replicas, surge, std::min<int64_t>(unavailable, replicas));
      world.roll_out(1, false);
      world.use(2);
      world.roll_out(2);

      EXPECT_EQ(world.size("web-v1"), 0);
      EXPECT_EQ(world.size("web-v2"), replicas);
      EXPECT_EQ(world.progress(), "True NewReplicaSetAvailable");
      EXPECT_EQ(world.seen.wanted.annotations[std::string(kRevision)], "2");
    }
}

TEST(DeploymentPlan, StopsAtTheBoundsWhileNewPodsAreNotReady) {
  World world(10, 3, 2);
  world.roll_out(1, false);
  world.use(2);
  world.rest();
  world.obey();
  world.rest();

  EXPECT_EQ(world.size("web-v1"), 8);
  EXPECT_EQ(world.size("web-v2"), 5);
}

TEST(DeploymentPlan, UnhealthyOldPodsGoFirst) {
  World world(4, 1, 1);
  world.roll_out(1, false);
  world.use(2);
  for (int i = 0; i < 4; ++i) {
    world.rest();
    world.obey();
  }
  ASSERT_EQ(world.size("web-v2"), 2);
  world.use(3);
  for (int i = 0; i < 4; ++i) {
    world.rest();
    world.obey();
  }

  EXPECT_EQ(world.size("web-v1"), 3);
  EXPECT_EQ(world.size("web-v2"), 0) << "none of them was ready";
  EXPECT_EQ(world.size("web-v3"), 2);
}

TEST(DeploymentPlan, WaitsForAReplicaSetThatHasNotYetSeenItsNewSize) {
  World world(4, 3, 2);
  world.roll_out(1, false);
  world.use(2);
  world.rest();
  world.obey();
  world.rest();
  ReplicaSet& old = *world.find("web-v1");
  ASSERT_EQ(old.replicas, 2);
  // Scaled down a moment ago; the status is still that of the larger size.
  old.status.available = old.status.ready = old.status.replicas = 6;

  for (int i = 0; i < 5; ++i) world.step();

  EXPECT_EQ(world.size("web-v1"), 2);
}

TEST(DeploymentPlan, ScalesInProportionDuringARollout) {
  World world(10, 3, 2);
  world.roll_out(1, false);
  world.use(2);
  for (int i = 0; i < 4; ++i) {
    world.rest();
    world.obey();
  }
  ASSERT_EQ(world.size("web-v1"), 8);
  ASSERT_EQ(world.size("web-v2"), 5);

  ++world.seen.wanted.meta.generation;
  world.seen.wanted.replicas = 20;
  world.seen.wanted.surge = 6;
  world.rest();

  // 26 pods may exist, where 13 might before: both double.
  EXPECT_EQ(world.size("web-v1"), 16);
  EXPECT_EQ(world.size("web-v2"), 10);
}

TEST(DeploymentPlan, UndoGivesAnOldReplicaSetANewRevision) {
  World world(2, 1, 0);
  world.roll_out(1, false);
  world.use(2);
  world.roll_out(2);
  world.use(1);
  world.roll_out(1);

  const Annotations& annotations = world.find("web-v1")->annotations;
  EXPECT_EQ(annotations.at(std::string(kRevision)), "3");
  EXPECT_EQ(annotations.at(std::string(kHistory)), "1");
  EXPECT_EQ(world.seen.wanted.annotations[std::string(kRevision)], "3");
}

TEST(DeploymentPlan, TheOldAnnotationRollsBackToo) {
  World world(2, 1, 0);
  world.roll_out(1, false);
  world.use(2);
  world.roll_out(2);
  world.seen.wanted.annotations[std::string(kRollbackTo)] = "0";

  const Step step = plan(world.seen);

  ASSERT_EQ(step.what, Do::RollBack);
  EXPECT_TRUE(model::equal(step.pod_template, template_of(1)));
  EXPECT_FALSE(step.annotations.contains(std::string(kRollbackTo)));
  EXPECT_EQ(step.note->message, "Rolled back deployment \"web\" to revision 1");
}

TEST(DeploymentPlan, KeepsOnlyAsManyOldReplicaSetsAsAskedFor) {
  World world(1, 1, 0);
  world.seen.wanted.history_limit = 1;
  for (int version = 1; version <= 4; ++version) {
    world.use(version);
    world.roll_out(version, false);
  }

  EXPECT_EQ(world.seen.sets.size(), 2U);
  EXPECT_NE(world.find("web-v3"), nullptr);
}

TEST(DeploymentPlan, PausedItScalesButDoesNotRoll) {
  World world(2, 1, 0);
  world.roll_out(1, false);
  world.seen.wanted.paused = true;
  world.use(2);
  world.rest();

  EXPECT_EQ(world.progress(), "Unknown DeploymentPaused");
  EXPECT_EQ(world.find("web-v2"), nullptr);
  world.seen.wanted.replicas = 5;
  world.rest();
  EXPECT_EQ(world.size("web-v1"), 5);
  world.seen.wanted.paused = false;
  ASSERT_TRUE(world.step());
  EXPECT_EQ(world.progress(), "Unknown DeploymentResumed");
}

TEST(DeploymentPlan, RecreateWaitsForTheLastOldPod) {
  World world(2, 0, 0);
  world.seen.wanted.rolling = false;
  world.roll_out(1, false);
  world.use(2);
  world.rest();
  EXPECT_EQ(world.size("web-v1"), 0);
  EXPECT_EQ(world.find("web-v2"), nullptr) << "the ReplicaSet still counts its pods";
  world.obey();
  world.seen.running = {"web-v1"};
  world.rest();
  EXPECT_EQ(world.find("web-v2"), nullptr) << "a pod is still ending";
  world.seen.running.clear();
  world.rest();
  EXPECT_EQ(world.size("web-v2"), 2);
}

TEST(DeploymentPlan, SaysWhenTheDeadlineHasPassed) {
  World world(2, 1, 0);
  world.seen.wanted.deadline_seconds = 60;
  world.rest();
  world.obey();
  world.rest();

  const Step waiting = plan(world.seen);
  ASSERT_EQ(waiting.what, Do::Nothing);
  EXPECT_EQ(waiting.again, std::chrono::microseconds(60s + 1ms));
  world.seen.now += 60s + 1ms;
  ASSERT_TRUE(world.step());
  EXPECT_EQ(world.progress(), "False ProgressDeadlineExceeded");
  EXPECT_EQ(plan(world.seen).again, std::nullopt);
  world.roll_out(1, false);
  EXPECT_EQ(world.progress(), "True NewReplicaSetAvailable");
}

TEST(DeploymentPlan, ATakenNameCountsAsACollision) {
  World world(1, 1, 0);
  world.seen.name_taken = true;

  const Step step = plan(world.seen);

  EXPECT_EQ(step.what, Do::Report);
  EXPECT_EQ(step.status.collisions, 1);
}

TEST(DeploymentPlan, TellsWhyItsReplicaSetWasRefusedAndTriesAgain) {
  World world(1, 1, 0);
  world.seen.refusal = "replicasets.apps \"web-v1\" is forbidden: no";

  ASSERT_TRUE(world.step());
  EXPECT_EQ(world.progress(), "False ReplicaSetCreateError");
  EXPECT_EQ(world.seen.wanted.status.find("Progressing")->message,
            "Failed to create new replica set \"web-v1\": replicasets.apps \"web-v1\" is "
            "forbidden: no");
  EXPECT_EQ(plan(world.seen).what, Do::CreateSet);
}

TEST(DeploymentPlan, AdoptsAndReleasesBeforeAnythingElse) {
  World world(1, 1, 0);
  world.rest();
  world.seen.sets[0].meta.labels = {{"app", "other"}};
  EXPECT_EQ(plan(world.seen).what, Do::Release);
  world.seen.sets[0].meta.labels = {{"app", "web"}};
  world.seen.sets[0].meta.owners.clear();
  EXPECT_EQ(plan(world.seen).what, Do::Adopt);
}

TEST(ShareOf, RoundsAsAskedAndTakesNumbersAsTheyAre) {
  const model::Value percent("34%"), number(2), odd("many");
  EXPECT_EQ(share_of(&percent, 3, false), 1);
  EXPECT_EQ(share_of(&percent, 3, true), 2);
  EXPECT_EQ(share_of(&number, 3, true), 2);
  EXPECT_EQ(share_of(&odd, 3, true), 0);
  EXPECT_EQ(share_of(nullptr, 3, true), 0);
}

}  // namespace
}  // namespace holdfast::workloads::deployment
