#include <holdfast/base/random.h>
#include <holdfast/model/json.h>
#include <holdfast/protect/cut/window.h>

#include "quiesce/scripted_exec.h"

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;
using model::Object;
using model::Value;

/// A server that cuts as soon as it is asked to, and takes its time to answer.
class CuttingServer final : public net::Client {
 public:
  explicit CuttingServer(ManualClock& clock) : clock_(clock) {}

  std::chrono::milliseconds takes{0};  ///< to make one cut
  int busy = 0;                        ///< so many requests are refused for the moment
  std::vector<MonoTime> asked{};       ///< when each cut was asked for

  Result<net::Response> call(const net::Call& call) override {
    if (call.method == "POST") {
      asked.push_back(clock_.mono());
      clock_.advance(takes);
      if (busy > 0) {
        --busy;
        return net::Response{.status = 503, .body = R"({"kind":"Status","code":503})"};
      }
    }
    return net::Response{.status = call.method == "POST" ? 201 : 200,
                         .body = R"({"metadata":{"name":"c","namespace":"shop","uid":"u"},)"
                                 R"("status":{"creationTime":"2026-01-01T00:00:00Z"}})"};
  }
  Result<net::Response> stream(const net::Call&,
                               const std::function<bool(std::string_view)>&) override {
    return Error(Fault::Internal, "nobody watches here");
  }

 private:
  ManualClock& clock_;
};

class AWindow : public testing::Test {
 protected:
  WindowResult run(size_t cuts) {
    for (size_t i = 0; i < cuts; ++i)
      task.cuts.push_back(
          {.object = Object{{"metadata", Object{{"name", "c"}, {"namespace", "shop"}}}}});
    const kube::Sleep sleep = [this](std::chrono::milliseconds pause, const std::stop_token&) {
      clock.advance(pause);
    };
    kube::Client client(server, clock, random, sleep);
    control::Metrics metrics;
    HeldPods held;
    kube::ServedGroupKinds kinds(client);
    return run_window(task, {client, exec, {}, clock, sleep, metrics, held, kinds, random});
  }
  void quiesce() {
    task.quiesce.targets = {
        {.where = {"shop", "db-0", "db"},
         .before = {{.name = "hold", .way = QuiesceCommand::Way::Session, .args = {"hold"}}}}};
    exec.play("hold", {.listens = true, .lines = {"READY"}});
  }

  ManualClock clock{WallTime(1767225600s)};
  SeededRandom random{1};
  ScriptedExec exec{clock};
  CuttingServer server{clock};
  WindowTask task{};
};

TEST_F(AWindow, HoldsFromBeforeTheFirstCutToAfterTheLast) {
  quiesce();
  const WindowResult out = run(2);

  EXPECT_EQ(out.reason, "") << out.message;
  EXPECT_TRUE(out.quiesced && out.held && out.observed);
  EXPECT_EQ(server.asked.size(), 2U);
}

TEST_F(AWindow, NoCutIsAskedForAfterItsLimitThoughEarlierOnesWere) {
  server.takes = 3s;
  const WindowResult out = run(5);

  EXPECT_EQ(out.reason, "TookTooLong");
  ASSERT_EQ(server.asked.size(), 3U);
  EXPECT_LE(server.asked.back(), task.limit);
  EXPECT_NE(out.cut_asked_at, "");
  EXPECT_EQ(out.cut_seen_at, "");
}

TEST_F(AWindow, NoCutIsAskedForAfterTheApplicationsDeadline) {
  quiesce();
  task.quiesce.deadline = 5s;
  server.takes = 3s;
  const WindowResult out = run(5);

  EXPECT_EQ(out.reason, "FreezeDeadlineExceeded");
  EXPECT_EQ(server.asked.size(), 2U);
  EXPECT_FALSE(out.held);
}

TEST_F(AWindow, ThatTookTooLongToQuiesceCutsNothing) {
  task.quiesce.deadline = 60s;
  task.quiesce.targets = {
      {.where = {"shop", "db-0", "db"}, .before = {{.name = "lock", .args = {"lock"}}}}};
  exec.play("lock", {.takes = 9s});
  const WindowResult out = run(1);

  EXPECT_EQ(out.reason, "TookTooLong");
  EXPECT_TRUE(server.asked.empty());
  EXPECT_EQ(out.cut_asked_at, "");
}

TEST_F(AWindow, AServerThatIsBusyIsAskedAgainWithinTheLimit) {
  server.busy = 2;
  EXPECT_EQ(run(1).reason, "");
  EXPECT_EQ(server.asked.size(), 3U);
}

TEST_F(AWindow, AServerThatStaysBusyIsNotAskedBeyondTheLimit) {
  server.busy = 1000;
  const WindowResult out = run(1);

  EXPECT_EQ(out.reason, "TookTooLong");
  EXPECT_LE(server.asked.back(), task.limit);
}

}  // namespace
}  // namespace holdfast::protect
