#include "kinds/rules.h"

#include "kinds/place.h"

namespace holdfast::apiserver {
namespace {

model::Value parse(std::string_view text) {
  auto parsed = model::parse_json(text);
  EXPECT_TRUE(parsed);
  return parsed->value;
}

TEST(Rules, EveryKindIsFoundByItsGroup) {
  for (auto [group, kind] : {std::pair("", "Pod"), {"apps", "StatefulSet"}, {"batch", "CronJob"}}) {
    const KindRules* rules = find_rules(group, kind);
    ASSERT_NE(rules, nullptr) << kind;
    EXPECT_EQ(rules->kind, kind);
  }
  EXPECT_EQ(find_rules("apps", "Pod"), nullptr);
}

TEST(PodRules, RequestsFollowLimitsAndDecideQuality) {
  model::Value pod = parse(R"({"spec":{"containers":[{"name":"a","image":"nginx",
      "resources":{"limits":{"cpu":"1","memory":"1Gi"}}}]}})");

  find_rules("", "Pod")->set_defaults(pod);
  find_rules("", "Pod")->prepare_create(pod);

  const model::Value& container = model::array_at(pod, {"spec", "containers"})[0];
  EXPECT_EQ(model::to_json(*model::find(container, {"resources", "requests"})),
            R"({"cpu":"1","memory":"1Gi"})");
  EXPECT_EQ(model::string_at(container, {"imagePullPolicy"}), "Always");
  EXPECT_EQ(model::string_at(pod, {"status", "qosClass"}), "Guaranteed");
  EXPECT_EQ(model::string_at(pod, {"status", "phase"}), "Pending");
}

TEST(JobRules, SelectorIsMadeFromTheUid) {
  model::Value job =
      parse(R"({"metadata":{"name":"j","uid":"u-1"},"spec":{"template":{"spec":{}}}})");

  find_rules("batch", "Job")->set_defaults(job);
  find_rules("batch", "Job")->prepare_create(job);

  EXPECT_EQ(model::string_at(
                job, {"spec", "selector", "matchLabels", "batch.kubernetes.io/controller-uid"}),
            "u-1");
  EXPECT_EQ(model::string_at(job, {"spec", "template", "metadata", "labels", "job-name"}), "j");
  EXPECT_EQ(model::int_at(job, {"spec", "backoffLimit"}, 0), 6);
}

TEST(DaemonSetRules, TemplateGenerationCountsTemplateChanges) {
  const KindRules* rules = find_rules("apps", "DaemonSet");
  model::Value set = parse(
      R"({"metadata":{},"spec":{"template":{"spec":{"containers":[{"name":"a","image":"x:1"}]}}}})");
  rules->set_defaults(set);
  rules->prepare_create(set);
  model::Value changed = set;
  model::find(changed, {"spec", "template", "spec", "containers"})
      ->get_array()[0]
      .get_object()["image"] = "x:2";
  model::Value same = set;

  rules->prepare_update(changed, set);
  rules->prepare_update(same, set);

  const auto generation = [](const model::Value& of) {
    return model::string_at(
        of, {"metadata", "annotations", "deprecated.daemonset.template.generation"});
  };
  EXPECT_EQ(generation(set), "1");
  EXPECT_EQ(generation(changed), "2");
  EXPECT_EQ(generation(same), "1");
}

}  // namespace
}  // namespace holdfast::apiserver
