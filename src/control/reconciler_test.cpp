#include <holdfast/control/reconciler.h>

#include "cached_objects.h"
#include "loop/pass.h"

#include <gtest/gtest.h>

namespace holdfast::control {
namespace {

kube::Cached owned_by(const std::string& api, const std::string& kind, const std::string& name,
                      bool controller) {
  return cached(
      R"({"metadata":{"namespace":"shop","name":"web-1","ownerReferences":[{"apiVersion":")" + api +
      R"(","kind":")" + kind + R"(","name":")" + name + R"(","uid":"u","controller":)" +
      (controller ? "true" : "false") + "}]}}");
}

kube::Change updated(kube::Cached before, kube::Cached after) {
  return {kube::Change::Kind::Updated, std::move(before), std::move(after)};
}

TEST(Mappers, FindTheControllingOwnerOfThatKindOnly) {
  Mapper map = controlling_owner(kube::kReplicaSets);
  auto keys = [&](const kube::Cached& object) { return map({.after = object}); };

  EXPECT_EQ(keys(owned_by("apps/v1", "ReplicaSet", "rs", true)), (Keys{{"shop", "rs"}}));
  EXPECT_EQ(keys(owned_by("apps/v1beta2", "ReplicaSet", "rs", true)), (Keys{{"shop", "rs"}}));
  EXPECT_EQ(keys(owned_by("apps/v1", "ReplicaSet", "rs", false)), Keys{});
  EXPECT_EQ(keys(owned_by("other/v1", "ReplicaSet", "rs", true)), Keys{});
  EXPECT_EQ(keys(owned_by("a/b/c", "Nonsense", "rs", true)), Keys{});
}

TEST(Mappers, TellTheOldOwnerToo) {
  Keys keys = controlling_owner(kube::kReplicaSets)(
      updated(owned_by("apps/v1", "ReplicaSet", "old", true),
              owned_by("apps/v1", "ReplicaSet", "new", true)));

  EXPECT_EQ(keys, (Keys{{"shop", "new"}, {"shop", "old"}}));
}

TEST(Mappers, OwnersWithoutANamespaceHaveNone) {
  EXPECT_EQ(controlling_owner(kube::kNodes)({.after = owned_by("v1", "Node", "n1", true)}),
            (Keys{{"", "n1"}}));
}

TEST(Predicates, LookAtOnePartOfAnUpdate) {
  auto a = cached(R"({"metadata":{"name":"x","generation":1,"labels":{"a":"1"}}})");
  auto b = cached(R"({"metadata":{"name":"x","generation":2,"labels":{"a":"1"}}})");
  auto c = cached(R"({"metadata":{"name":"x","generation":2,"labels":{"a":"2"},
                     "annotations":{"n":"1"}}})");

  EXPECT_TRUE(generation_changed()(updated(a, b)));
  EXPECT_FALSE(generation_changed()(updated(b, c)));
  EXPECT_TRUE(generation_changed()({.kind = kube::Change::Kind::Deleted, .before = a}));
}

/// A server that holds one pod, or none, and remembers how often it was asked.
class OnePod final : public net::Client {
 public:
  Result<net::Response> call(const net::Call& call) override {
    ++asked;
    if (broken) return Error(Fault::Invalid, "not now");
    const bool all = call.target.find("limit=") != std::string::npos;
    if (all)
      return net::Response{.body = R"({"kind":"PodList","metadata":{},"items":[)" + pod + "]}"};
    if (!pod.empty()) return net::Response{.body = pod};
    return net::Response{.status = 404, .body = R"({"kind":"Status","reason":"NotFound"})"};
  }
  Result<net::Response> stream(const net::Call& call,
                               const std::function<bool(std::string_view)>&) override {
    return this->call(call);
  }
  std::string pod{};
  bool broken = false;
  int asked = 0;
};

constexpr const char* kPodOne =
    R"({"metadata":{"namespace":"shop","name":"p","uid":"u1","resourceVersion":"4"}})";
