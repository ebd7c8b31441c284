#include <holdfast/control/metrics.h>

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace holdfast::control {
namespace {

using namespace std::chrono_literals;

TEST(Metrics, SpeakTheNamesThatDashboardsKnow) {
  Metrics metrics;
  metrics.pass_ended("db", Metrics::Ended::Success, 3ms);
  metrics.pass_ended("db", Metrics::Ended::Exception, 3ms);
  metrics.request("GET", 200, "127.0.0.1:6443");
  metrics.request("PUT", 0, "127.0.0.1:6443");
  metrics.leading("holdfast-operator", true);
  metrics.depth("db", 7);

  const std::string text = metrics.text();

  const auto has = [&text](std::string_view line) { return text.find(line) != std::string::npos; };
  EXPECT_TRUE(has("controller_runtime_reconcile_total{controller=\"db\",result=\"success\"} 1"))
      << text;
  EXPECT_TRUE(has("controller_runtime_reconcile_total{controller=\"db\",result=\"error\"} 1"));
  EXPECT_TRUE(has("controller_runtime_reconcile_panics_total{controller=\"db\"} 1"));
  EXPECT_TRUE(has("controller_runtime_reconcile_time_seconds_count{controller=\"db\"} 2"));
  EXPECT_TRUE(has("workqueue_depth{controller=\"db\",name=\"db\"} 7"));
  EXPECT_TRUE(
      has("rest_client_requests_total{code=\"200\",host=\"127.0.0.1:6443\",method=\"GET\"} 1"));
  EXPECT_TRUE(has("rest_client_requests_total{code=\"<error>\","));
  EXPECT_TRUE(has("leader_election_master_status{name=\"holdfast-operator\"} 1"));
}

TEST(Metrics, ManyThreadsLoseNoCount) {
  Metrics metrics;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&metrics] {
        for (int n = 0; n < 500; ++n) metrics.queued("db");
      });
  }

  EXPECT_NE(metrics.text().find("workqueue_adds_total{controller=\"db\",name=\"db\"} 2000"),
            std::string::npos);
}

TEST(Metrics, DriversTellFiguresOfTheirOwn) {
  Metrics metrics;
  for (const int ms : {20, 30})
    metrics.took("holdfast_window_seconds", "How long.", {{"group", "db"}},
                 std::chrono::milliseconds(ms));
  metrics.count("holdfast_owed", "How many.", {{"group", "db"}}, 2);

  const std::string text = metrics.text();

  EXPECT_NE(text.find("holdfast_window_seconds_count{group=\"db\"} 2"), std::string::npos) << text;
  EXPECT_NE(text.find("holdfast_owed{group=\"db\"} 2"), std::string::npos) << text;
}

}  // namespace
}  // namespace holdfast::control
