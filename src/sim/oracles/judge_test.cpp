#include "oracles/judge.h"

#include "world/world.h"

#include <gtest/gtest.h>

namespace holdfast::sim {
namespace {

using namespace std::chrono_literals;

struct JudgeTest : testing::Test {
  void SetUp() override {
    auto made = World::make();
    ASSERT_TRUE(made) << made.error().what();
    world = std::move(*made);
    judge = std::make_unique<Judge>(*world->history);
  }
  // A write to pod a that was committed and answered.
  Exchange write(const std::string& pass, const std::string& uid, uint64_t version) {
    Exchange exchange;
    exchange.call = exchange.write = ++number;
    exchange.method = "PUT";
    exchange.target = "/api/v1/namespaces/default/pods/a?timeout=5s";
    exchange.pass = pass;
    exchange.code = 200;
    exchange.body = R"({"kind":"Pod","metadata":{"name":"a","uid":")" + uid +
                    R"(","resourceVersion":")" + std::to_string(version) + R"("}})";
    return exchange;
  }
  std::string found() const {
    return judge->violations().empty() ? "" : judge->violations().front().oracle;
  }
  uint64_t number = 0;
  std::unique_ptr<World> world;
  std::unique_ptr<Judge> judge;
};

TEST_F(JudgeTest, FindsAPassOnACacheWithoutItsOwnWrite) {
  judge->observe(write("controller=c; key=default/a; epoch=0; uid=u; basis=pods:5", "u", 9));
  EXPECT_EQ(found(), "");

  judge->observe(write("controller=c; key=default/a; epoch=0; uid=u; basis=pods:8", "u", 10));

  EXPECT_EQ(found(), "stale-basis");
}

TEST_F(JudgeTest, AWriteWhoseReplyWasLostBindsNobody) {
  Exchange lost = write("controller=c; key=default/a; epoch=0; uid=u; basis=pods:5", "u", 9);
  lost.replied = false;
  judge->observe(lost);

  judge->observe(write("controller=c; key=default/a; epoch=0; uid=u; basis=pods:8", "u", 10));

  EXPECT_EQ(found(), "");
}

TEST_F(JudgeTest, AnotherKeyOrIncarnationHasItsOwnWrites) {
  judge->observe(write("controller=c; key=default/a; epoch=0; uid=u; basis=pods:5", "u", 9));
  judge->observe(write("controller=c; key=default/b; epoch=0; uid=u; basis=pods:5", "u", 10));
  Exchange restarted = write("controller=c; key=default/a; epoch=0; uid=u; basis=pods:5", "u", 11);
  restarted.incarnation = 1;
  judge->observe(restarted);

  EXPECT_EQ(found(), "");
}

TEST_F(JudgeTest, FindsAWriteThatLandedOnAnotherObject) {
  judge->observe(write("controller=c; key=default/a; epoch=0; uid=old; basis=pods:5", "new", 9));

  EXPECT_EQ(found(), "other-uid");
}

TEST_F(JudgeTest, FindsAWriteOfAnEndedReign) {
  judge->observe(write("controller=c; key=default/a; epoch=1; uid=u; basis=pods:5", "u", 9));
  judge->observe(write("controller=c; key=default/b; epoch=2; uid=u; basis=pods:9", "u", 10));
  EXPECT_EQ(found(), "");

  judge->observe(write("controller=c; key=default/c; epoch=1; uid=u; basis=pods:10", "u", 11));

  EXPECT_EQ(found(), "old-epoch");
}

TEST_F(JudgeTest, FindsAHotLoopButNotTheSameNumberOfWritesInAnHour) {
  const auto hammer = [&](Judge& judged, MonoTime every) {
    for (int i = 0; i < 200; ++i) {
      Exchange exchange = write("", "u", 9);
      exchange.at = every * i;
      judged.observe(exchange);
    }
  };

  hammer(*judge, 18s);
  EXPECT_EQ(found(), "");
  hammer(*judge, 100ms);

  EXPECT_EQ(found(), "hot-loop");
}

TEST_F(JudgeTest, FindsAnEffectThatNoStatusKnowsOf) {
  judge->witness({"default", "book"}, "u", "entry-1", 1);

  EXPECT_EQ(found(), "effect-unrecorded");
}

}  // namespace
}  // namespace holdfast::sim
