#include <holdfast/base/bytes.h>
#include <holdfast/kube/config.h>

#include <gtest/gtest.h>

namespace holdfast::kube {
namespace {

constexpr const char* kShop = R"(
apiVersion: v1
kind: Config
clusters:
- name: shop
  cluster:
    server: https://shop:6443/k8s?x#y
    certificate-authority: ca.crt
    tls-server-name: kubernetes
    proxy-url: socks5://proxy:1080
users:
- name: admin
  user:
    client-certificate: certs/admin.crt
    client-key: /abs/admin.key
    as: alice
    as-uid: u1
    as-groups: [devs, ops]
    as-user-extra: {scopes: [view, edit]}
contexts:
- name: shop
  context: {cluster: shop, user: admin, namespace: web}
current-context: shop
)";

Result<Config> merged(const std::vector<std::string>& texts, const std::string& context = "") {
  std::vector<ConfigText> files;
  for (const std::string& text : texts)
    files.push_back(
        {"file" + std::to_string(files.size()), text, "/folder" + std::to_string(files.size())});
  return merge_configs(files, context);
}

/// A config with that cluster and that user, both flow YAML.
std::string with(const std::string& cluster, const std::string& user) {
  return "{clusters: [{name: c, cluster: " + cluster + "}], users: [{name: u, user: " + user +
         "}], contexts: [{name: x, context: {cluster: c, user: u}}], current-context: x}";
}
std::string with_user(const std::string& user) { return with("{server: 'https://c'}", user); }

std::string error_of(const Result<Config>& config) {
  return config ? "no error" : config.error().what();
}

TEST(Kubeconfig, ReadsWhatTheContextNames) {
  const Result<Config> config = merged({kShop});

  ASSERT_TRUE(config) << config.error().what();
  EXPECT_EQ(config->server, "https://shop:6443/k8s");
  EXPECT_EQ(config->ca_file, "/folder0/ca.crt");
  EXPECT_EQ(config->tls_server_name, "kubernetes");
  EXPECT_EQ(config->proxy_url, "socks5://proxy:1080");
  EXPECT_FALSE(config->insecure);
  EXPECT_EQ(config->ns, "web");
  EXPECT_EQ(config->user.certificate_file, "/folder0/certs/admin.crt");
  EXPECT_EQ(config->user.key_file, "/abs/admin.key");
  EXPECT_EQ(config->user.as_user, "alice");
  EXPECT_EQ(config->user.as_uid, "u1");
  EXPECT_EQ(config->user.as_groups, (std::vector<std::string>{"devs", "ops"}));
  EXPECT_EQ(config->user.as_extra, (std::vector<std::pair<std::string, std::string>>{
                                       {"scopes", "view"}, {"scopes", "edit"}}));
  EXPECT_EQ(config->source, "context shop of file0");
}

TEST(Kubeconfig, FirstFileToSayAThingWins) {
  const std::string second = R"(
clusters: [{name: shop, cluster: {server: 'https://other', insecure-skip-tls-verify: true}},
           {name: lab, cluster: {server: 'https://lab', certificate-authority: lab.crt}}]
users: [{name: admin, user: {token: other}}, {name: me, user: {tokenFile: token}}]
contexts: [{name: lab, context: {cluster: lab, user: me}}]
current-context: lab
)";

  const Result<Config> first = merged({kShop, second});
  const Result<Config> lab = merged({kShop, second}, "lab");
  const Result<Config> reversed = merged({second, kShop});

  ASSERT_TRUE(first) << first.error().what();
  EXPECT_EQ(first->server, "https://shop:6443/k8s");
  EXPECT_EQ(first->user.token, "");  // the second file's admin counts for nothing
  ASSERT_TRUE(lab) << lab.error().what();
  EXPECT_EQ(lab->ca_file, "/folder1/lab.crt");
  EXPECT_EQ(lab->user.token_file, "/folder1/token");
  EXPECT_EQ(lab->ns, "default");
  EXPECT_EQ(lab->source, "context lab of file1");
  EXPECT_EQ(reversed->server, "https://lab");
}

TEST(Kubeconfig, EntriesMayStandInDifferentFilesAndFilesMayBeEmpty) {
  const Result<Config> config =
      merged({"", "# only a comment\n", "current-context: x",
              "clusters: [{name: c, cluster: {server: 'http://c'}}]",
              "{users: [{name: u, user: {username: joe, password: secret}}], clusters: null,"
              " contexts: [{name: x, context: {cluster: c, user: u}}]}"});

  ASSERT_TRUE(config) << config.error().what();
  EXPECT_EQ(config->server, "http://c");
  EXPECT_EQ(config->user.username, "joe");
  EXPECT_EQ(config->user.password, "secret");
}

