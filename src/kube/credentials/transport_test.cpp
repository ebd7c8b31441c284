#include "credentials/transport.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/files.h>
#include <holdfast/model/time.h>
#include <holdfast/net/pki.h>

#include "eventually.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace holdfast::kube {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// What every connection made so far was made of, and what was sent over it.
struct Wire {
  Mutex mutex;
  std::vector<net::ClientOptions> made;
  std::vector<net::Call> calls;
  std::vector<std::string> refused;  ///< Authorization values that the server does not take
  std::function<void(const net::Call&)> on_call;
};

/// A connection whose server takes everybody but the refused.
class Connection final : public net::Client {
 public:
  explicit Connection(Wire& wire) : wire_(wire) {}
  Result<net::Response> call(const net::Call& call) override {
    if (wire_.on_call) wire_.on_call(call);
    const Lock lock(wire_.mutex);
    wire_.calls.push_back(call);
    const std::string shown(call.headers.get("Authorization"));
    const bool refused = std::count(wire_.refused.begin(), wire_.refused.end(), shown) > 0;
    return net::Response{.status = refused ? 401 : 200};
  }
  Result<net::Response> stream(const net::Call& call,
                               const std::function<bool(std::string_view)>&) override {
    return this->call(call);
  }

 private:
  Wire& wire_;
};

