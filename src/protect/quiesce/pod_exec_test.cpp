/// Rights with which a command in a pod is asked for.
#include <holdfast/protect/cut/quiesce.h>

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

/// Remembers what it was asked, and agrees to nothing.
class Remembering final : public net::Client {
 public:
  Result<net::Response> call(const net::Call&) override {
    return Error(Fault::Unavailable, "no calls here");
  }
  Result<net::Response> stream(const net::Call& call,
                               const std::function<bool(std::string_view)>&) override {
    return this->call(call);
  }
  Result<net::Connected> connect(const net::Call& call, const std::vector<std::string>&) override {
    asked = call;
    return net::Connected{.answer = {.status = 403, .body = "{}"}};
  }
  net::Call asked{};
};

struct PodExecTest : testing::Test {
  const net::Headers& headers_for(const std::string& account) {
    kube::Client client(server, clock, random, [](auto, const auto&) {});
    const ExecTarget target{.ns = "shop", .pod = "db-0", .account = account};
    EXPECT_FALSE(make_pod_exec(client)->open(target, {"true"}, std::chrono::seconds(1)));
    return server.asked.headers;
  }
  Remembering server{};
  ManualClock clock{WallTime()};
  SeededRandom random{1};
};

// To name groups takes the right to be in any of them; the server knows those of an account.
TEST_F(PodExecTest, AnAccountIsImpersonatedWithoutNamingItsGroups) {
  const net::Headers& sent = headers_for("backup");

  EXPECT_EQ(sent.get("Impersonate-User"), "system:serviceaccount:shop:backup");
  EXPECT_FALSE(sent.has("Impersonate-Group"));
}

TEST_F(PodExecTest, WithoutAnAccountItIsTheOperatorItself) {
  EXPECT_FALSE(headers_for("").has("Impersonate-User"));
}

}  // namespace
}  // namespace holdfast::protect
