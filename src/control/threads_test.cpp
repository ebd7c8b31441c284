/// State that threads of a process share, used by at least four of them at once. Without the lock
/// that each test names, the thread sanitizer finds it; `make campaign NAME=locks` takes them away.
#include <holdfast/control/runtime.h>

#include "cached_objects.h"
#include "runtime/bell.h"

#include <fmt/format.h>

#include <atomic>
#include <thread>

namespace holdfast::control {
namespace {

using namespace std::chrono_literals;
constexpr int kThreads = 4;

/// Answers each call by itself, so that it brings no order of its own between threads.
class Answering final : public net::Client {
 public:
  using Answer = std::function<net::Response(const net::Call&)>;
  explicit Answering(Answer answer) : answer_(std::move(answer)) {}
  Result<net::Response> call(const net::Call& call) override {
    calls_.fetch_add(1, std::memory_order_relaxed);
    return answer_(call);
  }
  Result<net::Response> stream(const net::Call& call,
                               const std::function<bool(std::string_view)>&) override {
    return this->call(call);
  }
  int calls() const { return calls_.load(); }

 private:
  const Answer answer_;
  std::atomic<int> calls_{0};
};

net::Response refusal() {
  return {.status = 403,
          .body = R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"no",)"
                  R"("reason":"Forbidden","code":403})"};
}

struct SharedByThreads : testing::Test {
  void run(const std::function<void(int)>& work) {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) threads.emplace_back([&work, t] { work(t); });
  }
  kube::Client client(net::Client& transport) {
    return {transport, clock_, random_, [](auto, const auto&) {}, {.tries = 1}};
  }
  SystemClock clock_{};
  SystemRandom random_{};
};

/// Bell::mutex_.
TEST_F(SharedByThreads, BellCountsEveryRing) {
  Bell bell;

  run([&](int) {
    for (int i = 0; i < 2000; ++i) {
      bell.ring();
      bell.wait(bell.rings(), 1us);
    }
  });

  EXPECT_EQ(bell.rings(), uint64_t{kThreads * 2000});
}

/// EventRecorder::Body::mutex.
TEST_F(SharedByThreads, EventRecorderSendsOrCountsWhatItIsTold) {
  constexpr int kEach = 200;
  Answering server(
      [](const net::Call& call) -> net::Response { return {.status = 201, .body = call.body}; });
  kube::Client sender = client(server);
  EventRecorder recorder(sender, clock_, "test-1");

  run([&](int thread) {
    for (int i = 0; i < kEach; ++i) {
      const kube::Cached about = cached(fmt::format(
          R"({{"metadata":{{"namespace":"shop","name":"web","uid":"u-{}-{}"}}}})", thread, i));
      recorder.record("test", kube::kPods, about, {.reason = "Seen", .message = "m"});
      if (thread == 0 && recorder.due()) recorder.step();
    }
  });
  while (recorder.due() && *recorder.due() <= clock_.mono()) recorder.step();

  EXPECT_EQ(size_t(server.calls()) + recorder.dropped(), size_t{kThreads * kEach});
}

/// Elector::mutex_: one thread steps, the others ask.
TEST_F(SharedByThreads, ElectorIsAskedWhileItSteps) {
  Answering server([](const net::Call& call) -> net::Response {
    if (call.method == "GET") return {.status = 404, .body = "{}"};
    model::Value lease = json(call.body);
    lease.as_object()["metadata"].as_object()["resourceVersion"] = "1";
    return {.status = 201, .body = model::to_json(lease)};
  });
  kube::Client sender = client(server);
  Elector elector({.ns = "shop", .identity = "me", .retry = 1ms}, sender, clock_, random_);
  std::atomic<int> asked{0}, wrong{0};

  run([&](int thread) {
    // Relaxed, so that the count brings no order of its own. The others may be done before the
    // first step.
    while (thread == 0 && (asked.load(std::memory_order_relaxed) < 3 * 2000 ||
                           elector.state() != Elector::State::Leading))
      elector.step();
    for (int i = 0; thread != 0 && i < 2000; ++i) {
      const bool leads = elector.state() == Elector::State::Leading;
      wrong += leads && elector.leader() != "me";
      wrong += leads && !elector.fence().ask(clock_.mono(), 1ms).granted;
      wrong += elector.due() > clock_.mono() + 1h;
      asked.fetch_add(1, std::memory_order_relaxed);
    }
  });

  EXPECT_EQ(elector.state(), Elector::State::Leading);
  EXPECT_EQ(wrong, 0);
}

struct Refused final : Reconciler {
  Result<Outcome> reconcile(Pass& pass) override {
    // What was refused is tried once more, and then left.
    if (pass.refusal() != nullptr) return Outcome::done();
    return Outcome::act(create(
        kube::kConfigMaps, json(fmt::format(R"({{"metadata":{{"namespace":"shop","name":"{}"}}}})",
                                            pass.key().name))));
  }
};

/// Controller::Body::mutex_: the troubles of keys.
TEST_F(SharedByThreads, ControllerRemembersWhatWasRefusedOfEachKey) {
  constexpr int kKeys = 100;
  Answering server([](const net::Call&) { return refusal(); });
  kube::Client sender = client(server);
  kube::Informers informers(random_);
  EventRecorder events(sender, clock_, "test-1");
  Metrics metrics;
  ControllerSpec spec;
  spec.name = "test";
  spec.watches = {{.scope = {.resource = kube::kConfigMaps}}};
  spec.make = [] { return std::make_unique<Refused>(); };
  spec.workers = kThreads;
  Controller controller(std::move(spec),
                        {informers, sender, clock_, Fence::open(), events, metrics});

  run([&](int thread) {
    for (int i = 0; i < kKeys; ++i) {
      const kube::Key key{"shop", fmt::format("{}-{}", thread, i)};
      controller.enqueue(key);
      controller.step();
    }
  });

  while (controller.step()) {
  }
  EXPECT_EQ(server.calls(), kThreads * kKeys) << "each key is refused once";
}

/// Runtime::Body::address_mutex_.
TEST_F(SharedByThreads, RuntimeTellsWhereItsPagesAreWhileItStarts) {
  Answering server([](const net::Call&) { return refusal(); });
  Runtime runtime({.pages_listen = "127.0.0.1:0"}, server, clock_, random_,
                  [](auto, const auto&) {});
  std::stop_source stop;
  std::jthread runner([&] { EXPECT_TRUE(runtime.run(stop.get_token())); });

  run([&](int) {
    while (runtime.pages_address().empty()) std::this_thread::yield();
  });

  EXPECT_TRUE(runtime.pages_address().starts_with("127.0.0.1:"));
  stop.request_stop();
}

}  // namespace
}  // namespace holdfast::control
