#include <holdfast/control/finalizers.h>
#include <holdfast/control/write.h>

#include "cached_objects.h"

#include <set>

namespace holdfast::control {
namespace {

const char* const kPod =
    R"({"metadata":{"namespace":"shop","name":"web-1","uid":"u1","resourceVersion":"7",
       "finalizers":["a/x"]},"spec":{"nodeName":"n"}})";

TEST(Write, SaysWhatItDoes) {
  Write made = create(kube::kPods, json(R"({"metadata":{"namespace":"shop","name":"web-7x2kd"}})"));
  Write status = patch(kube::kStatefulSets, cached(kPod), json("{}"), Decides::No, "status");

  EXPECT_EQ(made.text(), "create pods shop/web-7x2kd");
  EXPECT_EQ(status.text(), "patch statefulsets.apps/status shop/web-1");
}

TEST(Write, UpdateKeepsUidAndVersionOfWhatWasSeen) {
  Write write =
      update(kube::kPods, cached(kPod),
             json(R"({"metadata":{"name":"web-1","uid":"other","resourceVersion":"9"}})"));

  EXPECT_EQ(model::to_json(write.body),
            R"({"metadata":{"name":"web-1","uid":"u1","resourceVersion":"7"}})");
  EXPECT_EQ(write.key, (kube::Key{"shop", "web-1"}));
}

TEST(Write, PatchCarriesTheUidAlwaysAndTheVersionIfItDecides) {
  auto merge = [] { return json(R"({"spec":{"replicas":3}})"); };

  Write loose = patch(kube::kPods, cached(kPod), merge(), Decides::No);
  Write tight = patch(kube::kPods, cached(kPod), merge(), Decides::Yes);
  Write status = patch(kube::kPods, cached(kPod), merge(), Decides::No, "status");

  EXPECT_EQ(model::to_json(loose.body), R"({"spec":{"replicas":3},"metadata":{"uid":"u1"}})");
  EXPECT_EQ(model::to_json(tight.body),
            R"({"spec":{"replicas":3},"metadata":{"uid":"u1","resourceVersion":"7"}})");
  EXPECT_EQ(status.only.resource_version, "7") << "the uid alone is not compared there";
}

TEST(Write, ApplyNamesTheUidOnlyOfWhatWasSeen) {
  auto wanted = [] { return json(R"({"metadata":{"namespace":"shop","name":"web-1"}})"); };

  EXPECT_EQ(model::string_at(apply(kube::kPods, wanted(), cached(kPod)).body, {"metadata", "uid"}),
            "u1");
  EXPECT_FALSE(model::find(apply(kube::kPods, wanted(), {}).body, {"metadata", "uid"}));
}

TEST(Write, DeleteIsForTheObjectSeen) {
  Write write = remove(kube::kPods, cached(kPod));

  EXPECT_EQ(write.only.uid, "u1");
  EXPECT_EQ(write.only.resource_version, "");
  EXPECT_EQ(write.propagation, "Background");
}

TEST(ChildName, FollowsFromOwnerAndStep) {
  EXPECT_EQ(child_name("web", "u1", "0"), child_name("web", "u1", "0"));
  EXPECT_NE(child_name("web", "u1", "0"), child_name("web", "u1", "1"));
  EXPECT_NE(child_name("web", "u1", "0"), child_name("web", "u2", "0"));
  EXPECT_EQ(child_name("web", "u1", "0").size(), 9U);
}

TEST(ChildName, IsAnHostNameHoweverLongTheBase) {
  std::string name = child_name(std::string(56, 'a') + ".b", "u", "s");

  EXPECT_LE(name.size(), 63U);
  EXPECT_EQ(name.find('.'), std::string::npos);
  EXPECT_EQ(name[56], '-');
}

TEST(ShortHash, TellsTextsApart) {
  std::set<std::string> seen;
  for (int i = 0; i < 2000; ++i) seen.insert(short_hash("template " + std::to_string(i)));

  EXPECT_EQ(seen.size(), 2000U);
}

TEST(Finalizers, AreWrittenAsAWholeUnderTheVersionSeen) {
  Write add = add_finalizer(kube::kPods, cached(kPod), "b/y");
  Write drop = drop_finalizer(kube::kPods, cached(kPod), "a/x");

  EXPECT_TRUE(has_finalizer(cached(kPod), "a/x"));
  EXPECT_FALSE(has_finalizer(cached(kPod), "b/y"));
  EXPECT_EQ(model::to_json(*model::find(add.body, {"metadata", "finalizers"})), R"(["a/x","b/y"])");
  EXPECT_EQ(model::to_json(*model::find(drop.body, {"metadata", "finalizers"})), "[]");
  EXPECT_EQ(add.only.resource_version, "7");
}

}  // namespace
}  // namespace holdfast::control
