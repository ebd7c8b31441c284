// The table of built-in kinds, checked where other code relies on it.
#include <holdfast/model/kinds.h>

#include "kinds/table.h"

namespace holdfast::model {
namespace {

const Field& field(std::string_view shape, std::string_view name) {
  const Shape* found = Kinds::builtin().shape(shape);
  HF_CHECK(found);
  const Field* member = found->find(name);
  HF_CHECK(member);
  return *member;
}

TEST(Kinds, FindsEveryGroupThatIsServed) {
  for (const GroupVersionKind& gvk : std::vector<GroupVersionKind>{
           {"", "v1", "Pod"},
           {"", "v1", "PodList"},
           {"", "v1", "Status"},
           {"", "v1", "DeleteOptions"},
           {"", "v1", "Binding"},
           {"", "v1", "APIResourceList"},
           {"meta.k8s.io", "v1", "DeleteOptions"},
           {"apps", "v1", "Deployment"},
           {"apps", "v1", "DeleteOptions"},
           {"batch", "v1", "CronJob"},
           {"rbac.authorization.k8s.io", "v1", "ClusterRole"},
           {"storage.k8s.io", "v1", "CSIDriver"},
           {"policy", "v1", "Eviction"},
           {"networking.k8s.io", "v1", "Ingress"},
           {"scheduling.k8s.io", "v1", "PriorityClass"},
           {"coordination.k8s.io", "v1", "Lease"},
           {"events.k8s.io", "v1", "Event"},
           {"discovery.k8s.io", "v1", "EndpointSlice"},
           {"autoscaling", "v1", "Scale"},
           {"autoscaling", "v2", "HorizontalPodAutoscaler"},
           {"apiextensions.k8s.io", "v1", "CustomResourceDefinition"},
           {"admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration"},
           {"authentication.k8s.io", "v1", "TokenRequest"},
           {"authorization.k8s.io", "v1", "SelfSubjectAccessReview"}}) {
    const BuiltinKind* kind = Kinds::builtin().find(gvk);
    ASSERT_TRUE(kind) << gvk.group << "/" << gvk.kind;
    EXPECT_EQ(Kinds::builtin().schema(gvk)->shape, kind->shape);
    EXPECT_EQ(kind->shape->fields[0].name, "kind");
  }
  EXPECT_EQ(Kinds::builtin().find({"apps", "v1", "Pod"}), nullptr);
}

TEST(Kinds, KnowsMergeAndListKeysAndDefaults) {
  const Schema& ports = field("io.k8s.api.core.v1.Container", "ports").schema;
  EXPECT_EQ(ports.patch_strategy, kPatchMerge);
  EXPECT_EQ(ports.patch_merge_key, "containerPort");
  EXPECT_EQ(ports.list_type, ListType::Map);
  EXPECT_EQ(ports.list_keys, (std::vector<std::string>{"containerPort", "protocol"}));

  const Schema& protocol = field("io.k8s.api.core.v1.ContainerPort", "protocol").schema;
  EXPECT_EQ(protocol.default_value, Value("TCP"));
  EXPECT_EQ(protocol.go_name, "v1.Protocol");
  EXPECT_EQ(protocol.limits->enum_values.size(), 3u);

  EXPECT_EQ(field("io.k8s.api.core.v1.PodSpec", "volumes").schema.patch_strategy,
            kPatchMerge | kPatchRetainKeys);
  EXPECT_EQ(field("io.k8s.api.apps.v1.DeploymentSpec", "selector").schema.map_type,
            MapType::Atomic);
  EXPECT_EQ(Kinds::builtin().shape("io.k8s.api.apps.v1.DeploymentSpec")->required,
            (std::vector<std::string>{"selector", "template"}));
}

TEST(Kinds, FlattensEmbeddedStructsAndKeepsThemForProtobuf) {
  const Shape* volume = Kinds::builtin().shape("io.k8s.api.core.v1.Volume");

  EXPECT_EQ(volume->find("VolumeSource"), nullptr);
  EXPECT_EQ(volume->find("hostPath")->tag, 0u);
  EXPECT_EQ(volume->fields[0].name, "name");
  EXPECT_TRUE(volume->fields[1].inlined);
  EXPECT_EQ(volume->fields[1].tag, 2u);
  EXPECT_EQ(volume->fields[1].schema.shape,
            Kinds::builtin().shape("io.k8s.api.core.v1.VolumeSource"));
}

TEST(Kinds, KnowsWhenGoPrints) {
  const Field& created =
      field("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "creationTimestamp");
  EXPECT_TRUE(created.omit_empty && created.omit_zero);
  EXPECT_EQ(created.schema.go, GoType::Time);
  EXPECT_TRUE(field("io.k8s.api.apps.v1.DeploymentSpec", "replicas").schema.go_pointer);
  EXPECT_FALSE(field("io.k8s.api.core.v1.PodSpec", "containers").omit_empty);
}

TEST(Kinds, ShapesMayContainThemselves) {
  const Shape* props = Kinds::builtin().shape(
      "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");

  EXPECT_EQ(props->find("not")->schema.shape, props);
  EXPECT_EQ(props->find("properties")->schema.items->shape, props);
}

TEST(TableReader, NamesTheLineThatIsWrong) {
  SchemaArena arena;

  auto read = TableReader("# head\nP a x.a.v1\nS a.One\nname 1 o strnig\n", arena).read();

  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().what(), "line 4 of the table of kinds: unknown type strnig");
}

}  // namespace
}  // namespace holdfast::model