constexpr const char* kPodTwo =
    R"({"metadata":{"namespace":"shop","name":"p","uid":"u2","resourceVersion":"5"}})";

class Reading : public testing::Test {
 protected:
  Reading() { informers_.of({.resource = kube::kPods}).replace({}, 1); }
  void show(const char* pod) { informers_.of({.resource = kube::kPods}).put(cached(pod)); }
  std::string uid_of(const Result<kube::Cached>& found) {
    return !found ? "error" : *found ? std::string(found->uid()) : "none";
  }

  OnePod server_{};
  ManualClock clock_{WallTime()};
  SeededRandom random_{1};
  kube::Client client_{server_, clock_, random_,
                       [](std::chrono::milliseconds, const std::stop_token&) {}};
  kube::Informers informers_{random_};
  const Caches caches_{informers_, {Watch{.scope = {.resource = kube::kPods}}}};
  const kube::Key key_{"shop", "p"};
  CachedPass pass_{key_, caches_, client_, WallTime(), nullptr};
};

TEST_F(Reading, ACacheThatKnowsItIsEnough) {
  show(kPodOne);
  server_.pod = kPodTwo;
  EXPECT_EQ(uid_of(read_cached(pass_, kube::kPods, "shop", "p")), "u1");
  EXPECT_EQ(server_.asked, 0);
}

TEST_F(Reading, BeforeItCountsAsGoneTheServerIsAsked) {
  EXPECT_EQ(uid_of(read_cached(pass_, kube::kPods, "shop", "p")), "none");
  EXPECT_EQ(server_.asked, 1);
  server_.pod = kPodOne;
  EXPECT_EQ(uid_of(read_cached(pass_, kube::kPods, "shop", "p")), "u1");
}

TEST_F(Reading, ATroubleOfTheServerIsNoAbsence) {
  server_.broken = true;
  EXPECT_EQ(uid_of(read_cached(pass_, kube::kPods, "shop", "p")), "error");
  EXPECT_EQ(uid_of(read_live(pass_, kube::kPods, "shop", "p")), "error");
  EXPECT_FALSE(list_live(pass_, kube::kPods, "shop"));
}

TEST_F(Reading, LiveIsWhatTheServerHasWhateverTheCacheSays) {
  show(kPodOne);
  EXPECT_EQ(uid_of(read_live(pass_, kube::kPods, "shop", "p")), "none");
  server_.pod = kPodTwo;
  EXPECT_EQ(uid_of(read_live(pass_, kube::kPods, "shop", "p")), "u2");
  const Result<std::vector<kube::Cached>> all = list_live(pass_, kube::kPods, "shop");
  ASSERT_TRUE(all && all->size() == 1);
  EXPECT_EQ(all->front().uid(), "u2");
}

TEST_F(Reading, WhatNamesAnOwnerOfAnotherNamespaceIsNotItsOwn) {
  const std::string owners =
      R"("ownerReferences":[{"kind":"Set","name":"web","uid":"set-1","controller":true}]}})";
  for (const std::string place :
       {R"("namespace":"shop","name":"web-0")", R"("namespace":"red","name":"web-0")"})
    show((R"({"metadata":{)" + place + R"(,"uid":"u","resourceVersion":"4",)" + owners).c_str());

  const std::vector<kube::Cached> found = pass_.controlled_by(kube::kPods, "set-1");

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().ns(), "shop");
  const kube::Key of_no_namespace{"", "web"};
  CachedPass cluster(of_no_namespace, caches_, client_, WallTime(), nullptr);
  EXPECT_EQ(cluster.controlled_by(kube::kPods, "set-1").size(), 2U);
}

TEST_F(Reading, WhatHasNoNameIsNotAskedFor) {
  EXPECT_EQ(uid_of(read_live(pass_, kube::kPods, "shop", "")), "none");
  EXPECT_EQ(server_.asked, 0) << "without a name it would be the whole collection";
}

}  // namespace
}  // namespace holdfast::control