struct Connect : testing::Test {
  fs::path folder;
  ManualClock clock{WallTime(std::chrono::seconds(1'800'000'000))};
  Wire wire;
  Config config;
  std::unique_ptr<net::Client> client;

  void SetUp() override {
    std::string name = fs::temp_directory_path() / "holdfast-connect.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
    config.server = "https://c";
    config.source = "context x of f";
  }
  void TearDown() override { fs::remove_all(folder); }

  Result<void> connect_all() {
    ConnectParts parts;
    parts.plugin_limit = 30s;
    parts.make = [this](net::ClientOptions options) -> Result<std::unique_ptr<net::Client>> {
      const Lock lock(wire.mutex);
      wire.made.push_back(std::move(options));
      return std::unique_ptr<net::Client>(std::make_unique<Connection>(wire));
    };
    Result<std::unique_ptr<net::Client>> made = connect(config, clock, parts);
    if (!made) return made.take_error();
    client = made.take();
    return ok();
  }
  fs::path write(const std::string& name, const std::string& text, mode_t mode = 0600) const {
    EXPECT_TRUE(write_file(folder / name, text, mode));
    return folder / name;
  }
  /// The Authorization header of one more call.
  std::string shown() {
    const Result<net::Response> response = client->call({.target = "/"});
    return response ? std::string(wire.calls.back().headers.get("Authorization"))
                    : response.error().what();
  }
  /// A plugin that counts its runs and prints the file `answer`.
  void use_plugin() {
    config.user.exec = ExecPlugin{.api_version = "client.authentication.k8s.io/v1",
                                  .command = folder / "login",
                                  .interactive_mode = "Never"};
    write("login",
          "#!/bin/sh\necho run >>" + (folder / "runs").string() + "\ncat " +
              (folder / "answer").string() + "\n",
          0700);
  }
  void plugin_says(const std::string& token, std::chrono::seconds lifetime) const {
    write("answer",
          R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":)"
          R"({"token":")" +
              token + R"(","expirationTimestamp":")" + model::to_rfc3339(clock.now() + lifetime) +
              "\"}}");
  }
  size_t runs() const {
    const Result<std::string> text = read_file(folder / "runs");
    return text ? size_t(std::count(text->begin(), text->end(), '\n')) : 0;
  }
};

TEST_F(Connect, EveryWayToLogInIsShown) {
  config.user.token = "t0";
  ASSERT_TRUE(connect_all());
  EXPECT_EQ(shown(), "Bearer t0");
  config.user = {.username = "joe", .password = "p"};
  ASSERT_TRUE(connect_all());
  EXPECT_EQ(shown(), "Basic " + base64("joe:p"));
  config.user = {};
  ASSERT_TRUE(connect_all());
  EXPECT_EQ(shown(), "");
}

TEST_F(Connect, NothingIsShownOverAPlainConnection) {
  config.server = "http://c";
  config.user.token = "t0";

  ASSERT_TRUE(connect_all());

  EXPECT_EQ(shown(), "");
}

TEST_F(Connect, ServerProxyAndNamesReachTheConnection) {
  config.ca_file = write("ca", "CA");
  config.tls_server_name = "kubernetes";
  config.proxy_url = "http://proxy";
  config.insecure = true;

  ASSERT_TRUE(connect_all());

  ASSERT_EQ(wire.made.size(), 1u);
  EXPECT_EQ(wire.made[0].base_url, "https://c");
  EXPECT_EQ(wire.made[0].ca, "CA");
  EXPECT_EQ(wire.made[0].server_name, "kubernetes");
  EXPECT_EQ(wire.made[0].proxy, "http://proxy");
  EXPECT_TRUE(wire.made[0].insecure);
}

TEST_F(Connect, ImpersonationOfTheConfigYieldsToTheCallers) {
  config.user = {.as_user = "alice", .as_uid = "u1", .as_groups = {"g"}};
  config.user.as_extra = {{"example.com/scopes", "view"}};
  ASSERT_TRUE(connect_all());
  net::Call call{.target = "/"};

  ASSERT_TRUE(client->call(call));
  EXPECT_EQ(wire.calls.back().headers.get("Impersonate-User"), "alice");
  EXPECT_EQ(wire.calls.back().headers.get("Impersonate-Uid"), "u1");
  EXPECT_EQ(wire.calls.back().headers.get("Impersonate-Group"), "g");
  EXPECT_EQ(wire.calls.back().headers.get("Impersonate-Extra-example.com%2Fscopes"), "view");

  call.headers.set("Impersonate-User", "bob");
  ASSERT_TRUE(client->call(call));
  EXPECT_EQ(wire.calls.back().headers.get("Impersonate-User"), "bob");
  EXPECT_FALSE(wire.calls.back().headers.has("Impersonate-Group"));
}

TEST_F(Connect, TokenFileIsReadAgainWithinAMinute) {
  config.user.token_file = write("token", "t1\n");
  ASSERT_TRUE(connect_all());
  EXPECT_EQ(shown(), "Bearer t1");
  write("token", "t2");
  EXPECT_EQ(shown(), "Bearer t1");

  clock.advance(60s);

  EXPECT_EQ(shown(), "Bearer t2");
  EXPECT_EQ(wire.made.size(), 1u);  // a new token needs no new connection
}

TEST_F(Connect, TokenFileIsReadAgainAtOnceWhenTheServerRefuses) {
  config.user.token_file = write("token", "t1");
  ASSERT_TRUE(connect_all());
  write("token", "t2");
  wire.refused = {"Bearer t1"};

  const Result<net::Response> response = client->call({.method = "POST", .target = "/"});

  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 200);
  ASSERT_EQ(wire.calls.size(), 2u);
  EXPECT_EQ(wire.calls[1].headers.get("Authorization"), "Bearer t2");
}

TEST_F(Connect, TokenThatStaysRefusedIsSentOncePerCall) {
  config.user.token_file = write("token", "t1");
  ASSERT_TRUE(connect_all());
  wire.refused = {"Bearer t1"};

  EXPECT_EQ(client->call({.target = "/"})->status, 401);
  EXPECT_EQ(client->call({.target = "/"})->status, 401);

  EXPECT_EQ(wire.calls.size(), 2u);
}

TEST_F(Connect, TokenFileThatVanishesLeavesTheTokenKnown) {
  config.user.token_file = write("token", "t1");
  ASSERT_TRUE(connect_all());
  fs::remove(folder / "token");
  clock.advance(60s);
  EXPECT_EQ(shown(), "Bearer t1");
  write("token", "   \n");
  clock.advance(60s);
  EXPECT_EQ(shown(), "Bearer t1");
  write("token", "t3");
  clock.advance(60s);
  EXPECT_EQ(shown(), "Bearer t3");
}

TEST_F(Connect, TokenFileThatIsNoTokenIsNamedAndNotShown) {
  config.user.token_file = write("token", "secret\nX-Injected: yes");

  const Result<void> done = connect_all();

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().what(), "logging in by context x of f: token file " +
                                     (folder / "token").string() + " holds more than a token");
  config.user.token_file = folder / "nothing";
  EXPECT_NE(connect_all().error().what().find("nothing"), std::string::npos);
}

