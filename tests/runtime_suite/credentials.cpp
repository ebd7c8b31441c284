// Credentials that change: tokens and certificates that rotate, expire, or are not what they should
// be.
#include <holdfast/base/files.h>
#include <holdfast/base/mutex.h>
#include <holdfast/kube/access.h>
#include <holdfast/net/pki.h>

#include "suite.h"

#include <thread>

namespace holdfast::runtime {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using kube::kConfigMaps;
using kube::Reply;

class Credentials : public Case {
 protected:
  void SetUp() override {
    Case::SetUp();
    std::string name = fs::temp_directory_path() / "holdfast-login.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    fs::remove_all(folder_);
    Case::TearDown();
  }

  fs::path write(const std::string& name, const std::string& text, mode_t mode = 0600) const {
    EXPECT_TRUE(write_file(folder_ / name, text, mode));
    return folder_ / name;
  }
  /// The subject's server for somebody else.
  static kube::Config nobody() {
    kube::Config config = Subject::get().config();
    config.user = {};
    config.source = "the suite";
    return config;
  }
  std::unique_ptr<net::Client> log_in(const kube::Config& config) {
    Result<std::unique_ptr<net::Client>> made = kube::connect(config, time_);
    EXPECT_TRUE(made) << made.error().what();
    return made ? made.take() : nullptr;
  }
  std::string who(net::Client& transport) {
    kube::Client client = client_over(transport, {.tries = 1});
    const Reply<kube::Who> who = kube::who_am_i(client);
    return who ? who->user : std::to_string(who.error().code) + " " + who.error().error.what();
  }
  /// A certificate of the server's own authority, and its key.
  std::string certificate(const std::string& name, std::chrono::hours lifetime, std::string& key) {
    const fs::path pki = Subject::get().folder() / "pki";
    key = net::make_key().take().private_pem;
    Result<std::string> made = net::make_certificate(
        {.common_name = name, .client = true, .lifetime = lifetime}, key,
        read_file(pki / "ca.crt").take(), read_file(pki / "ca.key").take(), clock_, random_);
    EXPECT_TRUE(made) << made.error().what();
    return made.take();
  }
  std::string account(const std::string& name) const {
    return "system:serviceaccount:" + ns_ + ":" + name;
  }

  fs::path folder_;
  ManualClock time_{clock_.now()};  ///< of what decides about looking again
};

TEST_F(Credentials, TokenFileIsFollowedAsItRotates) {
  kube::Config config = nobody();
  config.user.token_file = write("token", token_of("first") + "\n");
  const auto transport = log_in(config);
  ASSERT_NE(transport, nullptr);
  EXPECT_EQ(who(*transport), account("first"));

  write("token", token_of("second"));
  time_.advance(60s);

  EXPECT_EQ(who(*transport), account("second"));
}

TEST_F(Credentials, TokenThatTheServerRefusesIsReadAgainAtOnce) {
  kube::Config config = nobody();
  config.user.token_file = write("token", "no-token-of-this-server");
  const auto transport = log_in(config);
  ASSERT_NE(transport, nullptr);
  write("token", token_of("robot"));

  EXPECT_EQ(who(*transport), account("robot"));
}

TEST_F(Credentials, TokenOfARemovedAccountIsUnauthorized) {
  kube::Config config = nobody();
  config.user.token = token_of("robot");
  const auto transport = log_in(config);
  ASSERT_NE(transport, nullptr);
  ASSERT_TRUE(client_.remove(kube::kServiceAccounts, ns_, "robot"));

  // The real server remembers for some seconds that a token was good.
  EXPECT_TRUE(await([&] { return who(*transport).starts_with("401 "); })) << who(*transport);
  kube::Client client = client_over(*transport);
  const Reply<Value> reply = client.get(kConfigMaps, ns_, "a");
  EXPECT_EQ(outcome(reply), "401 Unauthorized");
  EXPECT_EQ(reply.error().error.fault(), Fault::Denied);
}

TEST_F(Credentials, PluginIsAskedWhatToShow) {
  kube::Config config = nobody();
  write("answer",
        R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":)"
        R"({"token":")" +
            token_of("robot") + R"("}})");
  write("login", "#!/bin/sh\nexec cat " + (folder_ / "answer").string() + "\n", 0700);
  config.user.exec = kube::ExecPlugin{.api_version = "client.authentication.k8s.io/v1",
                                      .command = folder_ / "login",
                                      .interactive_mode = "Never"};

  const auto transport = log_in(config);

  ASSERT_NE(transport, nullptr);
  EXPECT_EQ(who(*transport), account("robot"));
}

