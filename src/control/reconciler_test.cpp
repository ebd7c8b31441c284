#include <holdfast/control/reconciler.h>

#include "cached_objects.h"

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
  EXPECT_EQ(
      any_owner(kube::kReplicaSets)({.after = owned_by("apps/v1", "ReplicaSet", "rs", false)}),
      (Keys{{"shop", "rs"}}));
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
  EXPECT_FALSE(labels_changed()(updated(a, b)));
  EXPECT_TRUE(labels_changed()(updated(b, c)));
  EXPECT_FALSE(annotations_changed()(updated(a, b)));
  EXPECT_TRUE(annotations_changed()(updated(b, c)));
  EXPECT_TRUE(any_of({labels_changed(), generation_changed()})(updated(a, b)));
  EXPECT_FALSE(all_of({labels_changed(), generation_changed()})(updated(a, b)));
  EXPECT_TRUE(none_of(labels_changed())(updated(a, b)));
}

}  // namespace
}  // namespace holdfast::control
