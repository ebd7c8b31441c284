/// Pod streams, as far as the server decides them: which container, which node, which options. No
/// node is needed for these cases.
#include "suite.h"

namespace holdfast::suite {
namespace {

class PodStreams : public Case {
 protected:
  void SetUp() override {
    Case::SetUp();
    await_account();
    const Reply one =
        post("$POD", "{metadata: {name: one}, spec: {containers: [{name: a, image: x}]}}");
    ASSERT_EQ(one.code, 201) << one.body;
    const Reply two = post("$POD",
                           "{metadata: {name: two}, spec: {nodeName: nowhere, initContainers: "
                           "[{name: i, image: x}], containers: [{name: a, image: x}, "
                           "{name: b, image: x}]}}");
    ASSERT_EQ(two.code, 201) << two.body;
  }
  void TearDown() override {
    for (const char* pod : {"$POD/one", "$POD/two"}) del(pod, "{gracePeriodSeconds: 0}");
    Case::TearDown();
  }
};

TEST_F(PodStreams, DiscoveryListsThem) {
  const Reply list = get("/api/v1");
  std::string seen;
  for (const model::Value& resource : model::array_at(list.json, {"resources"})) {
    const std::string name = value_at(resource, "name");
    if (name == "pods/attach" || name == "pods/exec" || name == "pods/log" ||
        name == "pods/portforward")
      seen += name + " " + value_at(resource, "kind") + " " + value_at(resource, "verbs") + "\n";
  }
  EXPECT_EQ(seen,
            "pods/attach PodAttachOptions [\"create\",\"get\"]\n"
            "pods/exec PodExecOptions [\"create\",\"get\"]\n"
            "pods/log Pod [\"get\"]\n"
            "pods/portforward PodPortForwardOptions [\"create\",\"get\"]\n");
}

TEST_F(PodStreams, APodThatIsNotThere) {
  for (const char* what : {"exec?command=true", "log", "attach", "portforward?ports=1"})
    EXPECT_EQ(get(std::string("$POD/none/") + what).failure(),
              "404 NotFound: pods \"none\" not found")
        << what;
}

TEST_F(PodStreams, ThePodsOnlyContainerNeedNotBeNamed) {
  EXPECT_EQ(get("$POD/one/exec?command=true&stdout=true").failure(),
            "400 BadRequest: pod one does not have a host assigned");
  const Reply log = get("$POD/one/log");
  EXPECT_EQ(log.code, 204) << "a pod that runs nowhere has no log, and that is no failure";
  EXPECT_EQ(log.body, "");
}

TEST_F(PodStreams, OneOfManyContainersMustBeNamed) {
  const std::string expected =
      "400 BadRequest: a container name must be specified for pod two, choose one of: [i a b]";
  EXPECT_EQ(get("$POD/two/exec?command=true").failure(), expected);
  EXPECT_EQ(get("$POD/two/log").failure(), expected);
}

TEST_F(PodStreams, AContainerThatIsNotThere) {
  const std::string expected = "400 BadRequest: container z is not valid for pod two";
  EXPECT_EQ(get("$POD/two/exec?container=z&command=true").failure(), expected);
  EXPECT_EQ(get("$POD/two/log?container=z").failure(), expected);
}

TEST_F(PodStreams, ANodeThatIsNotThere) {
  for (const char* container : {"i", "a", "b"}) {
    const std::string query = std::string("?container=") + container;
    EXPECT_EQ(get("$POD/two/exec" + query).failure(), "404 NotFound: pods \"nowhere\" not found");
    EXPECT_EQ(get("$POD/two/log" + query).failure(), "404 NotFound: pods \"nowhere\" not found");
  }
}

TEST_F(PodStreams, BothMethodsOfExecAreLookedAtInTheSameOrder) {
  EXPECT_EQ(post("$POD/one/exec?command=true", "").failure(),
            "400 BadRequest: pod one does not have a host assigned");
  EXPECT_EQ(send({.method = "PUT", .target = "$POD/one/exec"}).code, 405);
  EXPECT_EQ(send({.method = "POST", .target = "$POD/one/log"}).code, 405);
}

TEST_F(PodStreams, OptionsOfLogsAreChecked) {
  EXPECT_EQ(get("$POD/one/log?tailLines=x").failure(),
            "400 BadRequest: strconv.ParseInt: parsing \"x\": invalid syntax");
  EXPECT_EQ(get("$POD/one/log?sinceTime=yesterday").failure(),
            "400 BadRequest: parsing time \"yesterday\" as \"2006-01-02T15:04:05Z07:00\": cannot "
            "parse \"yesterday\" as \"2006\"");
  EXPECT_EQ(get("$POD/one/log?tailLines=-1&limitBytes=0&sinceSeconds=0").causes(),
            "FieldValueInvalid tailLines: Invalid value: -1: must be greater than or equal to 0\n"
            "FieldValueInvalid limitBytes: Invalid value: 0: must be greater than 0\n"
            "FieldValueInvalid sinceSeconds: Invalid value: 0: must be greater than 0");
  EXPECT_EQ(get("$POD/one/log?sinceSeconds=5&sinceTime=2026-01-02T03:04:05Z").failure(),
            "422 Invalid: PodLogOptions \"one\" is invalid: []: Forbidden: at most one of "
            "`sinceTime` or `sinceSeconds` may be specified");
  EXPECT_EQ(get("$POD/one/log?stream=Stdout").failure(),
            "422 Invalid: PodLogOptions \"one\" is invalid: stream: Forbidden: may not be "
            "specified");
  EXPECT_EQ(get("$POD/one/log?tailLines=0&limitBytes=1&sinceSeconds=1&follow=1&timestamps&"
                "previous=true&insecureSkipTLSVerifyBackend=true")
                .code,
            204);
}

TEST_F(PodStreams, RightsAreThoseOfTheSubresource) {
  EXPECT_EQ(as("alice", "GET", "$POD/one/exec").failure(),
            "403 Forbidden: pods \"one\" is forbidden: User \"alice\" cannot get resource "
            "\"pods/exec\" in API group \"\" in the namespace \"$NS\"");
  EXPECT_EQ(as("alice", "POST", "$POD/one/exec").failure(),
            "403 Forbidden: pods \"one\" is forbidden: User \"alice\" cannot create resource "
            "\"pods/exec\" in API group \"\" in the namespace \"$NS\"");
  EXPECT_EQ(as("alice", "GET", "$POD/one/log").failure(),
            "403 Forbidden: pods \"one\" is forbidden: User \"alice\" cannot get resource "
            "\"pods/log\" in API group \"\" in the namespace \"$NS\"");
}

class Nodes : public PodStreams {
 protected:
  void TearDown() override {
    del("/api/v1/nodes/$NS");
    PodStreams::TearDown();
  }
};

TEST_F(Nodes, ANodeWithoutAnAddressAndARequestWithoutAnUpgrade) {
  ASSERT_EQ(post("/api/v1/nodes", "{metadata: {name: $NS}}").code, 201);
  const Reply pod = post("$POD",
                         "{metadata: {name: three}, spec: {nodeName: $NS, "
                         "containers: [{name: a, image: x}]}}");
  ASSERT_EQ(pod.code, 201) << pod.body;
  const std::string expected = "500 : no preferred addresses found; known addresses: []";
  EXPECT_EQ(get("$POD/three/exec?command=true").failure(), expected);
  EXPECT_EQ(get("$POD/three/log").failure(), expected);
  const Reply node = merge("/api/v1/nodes/$NS/status",
                           "{status: {addresses: [{type: InternalIP, address: 127.0.0.1}], "
                           "daemonEndpoints: {kubeletEndpoint: {Port: 1}}}}");
  ASSERT_EQ(node.code, 200) << node.body;
  EXPECT_EQ(get("$POD/three/exec?command=true").failure(),
            "400 BadRequest: Upgrade request required");
  del("$POD/three", "{gracePeriodSeconds: 0}");
}

}  // namespace
}  // namespace holdfast::suite
