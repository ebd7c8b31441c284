// Messages as kubectl and client-go send them, and bytes that are none.
#include <holdfast/model/kinds.h>
#include <holdfast/model/typed.h>

#include "protobuf/wire.h"

namespace holdfast::model {
namespace {

std::string from_hex(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16));
  return bytes;
}

const Shape& shape(std::string_view name) { return *Kinds::builtin().shape(name); }

// Written by the Go serializer: a pod with an emptyDir volume (an embedded struct), a probe with a
// named port, a size and a list of numbers.
const std::string kPod = from_hex(
    "6b3873000a090a0276311203506f6412a4010a190a016112001a0022002a003200380042005a060a016b1201761272"
    "0a100a0176120b12090a00"
    "12050a03314769123b0a016312002a00420052200a1412120a00120a080110001a04687474701a0022001000180020"
    "00280030006a00720080"
    "0100880100900100a201001a00320042004a0052005800600068007205200120ac028201008a01009a0100c201001a"
    "130a001a0022002a0032"
    "004a005a0072008801001a002200");

TEST(Protobuf, ReadsWhatGoWrote) {
  auto envelope = open_protobuf(kPod);
  ASSERT_TRUE(envelope);
  EXPECT_EQ(envelope->api_version, "v1");
  EXPECT_EQ(envelope->kind, "Pod");

  auto pod = decode_protobuf(envelope->raw, shape("io.k8s.api.core.v1.Pod"));
  ASSERT_TRUE(pod);
  ASSERT_TRUE(decode_typed(*pod, *Kinds::builtin().schema({"", "v1", "Pod"})));

  EXPECT_EQ(
      to_json(*pod),
      R"({"metadata":{"name":"a","labels":{"k":"v"}},"spec":{"volumes":[{"name":"v","emptyDir":{"sizeLimit":"1Gi"}}],)"
      R"("containers":[{"name":"c","resources":{},"livenessProbe":{"httpGet":{"port":"http"}}}],)"
      R"("securityContext":{"supplementalGroups":[1,300]}},"status":{}})");
}

TEST(Protobuf, WritesTheBytesThatGoWrites) {
  auto envelope = open_protobuf(kPod);
  auto pod = decode_protobuf(envelope->raw, shape("io.k8s.api.core.v1.Pod"));

  auto again = encode_protobuf(*pod, shape("io.k8s.api.core.v1.Pod"));

  ASSERT_TRUE(again);
  EXPECT_EQ(*again, envelope->raw);
}

TEST(Protobuf, ReadsMicroTimesAndListsInMessages) {
  auto lease = decode_protobuf(from_hex("120b220908a5bbb5f00510f02e"),
                               shape("io.k8s.api.coordination.v1.Lease"));
  auto review = decode_protobuf(from_hex("12111a002a0b0a016112060a01780a01793200"),
                                shape("io.k8s.api.authorization.v1.SubjectAccessReview"));

  EXPECT_EQ(string_at(*lease, {"spec", "renewTime"}), "2020-01-02T03:04:05.000006Z");
  EXPECT_EQ(to_json(*find(*review, {"spec", "extra"})), R"({"a":["x","y"]})");
}

TEST(Protobuf, ReadsPackedNumbersAndSkipsWhatNobodyKnows) {
  // supplementalGroups (4) packed; then unknown 50 as varint, group with a member, fixed32 and
  // fixed64.
  auto context = decode_protobuf(from_hex("220301ac02"
                                          "900301"
                                          "930308019403"
                                          "950300000000"
                                          "91030000000000000000"),
                                 shape("io.k8s.api.core.v1.PodSecurityContext"));

  ASSERT_TRUE(context) << context.error().what();
  EXPECT_EQ(to_json(*context), R"({"supplementalGroups":[1,300]})");
}

TEST(Protobuf, RefusesBrokenMessages) {
  const Shape& reference = shape("io.k8s.api.core.v1.SecretReference");
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"0a05ab", "unexpected EOF"},
      {"0a", "unexpected EOF"},
      {"08", "proto: wrong wireType = 0 for field Name"},
      {"0c", "proto: SecretReference: wiretype end group for non-group"},
      {"0200", "proto: SecretReference: illegal tag 0 (wire type 2)"},
      {"0affffffffffffffffff01", "proto: negative length found during unmarshaling"},
      {"ffffffffffffffffffff01", "proto: integer overflow"},
      {"0a01ff", "proto: field name contains invalid UTF-8"},
      {"9303", "unexpected EOF"},
  };
  for (const auto& [hex, sentence] : cases) {
    auto value = decode_protobuf(from_hex(hex), reference);
    ASSERT_FALSE(value) << hex;
    EXPECT_EQ(value.error().what(), sentence) << hex;
  }
}

TEST(Protobuf, RefusesBodiesWithoutEnvelope) {
  EXPECT_EQ(open_protobuf("").error().what(), "empty data");
  EXPECT_EQ(
      open_protobuf("{}").error().what(),
      "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  EXPECT_EQ(open_protobuf(std::string_view("k8s\0", 4)).error().what(), "empty body");
}

TEST(Protobuf, SurvivesEveryCutAndEveryFlippedByte) {
  auto envelope = open_protobuf(kPod);
  const std::string whole(envelope->raw);
  const Shape& pod = shape("io.k8s.api.core.v1.Pod");
  for (size_t i = 0; i < whole.size(); ++i) {
    (void)decode_protobuf(std::string_view(whole).substr(0, i), pod);
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = whole;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      (void)decode_protobuf(flipped, pod);
    }
  }
}

TEST(Protobuf, RefusesEndlessNesting) {
  const Shape& props =
      shape("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");
  std::string message;
  for (int i = 0; i < 400; ++i) {
    std::string outer;
    put_bytes(outer, props.find("not")->tag, message);
    message = std::move(outer);
  }

  auto value = decode_protobuf(message, props);

  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().what(), "proto: message is nested too deeply");
}

}  // namespace
}  // namespace holdfast::model
