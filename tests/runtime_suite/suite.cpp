#include "suite.h"

#include <fmt/format.h>

#include <thread>

namespace holdfast::runtime {

Value yaml(const std::string& text) {
  Result<model::Parsed> parsed = model::parse_yaml(text);
  if (!parsed) {
    ADD_FAILURE() << "the case's own text does not parse: " << parsed.error().what();
    return {};
  }
  return std::move(parsed->value);
}

std::string text_at(const Value& object, std::initializer_list<std::string_view> path) {
  return std::string(model::string_at(object, path));
}

void Case::SetUp() {
  const kube::Reply<Value> made = client_.create(
      kube::kNamespaces, "",
      yaml(fmt::format("{{apiVersion: v1, kind: Namespace, metadata: {{name: {}}}}}", ns_)));
  ASSERT_TRUE(made) << made.error().error.what();
}

void Case::TearDown() {
  const kube::Reply<Value> removed = client_.remove(kube::kNamespaces, "", ns_);
  EXPECT_TRUE(removed) << removed.error().error.what();
}

kube::Client Case::client_over(net::Client& transport, kube::ClientSettings settings) {
  return {transport, clock_, random_, kube::sleep_until_stopped(), std::move(settings)};
}

Value Case::config_map(const std::string& name, const std::string& data) const {
  return yaml(fmt::format(
      "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {}, namespace: {}}}, data: {}}}", name,
      ns_, data));
}

kube::Reply<Value> Case::make_map(const std::string& name, const std::string& data) {
  return client_.create(kube::kConfigMaps, ns_, config_map(name, data));
}

bool Case::await(const std::function<bool()>& condition) {
  for (int i = 0; i < 600; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return condition();
}

void Case::grant(const std::string& rules, const std::string& subject) {
  const kube::Resource roles{"rbac.authorization.k8s.io", "v1", "roles", "Role"};
  const kube::Resource bindings{"rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding"};
  const kube::Reply<Value> role =
      client_.create(roles, ns_,
                     yaml(fmt::format("{{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, "
                                      "metadata: {{name: r}}, rules: {}}}",
                                      rules)));
  ASSERT_TRUE(role) << role.error().error.what();
  const kube::Reply<Value> binding = client_.create(
      bindings, ns_,
      yaml(fmt::format("{{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, "
                       "metadata: {{name: r}}, roleRef: {{apiGroup: rbac.authorization.k8s.io, "
                       "kind: Role, name: r}}, subjects: [{}]}}",
                       subject)));
  ASSERT_TRUE(binding) << binding.error().error.what();
}

std::string Case::token_of(const std::string& account) {
  const Value object = yaml(
      fmt::format("{{apiVersion: v1, kind: ServiceAccount, metadata: {{name: {}}}}}", account));
  const kube::Reply<Value> made = client_.create(kube::kServiceAccounts, ns_, object);
  EXPECT_TRUE(made || made.error().already_exists()) << made.error().error.what();
  const kube::Reply<Value> token =
      client_.create(kube::kServiceAccounts, ns_,
                     yaml(fmt::format("{{apiVersion: authentication.k8s.io/v1, kind: TokenRequest, "
                                      "metadata: {{name: {}}}, spec: {{expirationSeconds: 3600}}}}",
                                      account)),
                     {.subresource = "token"});
  EXPECT_TRUE(token) << token.error().error.what();
  return token ? text_at(*token, {"status", "token"}) : "";
}

}  // namespace holdfast::runtime
