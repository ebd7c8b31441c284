#include "world/pod_work.h"

#include "data/pods_for_tests.h"
#include "oracles/goals.h"

namespace holdfast::sim {
namespace {

using model::Array;
using model::Object;
using model::Value;

/// Plays every pod: two runs of its init containers fail, it is not ready at once, and its work is
/// to put one object and to read it again.
class Toy final : public DriverPart {
 public:
  std::optional<PodFate> fate(const Value& pod) override {
    PodFate fate;
    fate.init_code = inits > 0 ? inits-- : 0;
    fate.ready = probes == 0 || --probes == 0;
    fate.works = model::string_at(pod, {"metadata", "name"}) == "worker";
    return fate;
  }
  PodExit work(const Value&, blob::Store& bucket) override {
    const Result<void> put = bucket.put("a", "bytes");
    if (!put) return {1, put.error().what()};
    const Result<std::string> got = bucket.get("a");
    return got ? PodExit{0, *got} : PodExit{2, got.error().what()};
  }
  int inits = 0, probes = 0;
};

struct PodWorkTest : WorldOfPods {
  void SetUp() override {
    WorldOfPods::SetUp();
    parts.push_back(std::make_unique<Toy>());
  }
  void create(std::string_view name) {
    send(
        "POST", kube::kPods.path(kNamespace, ""),
        Object{{"apiVersion", "v1"},
               {"kind", "Pod"},
               {"metadata", Object{{"name", name}}},
               {"spec", Object{{"restartPolicy", "Never"},
                               {"initContainers", Array{Object{{"name", "fetch"}, {"image", "i"}}}},
                               {"containers", Array{Object{{"name", "main"}, {"image", "i"}}}}}}});
  }
  void play_with(std::string_view faults) {
    const auto read = faults_from_yaml(faults);
    ASSERT_TRUE(read) << read.error().what();
    network->set_faults(*read);
    play();
  }
  Toy& toy() { return static_cast<Toy&>(*parts.front()); }
  std::string phase(std::string_view name) const {
    return std::string(
        model::string_at(*world->history->get("pods", kNamespace, name), {"status", "phase"}));
  }
  Value ending(std::string_view name) const {
    for (const Value& each : model::array_at(*world->history->get("pods", kNamespace, name),
                                             {"status", "containerStatuses"}))
      if (const Value* end = model::find(each, {"state", "terminated"})) return *end;
    return nullptr;
  }
};

TEST_F(PodWorkTest, APodEndsAsItsWorkAgainstTheBucketDid) {
  create("worker");

  play();

  EXPECT_EQ(phase("worker"), "Succeeded");
  EXPECT_EQ(model::string_at(ending("worker"), {"message"}), "bytes");
  EXPECT_TRUE(bucket->contents().stat("a"));
}

TEST_F(PodWorkTest, WhatStrikesAtRequestsStrikesAtTheBucket) {
  create("worker");

  play_with("- {at: call 1, do: answer, code: 503}");

  EXPECT_EQ(phase("worker"), "Failed");
  EXPECT_EQ(model::int_at(ending("worker"), {"exitCode"}, 0), 1);
  EXPECT_FALSE(bucket->contents().stat("a"));
}

TEST_F(PodWorkTest, AReplyThatIsLostLeavesTheObject) {
  create("worker");

  play_with("- {at: call 1, do: lose-reply}");

  EXPECT_EQ(phase("worker"), "Failed");
  EXPECT_TRUE(bucket->contents().stat("a"));
}

TEST_F(PodWorkTest, APodThatDiesAtItsWriteIsKilled) {
  create("worker");

  play_with("- {at: write 1, do: crash-before-reply}");

  EXPECT_EQ(model::int_at(ending("worker"), {"exitCode"}, 0), 137);
  EXPECT_TRUE(bucket->contents().stat("a"));
}

TEST_F(PodWorkTest, APodStartsWhenItsInitContainersEndWell) {
  toy().inits = 2;
  create("server");

  play();

  EXPECT_EQ(toy().inits, 0);
  EXPECT_EQ(phase("server"), "Running");
}

TEST_F(PodWorkTest, APodIsReadyOnceItsModelSaysSo) {
  toy().probes = 4;
  create("server");

  play();

  EXPECT_EQ(toy().probes, 0);
  EXPECT_FALSE(unmet("ready pods 1", *world->history));
}

}  // namespace
}  // namespace holdfast::sim
