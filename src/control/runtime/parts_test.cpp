/// States of a part, by the failures of its controllers' watches.
#include "runtime/parts.h"

#include "cached_objects.h"

#include <fmt/format.h>

namespace holdfast::control {
namespace {

Unheard unheard(std::string text, int code) {
  return {{.resource = kube::kPods}, {std::move(text), code}};
}

TEST(Parts, RunsWhenEverythingIsHeardAndWeLead) {
  const Part part = part_of("groups", true, {});

  EXPECT_TRUE(part.running);
  EXPECT_EQ(part.reason, "Running");
}

TEST(Parts, FollowersDoNotRun) {
  const Part part = part_of("groups", false, {});

  EXPECT_FALSE(part.running);
  EXPECT_EQ(part.reason, "NotLeading");
}

TEST(Parts, TellsWhatAPersonHasToMendBeforeWhatMendsItself) {
  const Part part =
      part_of("groups", true,
              {unheard("", 0), unheard("pods: watch: connection refused", 0),
               unheard("pods: list: 403 no", 403), unheard("pods: list: 404 no", 404)});

  EXPECT_FALSE(part.running);
  EXPECT_EQ(part.reason, "KindNotServed");
  EXPECT_EQ(part.message, "pods: list: 404 no");
}

TEST(Parts, NamesTheReasonOfEachTrouble) {
  EXPECT_EQ(part_of("x", true, {unheard("", 0)}).reason, "CachesFilling");
  EXPECT_EQ(part_of("x", true, {unheard("pods: watch: refused", 0)}).reason, "ServerAway");
  EXPECT_EQ(part_of("x", true, {unheard("pods: list: 503 later", 503)}).reason, "ServerAway");
  EXPECT_EQ(part_of("x", true, {unheard("pods: list: 403 no", 403)}).reason, "Forbidden");
}

struct Idle final : Reconciler {
  Result<Outcome> reconcile(Pass&) override { return Outcome::done(); }
};

/// Answers which versions of a group are served.
class Discovery final : public net::Client {
 public:
  Result<net::Response> call(const net::Call&) override {
    ++calls;
    return net::Response{.status = 200,
                         .body = fmt::format(R"({{"versions":[{{"version":"{}"}}]}})", served)};
  }
  Result<net::Response> stream(const net::Call&,
                               const std::function<bool(std::string_view)>&) override {
    return Error(Fault::Internal, "nobody watches here");
  }
  std::string served = "v1alpha1";
  int calls = 0;
};

/// One driver that watches deployments, and what the server says of them.
struct PartsOverTime : testing::Test {
  PartsOverTime() {
    ControllerSpec spec;
    spec.name = "etcd-controller";
    spec.part = "etcd";
    spec.watch(kube::kDeployments);
    spec.make = [] { return std::make_unique<Idle>(); };
    controllers_.push_back(std::make_unique<Controller>(
        std::move(spec), Shared{informers_, client_, clock_, Fence::open(), events_, metrics_}));
  }
  Part refused(int code, const std::string& message) {
    next();
    reflector().ended(
        net::Response{
            .status = code,
            .body = fmt::format(R"({{"kind":"Status","apiVersion":"v1","message":"{}","code":{}}})",
                                message, code)},
        clock_.mono());
    return look();
  }
  Part away(const std::string& why) {
    next();
    reflector().ended(Error(Fault::Unavailable, why), clock_.mono());
    return look();
  }
  Part served() {
    next();
    reflector().received(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"7",)"
                         R"("annotations":{"k8s.io/initial-events-end":"true"}}}})"
                         "\n",
                         clock_.mono());
    return look();
  }
  Part look() {
    watch_.look(true);
    return watch_.parts().at(0);
  }

 private:
  kube::Reflector& reflector() { return *informers_.entries().at(0)->reflector; }
  void next() {
    clock_.advance(std::chrono::minutes(1));
    EXPECT_EQ(reflector().next(clock_.mono()).what, kube::Reflector::Next::Do::Watch);
  }

 protected:
  ManualClock clock_{WallTime{}};
  SeededRandom random_{1};
  Discovery discovery_{};
  kube::Client client_{discovery_, clock_, random_, [](auto, const auto&) {}, {.tries = 1}};
  kube::Informers informers_{random_};
  EventRecorder events_{client_, clock_, "test-1"};
  Metrics metrics_{};
  std::vector<std::unique_ptr<Controller>> controllers_{};
  PartsWatch watch_{controllers_, metrics_, client_};
};

TEST_F(PartsOverTime, ReasonAndMessageFollowTheCause) {
  const Part absent = refused(404, "no such page");
  EXPECT_EQ(absent.reason, "KindNotServed");
  EXPECT_NE(absent.message.find("no such page; the server has apps as v1alpha1"),
            std::string::npos);

  const Part forbidden = refused(403, "you may not list deployments");
  EXPECT_EQ(forbidden.reason, "Forbidden");
  EXPECT_NE(forbidden.message.find("you may not list deployments"), std::string::npos);

  const Part otherwise = refused(403, "you may not watch deployments");
  EXPECT_EQ(otherwise.reason, "Forbidden");
  EXPECT_NE(otherwise.message.find("you may not watch deployments"), std::string::npos)
      << "the same reason, another cause: " << otherwise.message;

  EXPECT_NE(away("connection refused").message.find("connection refused"), std::string::npos);
  EXPECT_NE(away("certificate unknown").message.find("certificate unknown"), std::string::npos);

  EXPECT_EQ(served(), (Part{"etcd", true, "Running", "all its controllers run"}));
  EXPECT_NE(metrics_.text().find(R"(holdfast_driver_running{driver="etcd"} 1)"), std::string::npos);
}

TEST_F(PartsOverTime, TellsAnotherVersionThatIsServedMeanwhile) {
  refused(404, "no such page");
  discovery_.served = "v1beta1";

  for (int i = 0; i < 40; ++i) look();

  EXPECT_NE(look().message.find("apps as v1beta1"), std::string::npos);
  EXPECT_LE(discovery_.calls, 3) << "not asked at each look";
}

}  // namespace
}  // namespace holdfast::control
