// Round trips through Go's types, as the real server was seen to do them.
#include <holdfast/model/kinds.h>
#include <holdfast/model/typed.h>

namespace holdfast::model {
namespace {

struct Outcome {
  std::string text;
  std::vector<std::string> unknown;
  std::string error;
};

Outcome decode(std::string_view text) {
  auto parsed = parse_json(text);
  HF_CHECK(parsed);
  auto gvk = gvk_of(parsed->value);
  HF_CHECK(gvk);
  auto decoded = decode_typed(parsed->value, *Kinds::builtin().schema(*gvk));
  if (!decoded) return {"", {}, decoded.error().what()};
  return {to_json(parsed->value), decoded->unknown, ""};
}

TEST(DecodeTyped, PrintsInGoOrderWithStructsAlwaysThere) {
  Outcome o = decode(
      R"({"spec":{"template":{}},"metadata":{"labels":{"b":"1","a":"2"},"name":"x"},"kind":"Deployment","apiVersion":"apps/v1"})");

  EXPECT_EQ(
      o.text,
      R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"x","labels":{"a":"2","b":"1"}},)"
      R"("spec":{"selector":null,"template":{"metadata":{},"spec":{"containers":null}},"strategy":{}},"status":{}})");
}

TEST(DecodeTyped, KeepsPointersToZeroAndDropsEmptyValues) {
  Outcome o = decode(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"","labels":{},"generation":0,"creationTimestamp":null},)"
      R"("spec":{"priority":0,"hostNetwork":false,"nodeName":"","containers":[],"securityContext":{},"dnsConfig":null}})");

  EXPECT_EQ(o.text, R"({"kind":"Pod","apiVersion":"v1","metadata":{},)"
                    R"("spec":{"containers":null,"securityContext":{},"priority":0},"status":{}})");
}

TEST(DecodeTyped, ReportsUnknownMembersWithTheirPath) {
  Outcome o = decode(
      R"({"apiVersion":"v1","kind":"Pod","bogus":1,"spec":{"containers":[{"name":"a"},{"Name":"b","env":[{"x":1}]}]}})");

  EXPECT_EQ(o.unknown, (std::vector<std::string>{"bogus", "spec.containers[1].Name",
                                                 "spec.containers[1].env[0].x"}));
  EXPECT_EQ(o.text.find("bogus"), std::string::npos);
}

TEST(DecodeTyped, WritesCanonicalTexts) {
  Outcome o = decode(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"creationTimestamp":"2020-01-02T03:04:05.9+02:00"},"spec":)"
      R"({"containers":[{"name":"a","resources":{"limits":{"memory":"1024Ki","cpu":0.5}}}]}})");

  EXPECT_EQ(
      o.text,
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"creationTimestamp":"2020-01-02T01:04:05Z"},)"
      R"("spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"500m","memory":"1Mi"}}}]},)"
      R"("status":{}})");
}

TEST(DecodeTyped, NullsInMapsAreEmptyAsStorageMakesThem) {
  EXPECT_EQ(
      decode(
          R"({"apiVersion":"v1","kind":"Secret","data":{"a":null,"b":"YQ=\n="},"stringData":{"c":null}})")
          .text,
      R"({"kind":"Secret","apiVersion":"v1","metadata":{},"data":{"a":"","b":"YQ=="},"stringData":{"c":""}})");
}

TEST(DecodeTyped, SecondJsonSchemaFormsStay) {
  Outcome o = decode(
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"group":"g","names":{"plural":"p",)"
      R"("kind":"K"},"scope":"Namespaced","versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":)"
      R"({"additionalProperties":{"items":[{"nope":1,"type":"string"}]},"enum":[null,{"z":1,"a":2}]}}}]}})");

  EXPECT_NE(o.text.find(R"({"openAPIV3Schema":{"enum":[null,{"z":1,"a":2}],)"
                        R"("additionalProperties":{"items":[{"type":"string"}]}}})"),
            std::string::npos)
      << o.text << o.error;
  EXPECT_TRUE(o.unknown.empty());
}

