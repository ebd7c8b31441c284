#include <holdfast/cli/follow.h>

#include <gtest/gtest.h>

#include <deque>

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;
using model::string_at;
using model::Value;

const kube::Resource kThings{"x.dev", "v1", "things", "Thing", true};

/// A server that answers with one phase, or whole object, after the other, and with the last of
/// them for good.
class Answering final : public net::Client {
 public:
  explicit Answering(std::deque<std::string> phases) : phases_(std::move(phases)) {}
  Result<net::Response> call(const net::Call&) override {
    net::Response response;
    const std::string phase = phases_.front();
    if (phases_.size() > 1) phases_.pop_front();
    response.status = phase.empty() ? 404 : 200;
    response.body = phase.empty()            ? R"({"kind":"Status","reason":"NotFound","code":404})"
                    : phase.starts_with('{') ? phase
                                             : R"({"kind":"Thing","phase":")" + phase + R"("})";
    return response;
  }
  Result<net::Response> stream(const net::Call& call,
                               const std::function<bool(std::string_view)>&) override {
    return this->call(call);
  }

 private:
  std::deque<std::string> phases_;
};

Server server_of(std::deque<std::string> phases) {
  return {std::make_unique<Answering>(std::move(phases)), "shop", {}};
}

Following to_the_end(Telling telling) {
  return {.resource = kThings,
          .name = "a",
          .look =
              [](const Value& object) {
                const std::string phase(string_at(object, {"phase"}));
                return Look{.over = phase == "Done", .stage = phase, .text = "is " + phase};
              },
          .telling = telling,
          .every = 1ms};
}

TEST(Follow, EndsWithTheObjectAsItWasThen) {
  Server server = server_of({"New", "Busy", "Done"});
  const auto followed = follow(server, to_the_end(Telling::Nothing), {});
  ASSERT_TRUE(followed);
  EXPECT_EQ(followed->why, Followed::Why::Over);
  EXPECT_EQ(string_at(followed->object, {"phase"}), "Done");
}

TEST(Follow, TellsProgramsEachNewTextOnce) {
  Server server = server_of({"New", "New", "Busy", "Busy", "Done"});
  testing::internal::CaptureStdout();
  ASSERT_TRUE(follow(server, to_the_end(Telling::Output), {}));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "is New\nis Busy\n");
}

TEST(Follow, TellsPeopleStagesWithWhatIsBesideThem) {
  Server server = server_of({"New", "New", "Busy", "Done"});
  Following following = to_the_end(Telling::Lines);
  int asked = 0;
  following.detail = [&asked](const Value&) { return ++asked == 1 ? "" : "34.1%"; };
  testing::internal::CaptureStderr();
  ASSERT_TRUE(follow(server, following, {}));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "[0:00] is New\n[0:00] is Busy  34.1%\n");
  EXPECT_EQ(asked, 2);
}

TEST(Follow, TellsWhatTheServerRefusesOfAnObject) {
  Server server =
      server_of({"Busy",
                 R"({"phase":"Busy","status":{"conditions":[{"type":"Refused","status":"True",
          "reason":"Forbidden","message":"create pods shop/m: exceeded quota"}]}})",
                 "Done"});
  testing::internal::CaptureStderr();
  ASSERT_TRUE(follow(server, to_the_end(Telling::Lines), {}));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "[0:00] is Busy\n[0:00] is Busy: refused: create pods shop/m: exceeded quota\n");
}

TEST(Follow, EndsWhenTheObjectIsGone) {
  Server server = server_of({"New", ""});
  const auto followed = follow(server, to_the_end(Telling::Nothing), {});
  ASSERT_FALSE(followed);
  EXPECT_TRUE(followed.error().not_found());
}

TEST(Follow, EndsWhenTheTimeIsUp) {
  Server server = server_of({"Busy"});
  Following following = to_the_end(Telling::Nothing);
  following.limit = 0s;
  const auto followed = follow(server, following, {});
  ASSERT_TRUE(followed);
  EXPECT_EQ(followed->why, Followed::Why::TimeUp);
  EXPECT_EQ(string_at(followed->object, {"phase"}), "Busy");
}

TEST(Follow, EndsWhenToldToStop) {
  Server server = server_of({"Busy"});
  std::stop_source stop;
  Following following = to_the_end(Telling::Nothing);
  following.look = [&stop](const Value&) {
    stop.request_stop();
    return Look{};
  };
  const auto followed = follow(server, following, stop.get_token());
  ASSERT_TRUE(followed);
  EXPECT_EQ(followed->why, Followed::Why::Stopped);
}

TEST(WaitUntil, TriesAgainUntilItIsSo) {
  Server server = server_of({""});
  int tries = 0;
  const auto done = wait_until(
      server, [] { return std::string("late"); }, {},
      [&]() -> Result<bool> { return ++tries == 2; });
  ASSERT_TRUE(done);
  EXPECT_TRUE(*done);
  EXPECT_EQ(tries, 2);
}

}  // namespace
}  // namespace holdfast::cli