TEST_F(Connect, ChangedCertificateAuthorityMakesNewConnections) {
  config.ca_file = write("ca", "CA1");
  config.user.token = "t";
  ASSERT_TRUE(connect_all());
  write("ca", "CA2");
  shown();
  EXPECT_EQ(wire.made.size(), 1u);

  clock.advance(10s);
  shown();
  clock.advance(10s);
  shown();

  ASSERT_EQ(wire.made.size(), 2u);
  EXPECT_EQ(wire.made[1].ca, "CA2");
}

TEST_F(Connect, RotationLeavesCallsUnderWayAlone) {
  config.ca_file = write("ca", "CA1");
  ASSERT_TRUE(connect_all());
  bool nested = false;
  // While the first call is under way, the second one finds a new authority.
  wire.on_call = [&](const net::Call& call) {
    if (call.target != "/slow") return;
    write("ca", "CA2");
    clock.advance(10s);
    nested = bool(client->call({.target = "/quick"}));
  };

  const Result<net::Response> slow = client->call({.target = "/slow"});

  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->status, 200);
  EXPECT_TRUE(nested);
  EXPECT_EQ(wire.made.size(), 2u);
}

TEST_F(Connect, PluginRunsOnceUntilShortlyBeforeItsAnswerRunsOut) {
  use_plugin();
  plugin_says("t1", 3600s);
  ASSERT_TRUE(connect_all());
  EXPECT_EQ(shown(), "Bearer t1");
  clock.advance(3000s);
  EXPECT_EQ(shown(), "Bearer t1");
  EXPECT_EQ(runs(), 1u);

  plugin_says("t2", 3600s);
  clock.advance(550s);

  EXPECT_EQ(shown(), "Bearer t2");
  EXPECT_EQ(runs(), 2u);
}

TEST_F(Connect, PluginWithShortAnswersRunsAsOftenAsNeeded) {
  use_plugin();
  plugin_says("t1", 5s);
  ASSERT_TRUE(connect_all());
  clock.advance(5s);
  plugin_says("t2", 5s);
  EXPECT_EQ(shown(), "Bearer t2");
  clock.advance(5s);
  plugin_says("t3", 5s);
  EXPECT_EQ(shown(), "Bearer t3");
}

TEST_F(Connect, PluginThatFailsEarlyLeavesWhatIsStillGood) {
  use_plugin();
  plugin_says("t1", 3600s);
  ASSERT_TRUE(connect_all());
  write("answer", "no JSON");
  clock.advance(3550s);
  EXPECT_EQ(shown(), "Bearer t1");
  EXPECT_EQ(shown(), "Bearer t1");
  EXPECT_EQ(runs(), 2u);

  clock.advance(100s);
  EXPECT_NE(shown().find("what it printed is no JSON"), std::string::npos) << shown();
  EXPECT_EQ(runs(), 3u);
  EXPECT_NE(shown().find("what it printed is no JSON"), std::string::npos);
  EXPECT_EQ(runs(), 3u);  // not again within ten seconds

  plugin_says("t2", 3600s);
  clock.advance(10s);
  EXPECT_EQ(shown(), "Bearer t2");
}

TEST_F(Connect, PluginRunsAgainWhenTheServerRefuses) {
  use_plugin();
  plugin_says("t1", 3600s);
  ASSERT_TRUE(connect_all());
  plugin_says("t2", 3600s);
  wire.refused = {"Bearer t1"};

  EXPECT_EQ(client->call({.target = "/"})->status, 200);

  EXPECT_EQ(runs(), 2u);
  wire.refused = {"Bearer t1", "Bearer t2"};
  clock.advance(1h);  // past the pause after a refusal
  plugin_says("t2", 3600s);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(client->call({.target = "/"})->status, 401);
  EXPECT_LE(runs(), 4u);  // one because it ran out, one because of the refusals
}

