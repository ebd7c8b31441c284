#include "credentials/plugin.h"

#include <holdfast/base/files.h>
#include <holdfast/base/terminal.h>
#include <holdfast/model/json.h>

#include "eventually.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

namespace holdfast::kube {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* kV1 = "client.authentication.k8s.io/v1";
constexpr const char* kToken =
    R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
    R"("status":{"token":"t1","expirationTimestamp":"2030-01-01T00:00:00Z"}})";

struct Plugin : testing::Test {
  fs::path folder;
  ManualClock clock{WallTime(std::chrono::seconds(1'800'000'000))};  // 2027
  Config config;

  void SetUp() override {
    std::string name = fs::temp_directory_path() / "holdfast-plugin.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
    config.server = "https://c";
    config.user.exec = ExecPlugin{.api_version = kV1, .interactive_mode = "Never"};
  }
  void TearDown() override { fs::remove_all(folder); }

  void script(const std::string& body) {
    config.user.exec->command = folder / "login";
    ASSERT_TRUE(write_file(folder / "login", "#!/bin/sh\n" + body + "\n", 0700));
  }
  Result<PluginAnswer> run(std::chrono::milliseconds limit = 30s, std::stop_token stop = {}) {
    return run_plugin(config, "CA", clock, limit, stop);
  }
  std::string error_of(std::chrono::milliseconds limit = 30s) {
    const Result<PluginAnswer> answer = run(limit);
    return answer ? "no error" : answer.error().what();
  }
  std::string named(const std::string& what) const {
    return "plugin " + config.user.exec->command + ": " + what;
  }
};

TEST_F(Plugin, TokenAndExpiryAreTaken) {
  script("echo '" + std::string(kToken) + "'");

  const Result<PluginAnswer> answer = run();

  ASSERT_TRUE(answer) << answer.error().what();
  EXPECT_EQ(answer->token, "t1");
  EXPECT_EQ(answer->expires, WallTime(std::chrono::seconds(1893456000)));
}

TEST_F(Plugin, SeesItsArgumentsVariablesAndTheCluster) {
  script(R"(printf '%s\n' "$1" "$MORE" "$KUBERNETES_EXEC_INFO" >"$OUT"; echo ')" +
         std::string(kToken) + "'");
  config.user.exec->args = {"get token"};
  config.user.exec->env = {{"MORE", "x y"}, {"OUT", folder / "out"}};
  config.user.exec->provide_cluster_info = true;
  config.user.exec->cluster_config = R"({"audience":"a"})";
  config.tls_server_name = "kubernetes";

  ASSERT_TRUE(run());

  EXPECT_EQ(
      *read_file(folder / "out"),
      "get token\nx y\n"
      R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":)"
      R"({"interactive":false,"cluster":{"server":"https://c","tls-server-name":"kubernetes",)"
      R"("certificate-authority-data":"Q0E=","config":{"audience":"a"}}}})"
      "\n");
}

TEST_F(Plugin, HangingOneIsKilledWithAllItStartedAndNamed) {
  script("sleep 1000 & echo $! >" + (folder / "child").string() + "; echo $$ >" +
         (folder / "self").string() + "; wait");

  EXPECT_EQ(error_of(500ms), "getting credentials: running " + config.user.exec->command +
                                 ": it did not end within 0.5 s and was killed");

  for (const char* file : {"child", "self"}) {
    const pid_t pid = std::stoi(read_file(folder / file).take());
    // A killed grandchild stays until its new parent has taken its exit status.
    EXPECT_TRUE(eventually([pid] {
      const Result<std::string> stat = read_file("/proc/" + std::to_string(pid) + "/stat");
      return !stat || stat->find(") Z") != std::string::npos;
    })) << file;
  }
}

TEST_F(Plugin, WhatItLeavesInTheBackgroundIsNotWaitedFor) {
  script("sleep 20 & echo '" + std::string(kToken) + "'");

  const Result<PluginAnswer> answer = run(10s);

  ASSERT_TRUE(answer) << answer.error().what();
  EXPECT_EQ(answer->token, "t1");
}

TEST_F(Plugin, StopEndsIt) {
  script("touch " + (folder / "runs").string() + "; exec sleep 1000");
  std::stop_source stop;
  const std::jthread stopper([&] {
    EXPECT_TRUE(eventually([this] { return fs::exists(folder / "runs"); }));
    stop.request_stop();
  });

  const Result<PluginAnswer> answer = run(600s, stop.get_token());

  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().what().find("stopped by the caller"), std::string::npos);
}

TEST_F(Plugin, MissingOneSaysHowToGetIt) {
  config.user.exec->command = folder / "nothing";
  config.user.exec->install_hint = "get it from the shop";

  const Result<PluginAnswer> answer = run();

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what(), "getting credentials: running " + config.user.exec->command +
                                       ": No such file or directory");
  EXPECT_EQ(answer.error().hint(), "get it from the shop");
}

TEST_F(Plugin, FailuresOfTheProgramAreNamed) {
  const std::string prefix = "getting credentials: running " + (folder / "login").string() + ": ";
  script("exit 3");
  EXPECT_EQ(error_of(), prefix + "it ended with exit code 3");
  script("kill -9 $$");
  EXPECT_EQ(error_of(), prefix + "it was ended by signal 9");
  script("exec yes");
  EXPECT_EQ(error_of(), prefix + "it printed more than a megabyte and was killed");
  chmod((folder / "login").c_str(), 0600);
  EXPECT_EQ(error_of(), prefix + "Permission denied");
}

TEST_F(Plugin, OneThatMustAskFailsWithoutATerminal) {
  script("echo '" + std::string(kToken) + "'");
  config.user.exec->interactive_mode = "Always";
  if (is_terminal(Standard::Input)) GTEST_SKIP() << "standard input is a terminal";

  EXPECT_EQ(error_of(), named("it is interactive, and standard input is not a terminal"));
}

struct BadAnswer {
  const char* printed;
  const char* error;
};

TEST_F(Plugin, BadAnswersAreNamedAndNotShown) {
  config.user.exec->command = "login";
  for (const BadAnswer& bad : std::initializer_list<BadAnswer>{
           {"", "what it printed is no JSON: unexpected end of JSON input"},
           {"[]", "what it printed is no ExecCredential"},
           {R"({"kind":"Pod"})", "what it printed is no ExecCredential"},
           {R"({"kind":"ExecCredential"})",
            "it speaks no apiVersion, the kubeconfig wants client.authentication.k8s.io/v1"},
           {R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1",
                "status":{"token":"secret"}})",
            "it speaks client.authentication.k8s.io/v1beta1, the kubeconfig wants "
            "client.authentication.k8s.io/v1"},
           {R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1"})",
            "it printed neither a token nor a certificate"},
           {R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",
                "status":{"clientKeyData":"secret"}})",
            "it printed only one of certificate and key"},
           {R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",
                "status":{"token":"secret","expirationTimestamp":"soon"}})",
            "its expirationTimestamp is no RFC 3339 time"},
           {R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",
                "status":{"token":"secret","expirationTimestamp":"2020-01-01T00:00:00Z"}})",
            "its credentials expired at 2020-01-01T00:00:00Z, and it is 2027-01-15T08:00:00Z"}}) {
    const Result<PluginAnswer> answer =
        read_plugin_answer(*config.user.exec, bad.printed, clock.now());
    ASSERT_FALSE(answer) << bad.printed;
    EXPECT_EQ(answer.error().what(), named(bad.error));
    EXPECT_EQ(answer.error().fault(), Fault::Denied);
  }
  const Result<PluginAnswer> text =
      read_plugin_answer(*config.user.exec, "my secret token", clock.now());
  EXPECT_EQ(text.error().what().find("secret"), std::string::npos) << text.error().what();
}

}  // namespace
}  // namespace holdfast::kube
