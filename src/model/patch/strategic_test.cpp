// Strategic merges whose outcomes the real server's own code gave.
#include <holdfast/model/kinds.h>
#include <holdfast/model/patch.h>

namespace holdfast::model {
namespace {

Value json(std::string_view text) {
  auto parsed = parse_json(text);
  HF_CHECK(parsed);
  return std::move(parsed->value);
}

struct Merge {
  std::string_view what;
  std::string_view kind;
  std::string_view original, patch, merged;
};

class StrategicMerge : public testing::TestWithParam<Merge> {};

TEST_P(StrategicMerge, GivesWhatTheServerGives) {
  const Merge& merge = GetParam();
  const GroupVersionKind gvk{merge.kind == "Deployment"            ? "apps"
                             : merge.kind == "PodDisruptionBudget" ? "policy"
                                                                   : "",
                             "v1", std::string(merge.kind)};

  auto merged =
      apply_strategic_patch(json(merge.original), json(merge.patch), *Kinds::builtin().schema(gvk));

  ASSERT_TRUE(merged) << merged.error().what();
  EXPECT_TRUE(equal(*merged, json(merge.merged))) << to_json(*merged);
}

INSTANTIATE_TEST_SUITE_P(
    Maps, StrategicMerge,
    testing::Values(
        Merge{"members are added, changed and removed", "ConfigMap",
              R"({"data":{"a":"1","b":"2"}})", R"({"data":{"b":"3","c":"4","a":null}})",
              R"({"data":{"b":"3","c":"4"}})"},
        Merge{"nulls of an added map are dropped", "Pod", R"({})",
              R"({"spec":{"nodeName":null,"dnsConfig":{"options":null}}})",
              R"({"spec":{"dnsConfig":{}}})"},
        Merge{"a map is replaced on demand", "Pod", R"({"metadata":{"labels":{"a":"1","b":"2"}}})",
              R"({"metadata":{"labels":{"$patch":"replace","c":"3"}}})",
              R"({"metadata":{"labels":{"c":"3"}}})"},
        Merge{"a map is emptied on demand", "Pod",
              R"({"spec":{"securityContext":{"runAsUser":1}}})",
              R"({"spec":{"securityContext":{"$patch":"delete"}}})",
              R"({"spec":{"securityContext":{}}})"},
        Merge{"a directive for a map that is not there is dropped", "Pod", R"({"spec":{}})",
              R"({"spec":{"securityContext":{"$patch":"delete"}}})", R"({"spec":{}})"},
        Merge{"retainKeys clears the others", "Deployment",
              R"({"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}}})",
              R"({"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}})",
              R"({"spec":{"strategy":{"type":"Recreate"}}})"},
        Merge{"a field may ask to be replaced whole", "PodDisruptionBudget",
              R"({"spec":{"selector":{"matchLabels":{"a":"1"},"matchExpressions":[]}}})",
              R"({"spec":{"selector":{"matchLabels":{"b":"2"}}}})",
              R"({"spec":{"selector":{"matchLabels":{"b":"2"}}}})"},
        Merge{"a value of another type is replaced", "Service",
              R"({"spec":{"ports":[{"port":80,"targetPort":"http"}]}})",
              R"({"spec":{"ports":[{"port":80,"targetPort":8080}]}})",
              R"({"spec":{"ports":[{"port":80,"targetPort":8080}]}})"}));

INSTANTIATE_TEST_SUITE_P(
    Lists, StrategicMerge,
    testing::Values(
        Merge{
            "elements merge by key, new ones come first", "Pod",
            R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"2"}]}})",
            R"({"spec":{"containers":[{"name":"c","image":"3"},{"name":"b","image":"4"}]}})",
            R"({"spec":{"containers":[{"name":"c","image":"3"},{"name":"a","image":"1"},{"name":"b","image":"4"}]}})"},
        Merge{"an element is deleted by key", "Pod",
              R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})",
              R"({"spec":{"containers":[{"name":"a","$patch":"delete"}]}})",
              R"({"spec":{"containers":[{"name":"b"}]}})"},
        Merge{"a list is replaced on demand", "Pod",
              R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})",
              R"({"spec":{"containers":[{"name":"c"},{"$patch":"replace"}]}})",
              R"({"spec":{"containers":[{"name":"c"}]}})"},
        Merge{"a list without strategy is replaced", "Pod",
              R"({"spec":{"containers":[{"name":"a","args":["x","y"]}]}})",
              R"({"spec":{"containers":[{"name":"a","args":["z"]}]}})",
              R"({"spec":{"containers":[{"name":"a","args":["z"]}]}})"},
        Merge{
            "the order is set after merging", "Pod",
            R"({"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]}})",
            R"({"spec":{"$setElementOrder/containers":[{"name":"d"},{"name":"c"},{"name":"a"}],"containers":[{"name":"d"}]}})",
            R"({"spec":{"containers":[{"name":"d"},{"name":"b"},{"name":"c"},{"name":"a"}]}})"},
        Merge{
            "deletion and order together", "Pod",
            R"({"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]}})",
            R"({"spec":{"$setElementOrder/containers":[{"name":"c"},{"name":"a"}],"containers":[{"$patch":"delete","name":"b"}]}})",
            R"({"spec":{"containers":[{"name":"c"},{"name":"a"}]}})"},
        Merge{"scalars are united", "Pod", R"({"metadata":{"finalizers":["a","b"]}})",
              R"({"metadata":{"finalizers":["c","b"]}})",
              R"({"metadata":{"finalizers":["c","a","b"]}})"},
        Merge{
            "scalars are taken away by the parallel list", "Pod",
            R"({"metadata":{"finalizers":["a","b","c"]}})",
            R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["b","x"],"$setElementOrder/finalizers":["c","a"]}})",
            R"({"metadata":{"finalizers":["c","a"]}})"},
        Merge{
            "volumes keep only named sources", "Pod",
            R"({"spec":{"volumes":[{"name":"v","emptyDir":{}}]}})",
            R"({"spec":{"volumes":[{"name":"v","$retainKeys":["name","hostPath"],"hostPath":{"path":"/"}}]}})",
            R"({"spec":{"volumes":[{"name":"v","hostPath":{"path":"/"}}]}})"},
        Merge{"an unordered newcomer moves to the end when the order is empty", "Pod",
              R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})",
              R"({"spec":{"$setElementOrder/containers":[],"containers":[{"name":"c"}]}})",
              R"({"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]}})"}));