TEST(Kubeconfig, InlineDataCountsMoreThanFiles) {
  const Result<Config> config =
      merged({with("{server: 'https://c', certificate-authority: f, certificate-authority-data: " +
                       base64("CA") + "}",
                   "{client-certificate: f, client-certificate-data: " + base64("CERT") +
                       ", client-key: f, client-key-data: " + base64("KEY") + "}")});

  ASSERT_TRUE(config) << config.error().what();
  EXPECT_EQ(config->ca, "CA");
  EXPECT_EQ(config->ca_file, "");
  EXPECT_EQ(config->user.certificate, "CERT");
  EXPECT_EQ(config->user.certificate_file, "");
  EXPECT_EQ(config->user.key, "KEY");
}

TEST(Kubeconfig, PluginIsReadWithWhatTheClusterHoldsForIt) {
  const Result<Config> config = merged({with(
      "{server: 'https://c', extensions: [{name: other, extension: 1}, "
      "{name: client.authentication.k8s.io/exec, extension: {audience: a}}]}",
      "{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./bin/login, args: [a, b], "
      "env: [{name: NAME, value: V}], interactiveMode: Never, installHint: get it, "
      "provideClusterInfo: true}}")});

  ASSERT_TRUE(config) << config.error().what();
  const ExecPlugin& exec = config->user.exec.value();
  EXPECT_EQ(exec.command, "/folder0/bin/login");
  EXPECT_EQ(exec.args, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(exec.env.at(0), (std::pair<std::string, std::string>{"NAME", "V"}));
  EXPECT_EQ(exec.interactive_mode, "Never");
  EXPECT_EQ(exec.install_hint, "get it");
  EXPECT_TRUE(exec.provide_cluster_info);
  EXPECT_EQ(exec.cluster_config, R"({"audience":"a"})");
}

TEST(Kubeconfig, OldPluginMayAskIfItCan) {
  const Result<Config> config = merged(
      {with_user("{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: login}}")});

  ASSERT_TRUE(config) << config.error().what();
  EXPECT_EQ(config->user.exec->interactive_mode, "IfAvailable");
  EXPECT_EQ(config->user.exec->command, "login");
}

struct BadConfig {
  std::string text;
  std::string error;
};

void expect_refused(const std::vector<BadConfig>& table) {
  for (const BadConfig& bad : table) {
    const Result<Config> config = merged({bad.text});
    ASSERT_FALSE(config) << bad.text;
    EXPECT_EQ(config.error().what(), bad.error);
    EXPECT_EQ(config.error().fault(), Fault::Invalid) << bad.text;
  }
}

TEST(Kubeconfig, BadEntriesAreNamedByFileAndMember) {
  expect_refused(
      {{"[1, 2]", "file0: is no kubeconfig: not a mapping"},
       {"just text", "file0: is no kubeconfig: not a mapping"},
       {"kind: Pod", "file0: kind: must be Config, is \"Pod\""},
       {"apiVersion: v2", "file0: apiVersion: must be v1, is \"v2\""},
       {"clusters: {}", "file0: clusters: must be a list, is a mapping"},
       {"users: [7]", "file0: users[0]: must be a mapping, is a number"},
       {"users: [{name: 7}]", "file0: users[0].name: must be a string, is a number"},
       {"users: [{name: a, user: x}]", "file0: users[0].user: must be a mapping, is a string"},
       {"users: [{name: a}, {name: a}]", "file0: users[1].name: \"a\" stands twice"},
       {"current-context: [x]", "file0: current-context: must be a string, is a list"},
       {"{}", "file0: current-context is not set and no context was named; there is none"},
       {"{contexts: [{name: a}, {name: b}]}",
        "file0: current-context is not set and no context was named; there are: a, b"},
       {"{contexts: [{name: a}], current-context: z}",
        "file0: context \"z\" does not exist; there are: a"},
       {"{contexts: [{name: a}], current-context: a}",
        "file0: contexts[0].context.user: is not set"},
       {"{contexts: [{name: a, context: {user: u}}], current-context: a}",
        "file0: contexts[0].context.user: \"u\" does not exist; there is none"},
       {with("{}", "{}"), "file0: clusters[0].cluster.server: is not set"},
       {with("{server: 'c:6443'}", "{}"),
        "file0: clusters[0].cluster.server: \"c:6443\" is neither http:// nor https://"},
       {with("{server: 'https://c', certificate-authority-data: '%%'}", "{}"),
        "file0: clusters[0].cluster.certificate-authority-data: is no base64"},
       {with("{server: 'https://c', certificate-authority: f, insecure-skip-tls-verify: true}",
             "{}"),
        "file0: clusters[0].cluster.insecure-skip-tls-verify: checking nothing and checking "
        "with "
        "a certificate authority exclude each other"},
       {with("{server: 'https://c', insecure-skip-tls-verify: 'yes'}", "{}"),
        "file0: clusters[0].cluster.insecure-skip-tls-verify: must be true or false, is a "
        "string"},
       {with("{server: 'https://c', proxy-url: 'ftp://u:pass@p'}", "{}"),
        "file0: clusters[0].cluster.proxy-url: is no http://, https:// or socks5:// address"}});
}

TEST(Kubeconfig, BadUsersAreNamedByFileAndMember) {
  const std::string v1 = "apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never";
  expect_refused(
      {{with_user("{token: 12345}"), "file0: users[0].user.token: must be a string, is a number"},
       {with_user("{client-certificate: f}"),
        "file0: users[0].user.client-key: is not set, and the certificate needs it"},
       {with_user("{client-key-data: QQ==}"),
        "file0: users[0].user.client-certificate: is not set, and the key is of no use without "
        "it"},
       {with_user("{token: t, username: u}"),
        "file0: users[0].user.token: and username exclude each other: one way to log in is "
        "allowed"},
       {with_user("{as-groups: [g]}"),
        "file0: users[0].user.as: is not set, and as-uid, as-groups and as-user-extra need it"},
       {with_user("{as: a, as-groups: [1]}"),
        "file0: users[0].user.as-groups[0]: must be a string, is a number"},
       {with_user("{auth-provider: {name: gcp}}"),
        "file0: users[0].user.auth-provider: is a way to log in that Kubernetes has given up"},
       {with_user("{exec: {" + v1 + "}}"), "file0: users[0].user.exec.command: is not set"},
       {with_user("{exec: {command: c, apiVersion: client.authentication.k8s.io/v1alpha1}}"),
        "file0: users[0].user.exec.apiVersion: must be client.authentication.k8s.io/v1 or "
        "client.authentication.k8s.io/v1beta1, is \"client.authentication.k8s.io/v1alpha1\""},
       {with_user("{exec: {command: c, apiVersion: client.authentication.k8s.io/v1}}"),
        "file0: users[0].user.exec.interactiveMode: is not set: Never, IfAvailable or Always"},
       {with_user("{exec: {" + v1 + ", command: c, env: [{value: x}]}}"),
        "file0: users[0].user.exec.env[0].name: is no name of a variable"},
       {with_user("{exec: {command: c, apiVersion: client.authentication.k8s.io/v1, "
                  "interactiveMode: Maybe}}"),
        "file0: users[0].user.exec.interactiveMode: must be Never, IfAvailable or Always, is "
        "\"Maybe\""}});
}

TEST(Kubeconfig, TextThatDoesNotParseNamesItsFile) {
  for (const char* text : {"a: [", "a: b: c", "\tx: 1", "{\"a\": \"", "a: *nothing"}) {
    const Result<Config> config = merged({kShop, text});
    ASSERT_FALSE(config) << text;
    EXPECT_TRUE(config.error().what().starts_with("file1: ")) << config.error().what();
  }
}

TEST(Kubeconfig, MemberThatStandsTwiceIsRefused) {
  EXPECT_NE(error_of(merged({"users: []\nusers: []\n"})).find("file0: "), std::string::npos);
  EXPECT_NE(error_of(merged({"users: []\nusers: []\n"})).find("users"), std::string::npos);
}

TEST(Kubeconfig, ErrorsShowNoSecret) {
  const std::string secret = "hunter2-hunter2";
  for (const std::string& text :
       {with_user("{token: [" + secret + "]}"), with_user("{token: t, password: " + secret + "}"),
        with_user("{client-key-data: '" + secret + "%'}"),
        with_user("{username: {a: " + secret + "}}"),
        with("{server: 'https://c', proxy-url: 'x://u:" + secret + "@p'}", "{}")}) {
    const Result<Config> config = merged({text});
    ASSERT_FALSE(config) << text;
    EXPECT_EQ(config.error().what().find(secret), std::string::npos) << config.error().what();
  }
}

}  // namespace
}  // namespace holdfast::kube