TEST_F(Connect, PluginIsNotAskedWhenThereIsAnotherWay) {
  use_plugin();
  config.user.token = "t0";

  ASSERT_TRUE(connect_all());

  EXPECT_EQ(shown(), "Bearer t0");
  EXPECT_EQ(runs(), 0u);
}

TEST_F(Connect, CallThatBringsItsOwnCredentialsIsLeftAlone) {
  config.user.token_file = write("token", "t1");
  ASSERT_TRUE(connect_all());
  wire.refused = {"Bearer mine"};
  net::Call call{.target = "/"};
  call.headers.set("Authorization", "Bearer mine");

  EXPECT_EQ(client->call(call)->status, 401);

  EXPECT_EQ(wire.calls.size(), 1u);
}

struct WithCertificate : Connect {
  SystemRandom random;
  std::string certificate(std::chrono::hours lifetime, std::string& key) {
    key = net::make_key().take().private_pem;
    return net::make_certificate({.common_name = "me", .client = true, .lifetime = lifetime}, key,
                                 "", "", clock, random)
        .take();
  }
};

TEST_F(WithCertificate, ExpiredOneIsSaidWhenTheServerRefuses) {
  config.user.certificate = certificate(std::chrono::hours(1), config.user.key);
  ASSERT_TRUE(connect_all());
  wire.refused = {""};
  EXPECT_EQ(client->call({.target = "/"})->status, 401);

  clock.advance(2h);
  const Result<net::Response> response = client->call({.target = "/"});

  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().fault(), Fault::Denied);
  EXPECT_EQ(response.error().what(),
            "logging in by context x of f: the client certificate expired at "
            "2027-01-15T09:00:00Z: 401 Unauthorized");
}

TEST_F(WithCertificate, FilesThatChangeMakeNewConnections) {
  std::string key;
  config.user.certificate_file = write("crt", certificate(std::chrono::hours(1), key));
  config.user.key_file = write("key", key);
  ASSERT_TRUE(connect_all());
  const std::string renewed = certificate(std::chrono::hours(5), key);
  write("crt", renewed);
  write("key", key);
  wire.refused = {""};  // what the server does once the old certificate has expired

  EXPECT_EQ(client->call({.target = "/"})->status, 401);

  ASSERT_EQ(wire.made.size(), 2u);
  EXPECT_EQ(wire.made[1].certificate, renewed);
  EXPECT_EQ(wire.made[1].key, key);
}

TEST_F(WithCertificate, TextThatIsNoCertificateIsNamed) {
  config.user.certificate = "nonsense";
  config.user.key = "nonsense";

  const Result<void> done = connect_all();

  ASSERT_FALSE(done);
  EXPECT_NE(done.error().what().find("the client certificate of context x of f is no certificate"),
            std::string::npos)
      << done.error().what();
}

TEST_F(Connect, ManyThreadsShareOneRotation) {
  use_plugin();
  plugin_says("t1", 3600s);
  ASSERT_TRUE(connect_all());
  plugin_says("t2", 7200s);
  clock.advance(3600s);
  std::atomic<int> good{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        for (int k = 0; k < 50; ++k)
          if (const auto response = client->call({.target = "/"}); response) ++good;
      });
  }

  EXPECT_EQ(good.load(), 200);
  EXPECT_EQ(runs(), 2u);
}

TEST_F(Connect, StopEndsTheWaitForSomebodyElsesPlugin) {
  use_plugin();
  plugin_says("t1", 60s);
  ASSERT_TRUE(connect_all());
  write("login", "#!/bin/sh\necho run >>" + (folder / "runs").string() + "\nexec sleep 1000\n",
        0700);
  clock.advance(60s);
  std::stop_source first, second;
  std::jthread runner([&] { EXPECT_FALSE(client->call({.stop = first.get_token()})); });
  ASSERT_TRUE(eventually([this] { return runs() == 2; }));
  std::jthread waiter([&] { EXPECT_FALSE(client->call({.stop = second.get_token()})); });

  second.request_stop();
  waiter.join();
  first.request_stop();
  runner.join();
}

}  // namespace
}  // namespace holdfast::kube