struct Refusal {
  std::string_view original, patch, sentence;
  Fault fault;
};

class StrategicMergeRefuses : public testing::TestWithParam<Refusal> {};

TEST_P(StrategicMergeRefuses, WithTheServersSentence) {
  auto merged = apply_strategic_patch(json(GetParam().original), json(GetParam().patch),
                                      *Kinds::builtin().schema({"", "v1", "Pod"}));

  ASSERT_FALSE(merged) << to_json(*merged);
  EXPECT_EQ(merged.error().what(), GetParam().sentence);
  EXPECT_EQ(merged.error().fault(), GetParam().fault);
}

constexpr std::string_view kOne = R"({"spec":{"containers":[{"name":"a"}]}})";

INSTANTIATE_TEST_SUITE_P(
    Lists, StrategicMergeRefuses,
    testing::Values(
        Refusal{kOne, R"({"spec":{"containers":[{"image":"y"}]}})",
                "map: map[image:y] does not contain declared merge key: name", Fault::Internal},
        Refusal{kOne, R"({"spec":{"containers":[{"name":"a","$patch":"foo"}]}})",
                "unknown patch type: foo in map: map[$patch:foo name:a]", Fault::Internal},
        Refusal{kOne, R"({"spec":{"$patch":"foo"}})",
                "unknown patch type: foo in map: map[$patch:foo]", Fault::Internal},
        Refusal{kOne, R"({"spec":{"containers":[[1]]}})",
                "list element types are not identical: [[map[name:a]] [[1]]]", Fault::Internal},
        Refusal{R"({"spec":{"containers":[]}})", R"({"spec":{"containers":[[1]]}})",
                "lists of lists are not supported", Fault::Conflict},
        Refusal{kOne, R"({"spec":{"$setElementOrder/containers":5}})",
                "expected a []interface {}, but received a int64", Fault::Internal},
        Refusal{
            kOne,
            R"({"spec":{"$setElementOrder/containers":[{"name":"b"}],"containers":[{"name":"a"}]}})",
            "The order in patch list:\n[map[name:a]]\n doesn't match $setElementOrder "
            "list:\n[map[name:b]]\n",
            Fault::Internal},
        Refusal{kOne, R"({"spec":{"$setElementOrder":[]}})",
                "invalid patch format of setElementOrder list", Fault::Invalid},
        Refusal{kOne, R"({"spec":{"$deleteFromPrimitiveList":[]}})",
                "invalid patch format of primitive list", Fault::Invalid},
        Refusal{kOne, R"({"spec":{"$retainKeys":["nodeName"],"hostname":"x"}})",
                "invalid patch format of retainKeys", Fault::Invalid},
        Refusal{R"({"bogus":{"a":1}})", R"({"bogus":{"a":2}})",
                R"(unable to find api field in struct Pod for the json field "bogus")",
                Fault::Internal},
        Refusal{R"({"metadata":{"labels":{"a":{}}}})", R"({"metadata":{"labels":{"a":{}}}})",
                "merging an object in json but data type is not struct, instead is: map",
                Fault::Internal},
        Refusal{kOne, "[1]",
                "json: cannot unmarshal array into Go value of type map[string]interface {}",
                Fault::Invalid}));

TEST(StrategicMergeOfCustomResources, IsNotSupported) {
  Schema custom;
  custom.type = Type::Object;

  auto merged = apply_strategic_patch(json("{}"), json("{}"), custom);

  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().what(), "strategic merge patch format is not supported");
}

TEST(StrategicMergeOfLongLists, TakesNoSquareTime) {
  std::string live = R"({"spec":{"containers":[)",
              patch = R"({"spec":{"$setElementOrder/containers":[],"containers":[)";
  for (int i = 0; i < 5000; ++i) {
    live += (i ? "," : "") + std::string(R"({"name":"a)") + std::to_string(i) + "\"}";
    patch += (i ? "," : "") + std::string(R"({"name":"b)") + std::to_string(i) + "\"}";
  }

  auto merged = apply_strategic_patch(json(live + "]}}"), json(patch + "]}}"),
                                      *Kinds::builtin().schema({"", "v1", "Pod"}));

  ASSERT_TRUE(merged) << merged.error().what();
  EXPECT_EQ(array_at(*merged, {"spec", "containers"}).size(), 10000u);
}

}  // namespace
}  // namespace holdfast::model