TEST_F(Credentials, CertificateNamesTheUser) {
  kube::Config config = nobody();
  config.user.certificate = certificate("carol", std::chrono::hours(1), config.user.key);
  config.user.as_user = "";

  const auto transport = log_in(config);

  ASSERT_NE(transport, nullptr);
  EXPECT_EQ(who(*transport), "carol");
}

TEST_F(Credentials, ExpiredCertificateIsSaidToBe) {
  kube::Config config = nobody();
  config.user.certificate = certificate("carol", std::chrono::hours(-1), config.user.key);
  const auto transport = log_in(config);
  ASSERT_NE(transport, nullptr);
  kube::Client client = client_over(*transport);

  const Reply<Value> reply = client.create(kConfigMaps, ns_, config_map("a"));

  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().error.fault(), Fault::Denied);
  EXPECT_FALSE(reply.error().ambiguous);
  EXPECT_NE(reply.error().error.what().find("the client certificate expired at "),
            std::string::npos)
      << reply.error().error.what();
}

TEST_F(Credentials, CertificateFilesAreFollowedAndOldCallsLiveOn) {
  kube::Config config = nobody();
  config.user.as_user = "";
  std::string key;
  config.user.certificate_file = write("crt", certificate("dora", std::chrono::hours(1), key));
  config.user.key_file = write("key", key);
  grant("[{apiGroups: [''], resources: [configmaps], verbs: [get, list, watch]}]",
        "{kind: User, apiGroup: rbac.authorization.k8s.io, name: dora}");
  const auto transport = log_in(config);
  ASSERT_NE(transport, nullptr);
  kube::Client dora = client_over(*transport);
  ASSERT_TRUE(await([&] { return outcome(dora.get(kConfigMaps, ns_, "a")) == "404 NotFound"; }));

  std::atomic<bool> seen{false};
  std::stop_source stop;
  std::jthread watcher([&] {
    const net::Call call{.target = kConfigMaps.path(ns_, "") + "?watch=true",
                         .stop = stop.get_token()};
    const Result<net::Response> ended = transport->stream(call, [&](std::string_view bytes) {
      seen = seen || bytes.find("\"after-rotation\"") != std::string_view::npos;
      return !seen;
    });
    EXPECT_TRUE(ended) << ended.error().what();
  });
  write("crt", certificate("erna", std::chrono::hours(1), key));
  write("key", key);
  time_.advance(60s);
  EXPECT_EQ(who(*transport), "erna");

  ASSERT_TRUE(make_map("after-rotation"));
  EXPECT_TRUE(await([&] { return seen.load(); }));
  stop.request_stop();
}

TEST_F(Credentials, ServerOfAnotherAuthorityIsNotTrusted) {
  kube::Config config = Subject::get().config();
  const std::string key = net::make_key().take().private_pem;
  config.ca =
      net::make_certificate({.common_name = "other", .ca = true}, key, "", "", clock_, random_)
          .take();
  const auto distrustful = log_in(config);
  kube::Client client = client_over(*distrustful);

  const Reply<Value> reply = client.create(kConfigMaps, ns_, config_map("a"));

  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().error.fault(), Fault::Denied);
  EXPECT_FALSE(reply.error().ambiguous);
  config.ca.clear();
  config.insecure = true;
  const auto careless = log_in(config);
  EXPECT_TRUE(client_over(*careless).create(kConfigMaps, ns_, config_map("a")));
}

TEST_F(Credentials, AuthorityFileIsFollowed) {
  kube::Config config = Subject::get().config();
  const std::string key = net::make_key().take().private_pem;
  const std::string other =
      net::make_certificate({.common_name = "other", .ca = true}, key, "", "", clock_, random_)
          .take();
  const std::string right = std::exchange(config.ca, "");
  config.ca_file = write("ca", other);
  const auto transport = log_in(config);
  ASSERT_NE(transport, nullptr);
  write("ca", right);

  // Refused by us, looked at again at once.
  EXPECT_FALSE(who(*transport).starts_with("0 ")) << who(*transport);
}

TEST_F(Credentials, NameOfTheServerIsCheckedInsteadOfItsAddress) {
  kube::Config config = Subject::get().config();
  config.tls_server_name = "localhost";
  const auto right = log_in(config);
  config.tls_server_name = "not-the-server";
  const auto wrong = log_in(config);

  EXPECT_FALSE(who(*right).starts_with("0 ")) << who(*right);
  EXPECT_TRUE(who(*wrong).starts_with("0 ")) << who(*wrong);
}

TEST_F(Credentials, ImpersonationOfTheConfigIsInForce) {
  kube::Config config = Subject::get().config();
  config.user.as_user = "frida";
  config.user.as_groups = {"devs"};

  const auto transport = log_in(config);

  ASSERT_NE(transport, nullptr);
  EXPECT_EQ(who(*transport), "frida");
}

}  // namespace
}  // namespace holdfast::runtime
