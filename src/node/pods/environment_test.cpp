// Expansion and the sources of variables; names of images; who a container runs as.
#include "pods/environment.h"

#include "pods/identity.h"
#include "pods/images.h"

#include <gtest/gtest.h>

namespace holdfast::node {
namespace {

Pod pod_with(std::string_view container, std::string_view security = "{}") {
  const std::string text =
      R"({"metadata":{"name":"p","namespace":"n","uid":"u","labels":{"app":"db"}},"spec":{"securityContext":)" +
      std::string(security) + R"(,"containers":[)" + std::string(container) + "]}}";
  Result<model::Parsed> parsed = model::parse_json(text);
  EXPECT_TRUE(parsed) << text;
  return read_pod(std::make_shared<const model::Value>(std::move(parsed->value)));
}

EnvSources sources() {
  EnvSources out;
  out.config_map = [](const std::string& name) -> Result<model::Value> {
    if (name != "c") return Error(Fault::NotFound, "none");
    return model::Value(model::Object{{"data", model::Object{{"k", "v"}, {"1bad", "x"}}}});
  };
  out.secret = [](const std::string& name) -> Result<model::Value> {
    if (name != "s") return Error(Fault::NotFound, "none");
    return model::Value(model::Object{{"data", model::Object{{"k", "aGk="}}}});
  };
  out.pod_ip = "127.64.0.9";
  out.memory_bytes = int64_t(8) << 30;
  out.cpu_millis = 4000;
  out.services = {{"DB_SERVICE_HOST", "127.64.0.1"}};
  return out;
}

std::string joined(const Result<Variables>& variables) {
  if (!variables) return "error: " + variables.error().what();
  std::string out;
  for (const auto& [name, value] : *variables) out += name + "=" + value + ";";
  return out;
}

std::string environment(std::string_view env) {
  const Pod pod =
      pod_with(R"({"name":"a","resources":{"limits":{"memory":"3Mi"}},)" + std::string(env) + "}");
  EnvSources from = sources();
  from.services.clear();
  return joined(environment_of(pod, pod.containers[0], from));
}

TEST(Environment, ExpandsWhatIsKnownAndLeavesTheRest) {
  const Variables variables = {{"A", "1"}, {"B", "two"}};
  EXPECT_EQ(expand("$(A)-$(B)", variables), "1-two");
  EXPECT_EQ(expand("$$(A)", variables), "$(A)");
  EXPECT_EQ(expand("$(C) $A $(A", variables), "$(C) $A $(A");
  EXPECT_EQ(expand("$$$(A)", variables), "$1");
  EXPECT_EQ(expand("$", variables), "$");
}

TEST(Environment, TakesValuesInTheirOrder) {
  EXPECT_EQ(environment(R"j("env":[{"name":"A","value":"1"},{"name":"B","value":"$(A)$(C)"},
                          {"name":"C","value":"3"}])j"),
            "A=1;B=1$(C);C=3;");
  EXPECT_EQ(
      environment(
          R"("envFrom":[{"prefix":"P_","configMapRef":{"name":"c"}}],"env":[{"name":"P_k","value":"own"}])"),
      "P_k=own;P_1bad=x;");
  EXPECT_EQ(
      environment(R"("env":[{"name":"A","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}])"),
      "A=hi;");
  EXPECT_EQ(
      environment(
          R"("env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"metadata.labels['app']"}}},
                                  {"name":"I","valueFrom":{"fieldRef":{"fieldPath":"status.podIP"}}}])"),
      "A=db;I=127.64.0.9;");
  EXPECT_EQ(
      environment(
          R"("env":[{"name":"M","valueFrom":{"resourceFieldRef":{"resource":"limits.memory","divisor":"1Mi"}}},
                                  {"name":"C","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu"}}}])"),
      "M=3;C=4;");
}

TEST(Environment, SaysWhatIsMissing) {
  EXPECT_EQ(
      environment(R"("env":[{"name":"A","valueFrom":{"configMapKeyRef":{"name":"x","key":"k"}}}])"),
      "error: configmap \"x\" not found");
  EXPECT_EQ(
      environment(R"("env":[{"name":"A","valueFrom":{"secretKeyRef":{"name":"s","key":"z"}}}])"),
      "error: couldn't find key z in Secret n/s");
  EXPECT_EQ(
      environment(
          R"("env":[{"name":"A","valueFrom":{"configMapKeyRef":{"name":"x","key":"k","optional":true}}}])"),
      "");
}

TEST(Images, AreFoldersButTheMachineItself) {
  const Images images("/nowhere", {});
  EXPECT_EQ(*images.root_of("host", "Always"), "/");
  EXPECT_EQ(images.root_of("a.example/x:1", "IfNotPresent").error().reason, "ErrImagePull");
  EXPECT_NE(images.root_of("a.example/x:1", "").error().message.find("/nowhere/a.example/x/1"),
            std::string::npos);
  EXPECT_EQ(images.root_of("a.example/x:1", "Never").error().reason, "ErrImageNeverPull");
  EXPECT_EQ(images.root_of("a.example/../x:1", "").error().reason, "InvalidImageName");
}

TEST(Identity, ComesFromTheContextAndTheImage) {
  const std::string_view passwd =
      "root:x:0:0::/root:/bin/sh\nmysql:x:106:113::/var/lib/mysql:/bin/false\n";
  const std::string_view group = "root:x:0:\nmysql:x:113:\nssl:x:120:mysql,www\n";
  const Pod pod = pod_with(
      R"({"name":"a"},{"name":"b","securityContext":{"runAsGroup":5,"capabilities":{"drop":["ALL"],"add":["CHOWN"]}}})",
      R"({"runAsUser":106,"fsGroup":200,"supplementalGroups":[300]})");
  const Result<PersonOf> a = person_of(pod, pod.containers[0], passwd, group, Ids::OfMachine);
  ASSERT_TRUE(a);
  EXPECT_EQ(a->uid, 106);
  EXPECT_EQ(a->gid, 113);
  EXPECT_EQ(a->home, "/var/lib/mysql");
  EXPECT_EQ(a->groups, (std::vector<int64_t>{113, 120, 200, 300}));
  const Result<PersonOf> b = person_of(pod, pod.containers[1], passwd, group, Ids::OfMachine);
  EXPECT_EQ(b->gid, 5);
  EXPECT_EQ(b->capabilities, "1");
}

TEST(Identity, NonRootIsHeldTo) {
  const Pod pod = pod_with(R"({"name":"a","securityContext":{"runAsNonRoot":true}})");
  const Result<PersonOf> person = person_of(pod, pod.containers[0], "", "", Ids::OfMachine);
  ASSERT_FALSE(person);
  EXPECT_NE(person.error().what().find("runAsNonRoot and image will run as root"),
            std::string::npos);
}

}  // namespace
}  // namespace holdfast::node
