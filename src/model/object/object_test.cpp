#include <holdfast/model/object.h>

#include <boost/json/object.hpp>

namespace holdfast::model {
namespace {

TEST(GroupVersion, ParsesAsGoDoes) {
  EXPECT_EQ(*GroupVersion::parse("v1"), (GroupVersion{"", "v1"}));
  EXPECT_EQ(*GroupVersion::parse("apps/v1"), (GroupVersion{"apps", "v1"}));
  EXPECT_EQ(*GroupVersion::parse(""), GroupVersion{});
  EXPECT_EQ(GroupVersion::parse("a/b/c").error().what(), "unexpected GroupVersion string: a/b/c");
}

TEST(Meta, ReadsWhatIsThereAndSortsLabels) {
  const auto object = parse_json(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{
      "name":"n","namespace":"s","uid":"u","resourceVersion":"5","generation":3,"finalizers":["f",1],
      "labels":{"b":"2","a":"1","x":5},"deletionTimestamp":"2026-01-02T03:04:05Z",
      "ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"pu","controller":true}]}})");
  ASSERT_TRUE(object);

  const Meta meta = meta_of(object->value);

  EXPECT_EQ(meta.ns, "s");
  EXPECT_EQ(meta.name, "n");
  EXPECT_EQ(meta.uid, "u");
  EXPECT_EQ(meta.resource_version, "5");
  EXPECT_EQ(meta.generation, 3);
  EXPECT_EQ(meta.deletion_timestamp, "2026-01-02T03:04:05Z");
  EXPECT_EQ(meta.labels, (Labels{{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(meta.finalizers, std::vector<std::string>{"f"});
  ASSERT_EQ(meta.owners.size(), 1u);
  EXPECT_TRUE(meta.owners[0].controller);
  EXPECT_FALSE(meta.owners[0].block_owner_deletion);
  EXPECT_EQ(*gvk_of(object->value), (GroupVersionKind{"apps", "v1", "Deployment"}));
}

TEST(Meta, TreatsWrongTypesAsAbsent) {
  const Meta meta =
      meta_of(parse_json(R"({"metadata":{"name":5,"labels":[],"finalizers":{}}})")->value);

  EXPECT_EQ(meta.name, "");
  EXPECT_TRUE(meta.labels.empty());
  EXPECT_TRUE(meta_of(Value(3)).owners.empty());
}

TEST(SetCondition, MovesTheTimeOnlyWhenTheStatusTurns) {
  std::vector<Condition> conditions;
  const Condition ready{"Ready", "False", "Starting", "one", "", 1};
  Condition other = ready;
  other.message = "two";
  Condition turned = ready;
  turned.status = "True";

  EXPECT_TRUE(set_condition(conditions, ready, "t1"));
  EXPECT_FALSE(set_condition(conditions, ready, "t2"));
  EXPECT_TRUE(set_condition(conditions, other, "t3"));
  EXPECT_EQ(conditions[0].last_transition_time, "t1");
  EXPECT_TRUE(set_condition(conditions, turned, "t4"));
  EXPECT_EQ(conditions[0].last_transition_time, "t4");
  EXPECT_EQ(conditions.size(), 1u);
}

}  // namespace
}  // namespace holdfast::model
