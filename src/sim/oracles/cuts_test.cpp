#include "oracles/cuts.h"

#include "oracles/goals.h"
#include "oracles/invariants.h"
#include "world/world.h"

#include <gtest/gtest.h>

namespace holdfast::sim {
namespace {

using model::Array;
using model::Object;
using model::Value;

/// An owner restores one claim, and says so by its state.
std::vector<CutMarks::Restored> restored(const Value& object) {
  if (model::string_at(object, {"status", "state"}) != "Restored") return {};
  return {{{"default", "data-restored"}, {"default", "data"}}};
}

/// Or backs it up.
std::vector<CutMarks::Saved> backed_up(const Value& object) {
  if (model::string_at(object, {"status", "state"}) != "BackedUp") return {};
  return {{{"default", "data"}, "snapshot"}};
}

constexpr CutMarks kMarks{{"test/uid", "test/of"}, "test/log-of", restored, backed_up};

// Breaks each promise about cuts by hand, as no driver should.
struct CutsTest : testing::Test {
  void SetUp() override {
    DriverModel model;
    model.cuts = kMarks;
    auto made = World::make({std::move(model)});
    ASSERT_TRUE(made) << made.error().what();
    world = std::move(*made);
  }
  Value send(std::string method, const std::string& target, const Value& body) {
    auto answer =
        world->server->ask(administrator("test"), method, target, body,
                           method == "PATCH" ? "application/merge-patch+json" : "application/json");
    EXPECT_TRUE(answer) << answer.error().what();
    world->history->catch_up();
    return answer ? std::move(*answer) : Value();
  }
  std::string create(const kube::Resource& resource, Object metadata, Object spec) {
    const Value made = send("POST", resource.path(resource.namespaced ? kNamespace : "", ""),
                            Object{{"apiVersion", resource.api_version()},
                                   {"kind", resource.kind},
                                   {"metadata", std::move(metadata)},
                                   {"spec", std::move(spec)}});
    return std::string(model::string_at(made, {"metadata", "uid"}));
  }
  static Object claim_spec() {
    return {{"accessModes", Array{"ReadWriteOnce"}},
            {"resources", Object{{"requests", Object{{"storage", "1Gi"}}}}}};
  }
  std::string create_pod(Object metadata, std::string_view container) {
    return create(
        kube::kPods, std::move(metadata),
        {{"containers", Array{Object{{"name", container}, {"image", "db:1"}}}},
         {"volumes", Array{Object{{"name", "data"},
                                  {"persistentVolumeClaim", Object{{"claimName", "data"}}}}}}});
  }
  void cut(const std::string& name, Object annotations = {}) {
    create(kube::kVolumeSnapshots,
           {{"name", name}, {"labels", owned()}, {"annotations", std::move(annotations)}},
           {{"source", Object{{"persistentVolumeClaimName", "data"}}}});
  }
  static Object owned() { return {{"test/uid", "u"}}; }
  static Object of_owner() { return {{"test/of", "default/a"}}; }
  void remove_volume(const std::string& name, const std::string& claim) {
    create(kube::kVolumes, {{"name", name}},
           {{"accessModes", Array{"ReadWriteOnce"}},
            {"capacity", Object{{"storage", "1Gi"}}},
            {"hostPath", Object{{"path", "/data"}}},
            {"claimRef", Object{{"namespace", kNamespace}, {"name", claim}}}});
    send("PATCH", kube::kVolumes.path("", name),
         Object{{"metadata", Object{{"finalizers", nullptr}}}});
    send("DELETE", kube::kVolumes.path("", name), nullptr);
  }
  std::string breach(std::string_view invariant) const {
    return broken(invariant, *world->history, world->history->commits().size() - 1, world->models)
        .value_or("");
  }
  std::unique_ptr<DriverPart> make_part() {
    return make_cut_part({*world->history,
                          [this](const std::string& uid) {
                            const auto found = held.find(uid);
                            return found == held.end() ? std::nullopt
                                                       : std::optional(found->second);
                          },
                          [this](const kube::Key& claim) { return data[claim.name]; },
                          [this](const std::string& id) { return saved[id]; }},
                         kMarks);
  }
  static Commit owner(std::string_view field, std::string_view value) {
    Commit commit;
    commit.kind = Commit::Kind::Changed;
    commit.uid = "u";
    commit.before = std::make_shared<const Value>(Object());
    commit.object = std::make_shared<const Value>(Object{{"status", Object{{field, value}}}});
    return commit;
  }
  static Value cut_of_owner() {
    return Object{{"metadata", Object{{"labels", owned()}, {"annotations", Object{}}}}};
  }
  std::unique_ptr<World> world;
  std::map<std::string, MonoTime> held;      ///< by the pod's uid
  std::map<std::string, std::string> data;   ///< by the claim
  std::map<std::string, std::string> saved;  ///< in the bucket, by the snapshot's id
};

TEST_F(CutsTest, AClaimIsCutOnceAndOnceMoreForALog) {
  cut("a");
  EXPECT_EQ(breach("one-cut"), "");
  cut("a-log", {{"test/log-of", "db-0"}});
  EXPECT_EQ(breach("one-cut"), "");

  cut("again");

  EXPECT_EQ(breach("one-cut"), "claim data was cut 2 times for one object");
}

TEST_F(CutsTest, VolumesOfPeopleAreKept) {
  create(kube::kClaims, {{"name", "staged"}, {"labels", owned()}}, claim_spec());
  remove_volume("of-staged", "staged");
  EXPECT_EQ(breach("volumes-kept"), "") << "made on the way";

  create(kube::kClaims, {{"name", "data"}}, claim_spec());
  remove_volume("of-data", "data");

  EXPECT_EQ(breach("volumes-kept"), "volume of-data of claim data was deleted");
}

TEST_F(CutsTest, ALogIsPutBackBeforeTheClaimAndOnce) {
  const auto restore = [this] {
    Object annotations = of_owner();
    annotations["holdfast.dev/restored-by"] = "staged";
    create(kube::kClaims, {{"name", "data"}, {"annotations", std::move(annotations)}},
           claim_spec());
  };
  restore();
  EXPECT_EQ(breach("log-put-back"), "") << "there is no log";
  send("PATCH", kube::kClaims.path(kNamespace, "data"),
       Object{{"metadata", Object{{"finalizers", nullptr}}}});
  send("DELETE", kube::kClaims.path(kNamespace, "data"), nullptr);
  Object annotations = of_owner();
  annotations["test/log-of"] = "db-0";
  cut("log", annotations);

  restore();
  EXPECT_EQ(breach("log-put-back"),
            "claim data was made for restore 1, and logs were put back 0 "
            "times");

  for (const bool again : {false, true}) {
    create_pod({{"name", "put-back"}, {"annotations", of_owner()}}, "log");
    EXPECT_EQ(breach("log-put-back"),
              again ? "pod put-back puts back a log for the second time" : "");
    send("PATCH", kube::kPods.path(kNamespace, "put-back", "status"),
         Object{{"status", Object{{"phase", "Succeeded"}}}});
    send("DELETE", kube::kPods.path(kNamespace, "put-back"),
         Object{{"gracePeriodSeconds", 0}, {"kind", "DeleteOptions"}, {"apiVersion", "v1"}});
  }
}

TEST_F(CutsTest, ApplicationIsSaidOnlyOfWhatWasHeldStill) {
  const std::string pod = create_pod({{"name", "db-0"}}, "main");
  const auto part = make_part();
  held[pod] = MonoTime(1);

  part->cut(cut_of_owner(), {std::string(kNamespace), "data"});
  EXPECT_FALSE(part->judge(owner("consistency", "Application")));
  held.clear();
  part->cut(cut_of_owner(), {std::string(kNamespace), "data"});

  const auto found = part->judge(owner("consistency", "Application"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->oracle, "verdict");
}

TEST_F(CutsTest, AnApplicationWritesUnlessItIsHeldStill) {
  const std::string uid = create_pod({{"name", "db-0"}}, "main");
  const ObjectPtr pod = world->history->get("pods", kNamespace, "db-0");
  const auto part = make_part();

  EXPECT_NE(part->written(*pod), part->written(*pod));
  held[uid] = MonoTime(1);
  const auto first = part->written(*pod);
  EXPECT_EQ(part->written(*pod), first);
  held[uid] = MonoTime(2);
  EXPECT_NE(part->written(*pod), first) << "it wrote in between";

  create_pod({{"name", "prover"}, {"labels", owned()}}, "main");
  EXPECT_FALSE(part->written(*world->history->get("pods", kNamespace, "prover")));
}

TEST_F(CutsTest, ApplicationIsSaidOnlyOfWhatWasWrittenTogether) {
  const std::string pod = create(
      kube::kPods, {{"name", "db-0"}},
      {{"containers", Array{Object{{"name", "main"}, {"image", "db:1"}}}},
       {"volumes",
        Array{
            Object{{"name", "data"}, {"persistentVolumeClaim", Object{{"claimName", "data"}}}},
            Object{{"name", "logs"}, {"persistentVolumeClaim", Object{{"claimName", "logs"}}}}}}});
  held[pod] = MonoTime(1);
  const auto cut_both = [&](DriverPart& part) {
    part.cut(cut_of_owner(), {std::string(kNamespace), "data"});
    part.cut(cut_of_owner(), {std::string(kNamespace), "logs"});
  };
  const auto together = make_part(), apart = make_part();

  data = {{"data", "data: 1"}, {"logs", "logs: 1"}};
  cut_both(*together);
  data["logs"] = "logs: 2";
  cut_both(*apart);

  EXPECT_FALSE(together->judge(owner("consistency", "Application")));
  EXPECT_FALSE(apart->judge(owner("consistency", "Crash")));
  const auto found = apart->judge(owner("consistency", "Application"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->oracle, "data");
}

TEST_F(CutsTest, WhatIsSaidToBeRestoredHoldsWhatWasCut) {
  const auto part = make_part();
  data["data"] = "data: 1";
  part->cut(cut_of_owner(), {std::string(kNamespace), "data"});
  data["data"] = "data: 2";

  data["data-restored"] = "data: 1";
  EXPECT_FALSE(part->judge(owner("state", "Restored")));
  data["data-restored"] = "logs: 1";
  EXPECT_FALSE(part->judge(owner("state", "Restoring")));
  const auto found = part->judge(owner("state", "Restored"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->oracle, "data");

  Commit elsewhere = owner("state", "Restored");
  elsewhere.uid = "another";
  EXPECT_TRUE(part->judge(elsewhere)) << "no cut holds that";
  data["data-restored"] = "data: 1";
  EXPECT_FALSE(part->judge(elsewhere)) << "it knows the backup from the repository";
  Commit later = owner("state", "Restored");
  data["data-restored"] = "logs: 1";
  later.before = later.object;
  EXPECT_FALSE(part->judge(later)) << "it may be written over by now";
}

TEST_F(CutsTest, WhatIsSaidToBeBackedUpIsInTheBucketAsItWasCut) {
  const auto part = make_part();
  data["data"] = "data: 1";
  part->cut(cut_of_owner(), {std::string(kNamespace), "data"});

  saved["snapshot"] = "data: 1";
  EXPECT_FALSE(part->judge(owner("state", "BackedUp")));
  saved["snapshot"] = "forged";
  EXPECT_FALSE(part->judge(owner("state", "BackingUp")));
  const auto found = part->judge(owner("state", "BackedUp"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->oracle, "data");
}

TEST_F(CutsTest, RunsSettleAndEndForTheReasonsGiven) {
  const std::vector<Goal> goals = goals_of_runs([](const Value& object) {
    return model::string_at(object, {"status", "running"}).empty()
               ? std::nullopt
               : std::optional<std::string>("it runs");
  });
  const auto unmet_by = [&](size_t goal, const Value& object, bool calm) {
    return goals[goal].unmet({object, "Lost|Gone", *world->history, calm}).value_or("");
  };
  const auto run = [](std::string_view state, std::string_view reason) -> Value {
    return Object{
        {"status",
         Object{{"state", state},
                {"conditions", Array{Object{{"type", "ApplicationConsistent"}, {"status", "False"}},
                                     Object{{"type", "Completed"},
                                            {"status", "False"},
                                            {"reason", reason},
                                            {"message", "m"}}}}}}};
  };
  const Value busy = Object{{"status", Object{{"running", "x"}}}};
  EXPECT_EQ(unmet_by(0, busy, false), "it runs");
  EXPECT_EQ(unmet_by(1, busy, false), "it runs");
  EXPECT_EQ(unmet_by(0, run("Error", "Other"), true), "");
  EXPECT_EQ(unmet_by(1, run("Completed", "Other"), true), "");
  EXPECT_EQ(unmet_by(1, run("Error", "Gone"), false), "");
  EXPECT_EQ(unmet_by(1, run("Error", "Gone"), true), "it ended for Gone: m")
      << "nothing went wrong";
  EXPECT_EQ(unmet_by(1, run("Error", "Other"), false), "it ended for Other: m");
}

}  // namespace
}  // namespace holdfast::sim