struct Refusal {
  std::string_view object;
  std::string_view sentence;
};

class DecodeTypedRefuses : public testing::TestWithParam<Refusal> {};

TEST_P(DecodeTypedRefuses, WithGoSentence) {
  EXPECT_EQ(decode(GetParam().object).error, GetParam().sentence);
}

INSTANTIATE_TEST_SUITE_P(
    Go, DecodeTypedRefuses,
    testing::Values(
        Refusal{R"({"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":"3"}})",
                "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas "
                "of type int32"},
        Refusal{R"({"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":3000000000}})",
                "json: cannot unmarshal number 3000000000 into Go struct field "
                "DeploymentSpec.spec.replicas of type int32"},
        Refusal{R"({"apiVersion":"v1","kind":"Pod","spec":{"activeDeadlineSeconds":1.5}})",
                "json: cannot unmarshal number 1.5 into Go struct field "
                "PodSpec.spec.activeDeadlineSeconds of type int64"},
        Refusal{
            R"({"apiVersion":"v1","kind":"Pod","metadata":[]})",
            "json: cannot unmarshal array into Go struct field Pod.metadata of type v1.ObjectMeta"},
        Refusal{R"({"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":1}}})",
                "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of "
                "type string"},
        Refusal{R"({"apiVersion":"v1","kind":"Pod","metadata":{"labels":"a"}})",
                "json: cannot unmarshal string into Go struct field ObjectMeta.metadata.labels of "
                "type map[string]string"},
        Refusal{R"({"apiVersion":"v1","kind":"Pod","spec":{"containers":{}}})",
                "json: cannot unmarshal object into Go struct field PodSpec.spec.containers of "
                "type []v1.Container"},
        Refusal{
            R"({"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"imagePullPolicy":true}]}})",
            "json: cannot unmarshal bool into Go struct field "
            "Container.spec.containers.imagePullPolicy of type "
            "v1.PullPolicy"},
        Refusal{R"({"apiVersion":"v1","kind":"Pod","spec":{"volumes":[{"hostPath":7,"name":1}]}})",
                "json: cannot unmarshal number into Go struct field Volume.spec.volumes.hostPath "
                "of type "
                "v1.HostPathVolumeSource"},
        Refusal{R"({"apiVersion":"v1","kind":"Pod","metadata":{"creationTimestamp":7}})",
                "json: cannot unmarshal number into Go struct field "
                "ObjectMeta.metadata.creationTimestamp of type string"},
        Refusal{R"({"apiVersion":"v1","kind":"Pod","metadata":{"creationTimestamp":"x"}})",
                R"(parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006")"},
        Refusal{
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"creationTimestamp":"2020-02-30T00:00:00Z"}})",
            R"(parsing time "2020-02-30T00:00:00Z": day out of range)"},
        Refusal{
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"creationTimestamp":"2020-01-02T03:04:05ZZ"}})",
            R"(parsing time "2020-01-02T03:04:05ZZ": extra text: "Z")"},
        Refusal{
            R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","spec":{"renewTime":"2020-01-02T03:04:05Z"}})",
            R"(parsing time "2020-01-02T03:04:05Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000")"},
        Refusal{R"({"apiVersion":"v1","kind":"Secret","data":{"a":"!!"}})",
                "illegal base64 data at input byte 0"},
        Refusal{R"({"apiVersion":"v1","kind":"Service","spec":{"ports":[{"targetPort":true}]}})",
                "json: cannot unmarshal bool into Go struct field "
                "ServicePort.spec.ports.targetPort of type int32"},
        // An UnmarshalJSON method ends the decoding, so its error hides the earlier one.
        Refusal{R"({"apiVersion":"v1","kind":"Pod","spec":{"nodeName":1,"overhead":{"cpu":"zz"}}})",
                "quantities must match the regular expression "
                "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"}));

}  // namespace
}  // namespace holdfast::model
