#include "pods/identity.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/capability.h>

namespace holdfast::node {
namespace {

/// The identity of the one container of a pod with this spec.
Result<PersonOf> person(std::string_view spec, Ids ids = Ids::OfMachine) {
  Result<model::Parsed> object = model::parse_json(
      fmt::format(R"({{"metadata":{{"namespace":"shop","name":"p","uid":"1"}},"spec":{}}})", spec));
  const Pod pod = read_pod(std::make_shared<const model::Value>(std::move(object->value)));
  return person_of(pod, pod.containers.front(), "", "", ids);
}

bool has(const PersonOf& person, int capability) {
  return (strtoull(person.capabilities.c_str(), nullptr, 16) >> capability & 1) != 0;
}

TEST(Capabilities, OfRootAreNoneForTheNetworkThatAllShareAndNoneForDevices) {
  const Result<PersonOf> usual = person(R"({"containers":[{"name":"c"}]})");

  ASSERT_TRUE(usual);
  EXPECT_TRUE(has(*usual, CAP_CHOWN));
  EXPECT_FALSE(has(*usual, CAP_NET_RAW));
  EXPECT_FALSE(has(*usual, CAP_MKNOD));
}

TEST(Capabilities, AreGivenByName) {
  const Result<PersonOf> asked = person(
      R"({"containers":[{"name":"c","securityContext":{"capabilities":{"add":["MKNOD"]}}}]})");

  ASSERT_TRUE(asked);
  EXPECT_TRUE(has(*asked, CAP_MKNOD));
}

TEST(SeccompProfile, OfPodsThatSayNothingIsTheDefault) {
  EXPECT_FALSE(person(R"({"containers":[{"name":"c"}]})")->unconfined);
  EXPECT_FALSE(
      person(
          R"({"securityContext":{"seccompProfile":{"type":"RuntimeDefault"}},"containers":[{"name":"c"}]})")
          ->unconfined);
}

TEST(SeccompProfile, OfAContainerComesBeforeThatOfItsPod) {
  const Result<PersonOf> confined = person(
      R"({"securityContext":{"seccompProfile":{"type":"Unconfined"}},"containers":[
          {"name":"c","securityContext":{"seccompProfile":{"type":"RuntimeDefault"}}}]})");
  const Result<PersonOf> unconfined = person(
      R"({"containers":[{"name":"c","securityContext":{"seccompProfile":{"type":"Unconfined"}}}]})");

  ASSERT_TRUE(confined && unconfined);
  EXPECT_FALSE(confined->unconfined);
  EXPECT_TRUE(unconfined->unconfined);
}

TEST(SeccompProfile, OfPrivilegedContainersIsNone) {
  EXPECT_TRUE(
      person(R"({"containers":[{"name":"c","securityContext":{"privileged":true}}]})")->unconfined);
}

TEST(SeccompProfile, OfAFileIsRefused) {
  const Result<PersonOf> local = person(
      R"({"securityContext":{"seccompProfile":{"type":"Localhost","localhostProfile":"x.json"}},
          "containers":[{"name":"c"}]})");

  ASSERT_FALSE(local);
  EXPECT_EQ(local.error().what(),
            "seccompProfile Localhost is not served by this node: it has RuntimeDefault and "
            "Unconfined (pod: \"p_shop(1)\", container: c)");
}

TEST(IdsOfANamespace, EndAt65535) {
  for (const char* context : {R"({"runAsUser":65536})", R"({"runAsUser":1,"runAsGroup":100000})",
                              R"({"fsGroup":2000000000})", R"({"supplementalGroups":[5,70000]})"}) {
    const std::string spec =
        fmt::format(R"({{"securityContext":{},"containers":[{{"name":"c"}}]}})", context);
    const Result<PersonOf> refused = person(spec, Ids::OfNamespace);
    ASSERT_FALSE(refused) << context;
    EXPECT_NE(refused.error().what().find("choose one up to 65535, or hostUsers: true"),
              std::string::npos)
        << refused.error().what();
    EXPECT_TRUE(person(spec, Ids::OfMachine)) << context;
  }
  EXPECT_TRUE(person(R"({"securityContext":{"runAsUser":65535},"containers":[{"name":"c"}]})",
                     Ids::OfNamespace));
}

}  // namespace
}  // namespace holdfast::node
