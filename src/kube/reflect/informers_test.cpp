#include <holdfast/kube/informers.h>

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <thread>

namespace holdfast::kube {
namespace {

using namespace std::chrono_literals;

/// Streams what it is given to whoever watches a path, and holds the streams open.
class HeldStreams final : public net::Client {
 public:
  void say(const std::string& path, const std::string& lines) {
    const Lock lock(mutex_);
    said_[path] += lines;
    changed_.notify_all();
  }
  void refuse(const std::string& path) {
    const Lock lock(mutex_);
    refused_ = path;
  }
  Result<net::Response> call(const net::Call&) override {
    return Error(Fault::Internal, "nobody lists here");
  }
  Result<net::Response> stream(const net::Call& call,
                               const std::function<bool(std::string_view)>& on_data) override {
    const std::string path = call.target.substr(0, call.target.find('?'));
    const std::stop_callback wake(call.stop, [this] {
      const Lock lock(mutex_);
      changed_.notify_all();
    });
    size_t sent = 0;
    for (;;) {
      std::string piece;
      {
        const Lock lock(mutex_);
        if (refused_ == path) return Error(Fault::Unavailable, "connection refused");
        while (said_[path].size() == sent && !call.stop.stop_requested()) changed_.wait(mutex_);
        if (call.stop.stop_requested()) return Error(Fault::Unavailable, "stopped");
        piece = said_[path].substr(sent);
      }
      sent += piece.size();
      if (!on_data(piece)) return net::Response{};
    }
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  std::map<std::string, std::string> said_ HF_GUARDED_BY(mutex_);
  std::string refused_ HF_GUARDED_BY(mutex_);
};

std::string added(std::string_view name, uint64_t version) {
  return fmt::format(
      "{{\"type\":\"ADDED\",\"object\":{{\"metadata\":{{\"name\":\"{}\",\"namespace\":\"shop\","
      "\"uid\":\"{}\",\"resourceVersion\":\"{}\"}}}}}}\n",
      name, name, version);
}

std::string complete(uint64_t version) {
  return fmt::format(
      "{{\"type\":\"BOOKMARK\",\"object\":{{\"metadata\":{{\"resourceVersion\":\"{}\","
      "\"annotations\":{{\"k8s.io/initial-events-end\":\"true\"}}}}}}}}\n",
      version);
}

struct InformersThreads : testing::Test {
  SystemRandom random;
  SystemClock clock;
  HeldStreams transport;
  Informers informers{random};
};

TEST_F(InformersThreads, SyncWhenEveryListIsComplete) {
  Informer& pods = informers.of({.resource = kPods});
  Informer& maps = informers.of({.resource = kConfigMaps, .ns = "shop"});
  EXPECT_EQ(&informers.of({.resource = kPods}), &pods) << "a scope has one informer";
  std::atomic<int> told{0};
  informers.on_synced([&] { ++told; });
  transport.say("/api/v1/pods", added("a", 1) + complete(5));
  informers.start(transport, clock);

  EXPECT_FALSE(informers.wait_for_sync(20ms));
  EXPECT_EQ(informers.waiting_for(), std::vector<std::string>{"configmaps in shop"});
  transport.say("/api/v1/namespaces/shop/configmaps", complete(6));

  EXPECT_TRUE(informers.wait_for_sync(1min));
  EXPECT_TRUE(informers.synced());
  EXPECT_EQ(pods.size(), 1u);
  EXPECT_EQ(maps.progress(), 6u);
  informers.stop();
  EXPECT_EQ(told, 2) << "each list once";
}

TEST_F(InformersThreads, SayWhatTheyWaitForAndWhy) {
  informers.of({.resource = kPods});
  transport.refuse("/api/v1/pods");
  informers.start(transport, clock);
  const std::vector<std::string> expected{"pods: watch: connection refused"};
  for (int i = 0; i < 3000 && informers.waiting_for() != expected; ++i)
    informers.wait_for_sync(10ms);

  EXPECT_EQ(informers.waiting_for(), expected);
  std::stop_source impatient;
  impatient.request_stop();
  EXPECT_FALSE(informers.wait_for_sync(1h, impatient.get_token()));
  informers.stop();
}

/// On a clock that stands still no pause ends by itself.
TEST_F(InformersThreads, AnAnswerToSomebodyElseEndsThePauseOfThoseThatGotNone) {
  const ManualClock still{WallTime()};
  Informer& pods = informers.of({.resource = kPods});
  Informer& maps = informers.of({.resource = kConfigMaps});
  transport.refuse("/api/v1/pods");
  transport.say("/api/v1/configmaps", complete(5));
  informers.start(transport, still);
  while (informers.trouble(pods).text.empty()) std::this_thread::yield();
  transport.refuse("");
  transport.say("/api/v1/pods", complete(5));

  // It may not have begun to pause when it is told for the first time.
  while (!pods.synced()) informers.hurry();

  while (!maps.synced()) std::this_thread::yield();
  informers.stop();
}

/// Guards Reflector::State::mutex: without it, the thread sanitizer finds this test.
TEST_F(InformersThreads, ManyReflectorsAndReadersShareNothingUnguarded) {
  const std::vector<Resource> resources{kPods,     kConfigMaps,  kSecrets,
                                        kServices, kDeployments, kJobs};
  std::map<std::string, Informer*> made;
  std::atomic<int> changes{0};
  Mutex mutex;
  CondVar progressed;
  for (const Resource& resource : resources) {
    Informer& informer = informers.of({.resource = resource});
    informer.on_change([&](const Change&) { ++changes; });
    informer.on_progress([&](uint64_t) {
      const Lock lock(mutex);
      progressed.notify_all();
    });
    made[resource.path("", "")] = &informer;
  }
  informers.start(transport, clock);

  for (const auto& [path, informer] : made) transport.say(path, added("a", 1) + complete(5));
  for (uint64_t version = 6; version < 106; ++version)
    for (const auto& [path, informer] : made) {
      transport.say(path, added(fmt::format("n{}", version), version));
      informers.waiting_for();
      informer->list();
    }
  ASSERT_TRUE(informers.wait_for_sync(1min));
  for (const auto& [path, informer] : made) {
    const Lock lock(mutex);
    while (informer->progress() < 105) progressed.wait(mutex);
  }
  informers.stop();

  EXPECT_EQ(changes, 6 * 101);
  for (const auto& [path, informer] : made) EXPECT_EQ(informer->size(), 101u) << path;
}

TEST_F(InformersThreads, CoveringPrefersWhatHoldsMost) {
  Informer& labelled = informers.of({.resource = kPods, .label_selector = "app=a"});
  EXPECT_EQ(informers.covering(kPods, "shop"), &labelled);
  Informer& partial = informers.of({.resource = kPods, .metadata_only = true});
  EXPECT_EQ(informers.covering(kPods, "shop"), &partial);
  Informer& shop = informers.of({.resource = kPods, .ns = "shop"});

  EXPECT_EQ(informers.covering(kPods, "shop"), &shop);
  EXPECT_EQ(informers.covering(kPods, "art"), &partial);
  EXPECT_EQ(informers.covering(kPods, ""), &partial);
  EXPECT_EQ(informers.covering(kSecrets, "shop"), nullptr);
}

}  // namespace
}  // namespace holdfast::kube
