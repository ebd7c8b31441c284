#include "deployment/plan.h"

#include <holdfast/model/time.h>

#include "deployment/rollout.h"
#include "pods/claim.h"
#include "pods/pod.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace holdfast::workloads::deployment {
namespace {

using namespace std::chrono_literals;
using control::Outcome;
using control::Write;

const WallTime kNow = *model::parse_rfc3339("2026-01-01T12:00:00Z");

model::Value template_of(int version) {
  return model::parse_json(
             fmt::format(R"({{"metadata":{{"labels":{{"app":"web"}}}},"spec":{{"version":{}}}}})",
                         version))
      ->value;
}

/// `object` as a cache holds it.
kube::Cached cached(model::Value object, std::string_view name, std::string_view uid) {
  model::Object& metadata = model::ensure_object(object, {"metadata"});
  metadata["namespace"] = "shop";
  metadata["name"] = name;
  metadata["uid"] = uid;
  metadata["resourceVersion"] = "7";
  auto out = kube::Cached::from_value(object);
  EXPECT_TRUE(out);
  return *out;
}

/// "create replicasets.apps shop/web-v1"; "" if nothing is written.
std::string written(const Outcome& outcome) {
  return outcome.write() == nullptr ? "" : outcome.write()->text();
}

std::string noted(const Outcome& outcome) {
  return outcome.write() && outcome.write()->note ? outcome.write()->note->message : "";
}

/// A Deployment and its ReplicaSets, moved by the plan alone; their controller is played by
/// `obey` and `make_ready`.
struct World {
  Seen seen{};
  int created = 0;

  World(int64_t replicas, int64_t surge, int64_t unavailable) {
    Deployment& wanted = seen.wanted;
    wanted.object = cached(model::Object(), "web", "web-uid");
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

  void create(const Write& write) {
    ReplicaSet set = read_replica_set(cached(write.body, write.key.name, write.key.name));
    set.meta.generation = 1;
    set.created = kNow + std::chrono::seconds(++created);
    seen.sets.push_back(std::move(set));
  }

  static void update(ReplicaSet& set, const Write& write) {
    const ReplicaSet now = read_replica_set(cached(write.body, write.key.name, write.key.name));
    if (set.replicas != now.replicas) ++set.meta.generation;
    set.object = now.object;
    set.replicas = now.replicas;
    set.annotations = now.annotations;
    set.min_ready_seconds = now.min_ready_seconds;
  }

  void update(const Write& write) {
    const Deployment now = read_deployment(write.body);
    seen.wanted.annotations = now.annotations;
    if (write.subresource == "status")
      seen.wanted.status = now.status;
    else
      seen.wanted.pod_template = now.pod_template;
  }

  /// Carries one step out; false if there was none.
  bool step() {
    const Outcome next = plan(seen);
    if (next.write() == nullptr) return false;
    const Write& write = *next.write();
    if (write.resource == kube::kDeployments) {
      update(write);
    } else if (write.verb == Write::Verb::Create) {
      create(write);
    } else if (write.verb == Write::Verb::Update) {
      update(*find(write.key.name), write);
    } else if (write.verb == Write::Verb::Delete) {
      std::erase_if(seen.sets,
                    [&](const ReplicaSet& each) { return each.meta.name == write.key.name; });
    } else {
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

  const Outcome next = plan(world.seen);

  ASSERT_EQ(written(next), "create replicasets.apps shop/web-v1");
  const ReplicaSet made = read_replica_set(next.write()->body);
  EXPECT_EQ(made.replicas, 3);
  EXPECT_EQ(made.annotations, (Annotations{{"deployment.kubernetes.io/desired-replicas", "3"},
                                           {"deployment.kubernetes.io/max-replicas", "4"},
                                           {"deployment.kubernetes.io/revision", "1"},
                                           {"owner", "me"}}));
  EXPECT_EQ(controller_of(made.meta), "web-uid");
  EXPECT_EQ(model::string_at(made.pod_template, {"metadata", "labels", kTemplateHash}), "v1");
  EXPECT_EQ(noted(next), "Scaled up replica set web-v1 from 0 to 3");
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

  const Outcome next = plan(world.seen);

  ASSERT_EQ(written(next), "update deployments.apps shop/web");
  const Deployment changed = read_deployment(next.write()->body);
  EXPECT_TRUE(model::equal(changed.pod_template, template_of(1)));
  EXPECT_FALSE(changed.annotations.contains(std::string(kRollbackTo)));
  EXPECT_EQ(noted(next), "Rolled back deployment \"web\" to revision 1");
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

  const Outcome waiting = plan(world.seen);
  ASSERT_EQ(waiting.kind, Outcome::Kind::Wait);
  EXPECT_EQ(waiting.again, 60s + 1ms);
  world.seen.now += 60s + 1ms;
  ASSERT_TRUE(world.step());
  EXPECT_EQ(world.progress(), "False ProgressDeadlineExceeded");
  EXPECT_EQ(plan(world.seen).kind, Outcome::Kind::Done);
  world.roll_out(1, false);
  EXPECT_EQ(world.progress(), "True NewReplicaSetAvailable");
}

TEST(DeploymentPlan, ATakenNameCountsAsACollision) {
  World world(1, 1, 0);
  world.seen.name_taken = true;

  const Outcome next = plan(world.seen);

  ASSERT_EQ(written(next), "update deployments.apps/status shop/web");
  EXPECT_EQ(read_deployment(next.write()->body).status.collisions, 1);
}

TEST(DeploymentPlan, TellsWhyItsReplicaSetWasRefusedAndTriesAgain) {
  World world(1, 1, 0);
  world.seen.refusal = "replicasets.apps \"web-v1\" is forbidden: no";

  ASSERT_TRUE(world.step());
  EXPECT_EQ(world.progress(), "False ReplicaSetCreateError");
  EXPECT_EQ(world.seen.wanted.status.find("Progressing")->message,
            "Failed to create new replica set \"web-v1\": replicasets.apps \"web-v1\" is "
            "forbidden: no");
  EXPECT_EQ(written(plan(world.seen)), "create replicasets.apps shop/web-v1");
}

TEST(DeploymentPlan, AdoptsAndReleasesBeforeAnythingElse) {
  World world(1, 1, 0);
  world.rest();
  world.seen.sets[0].meta.labels = {{"app", "other"}};
  const Outcome let_go = plan(world.seen);
  ASSERT_EQ(written(let_go), "patch replicasets.apps shop/web-v1");
  EXPECT_EQ(controller_of(model::meta_of(let_go.write()->body)), "");
  world.seen.sets[0].meta.labels = {{"app", "web"}};
  world.seen.sets[0].meta.owners.clear();
  EXPECT_EQ(plan(world.seen).asked(), kMayAdopt);
  world.seen.may_adopt = true;
  const Outcome taken = plan(world.seen);
  ASSERT_EQ(written(taken), "patch replicasets.apps shop/web-v1");
  EXPECT_EQ(controller_of(model::meta_of(taken.write()->body)), "web-uid");
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
