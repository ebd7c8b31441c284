// One controller with four workers, its informers' threads and the server's: every key comes to its
// goal, none is worked on twice at once, and nothing is created twice.
#include <holdfast/base/mutex.h>
#include <holdfast/net/in_process.h>

#include "world.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <set>
#include <stop_token>
#include <thread>

namespace holdfast::suite {
namespace {

using namespace std::chrono_literals;
using control::Outcome;
using control::Pass;
using kube::kConfigMaps;
using kube::kSecrets;

constexpr int kParents = 12, kChildren = 3, kWorkers = 4;

class Threads : public testing::Test {
 protected:
  Threads() {
    auto made = apiserver::Core::make({}, clock_, random_);
    HF_CHECK(made);
    core_ = made.take();
    committer_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested())
        if (!core_->commit()) core_->wait_for_commit_work(20ms);
    });
    net::Peer admin;
    admin.certificate = true;
    admin.common_name = "admin";
    admin.organizations = {"system:masters"};
    transport_ = net::make_in_process(*core_, admin);
    client_ =
        std::make_unique<kube::Client>(*transport_, clock_, random_, [](auto, const auto&) {});
  }
  ~Threads() override {
    core_->shut_down();
    committer_.request_stop();
  }

  Result<Outcome> reconcile(Pass& pass) {
    {
      const Lock lock(mutex_);
      if (!busy_.insert(pass.key()).second) ++twice_;
    }
    auto outcome = decide(pass);
    const Lock lock(mutex_);
    busy_.erase(pass.key());
    if (outcome.kind == Outcome::Kind::Done) complete_.insert(pass.key());
    changed_.notify_all();
    return outcome;
  }
  static Outcome decide(Pass& pass) {
    const kube::Cached parent = pass.get(kConfigMaps, pass.key().ns, pass.key().name);
    if (!parent) return Outcome::done("Gone");
    const size_t there = pass.controlled_by(kSecrets, parent.uid()).size();
    if (there >= kChildren) return Outcome::done("Complete");
    model::Value secret = parsed(R"({"apiVersion":"v1","kind":"Secret"})");
    auto& meta = model::ensure_object(secret, {"metadata"});
    meta["namespace"] = "default";
    meta["name"] = control::child_name(parent.name(), parent.uid(), std::to_string(there));
    meta["ownerReferences"] = model::Array{control::controller_reference(kConfigMaps, parent)};
    return Outcome::act(control::create(kSecrets, std::move(secret)));
  }
  void add_parents() {
    for (int i = 0; i < kParents; ++i) {
      model::Value parent = parsed(R"({"apiVersion":"v1","kind":"ConfigMap"})");
      auto& meta = model::ensure_object(parent, {"metadata"});
      meta["name"] = "p" + std::to_string(i);
      meta["labels"] = model::Object{{"parent", "yes"}};
      auto made = client_->create(kConfigMaps, "default", parent);
      ASSERT_TRUE(made) << made.error().error.what();
    }
  }
  control::ControllerSpec spec() {
    auto spec = controller_of({{.scope = {.resource = kConfigMaps, .label_selector = "parent=yes"}},
                               {.scope = {.resource = kSecrets, .ns = "default"},
                                .map = control::controlling_owner(kConfigMaps)}},
                              [this](Pass& pass) { return reconcile(pass); });
    spec.workers = kWorkers;
    return spec;
  }

  SystemClock clock_;
  SeededRandom random_{1};
  std::unique_ptr<apiserver::Core> core_;
  std::jthread committer_;
  std::unique_ptr<net::Client> transport_;
  std::unique_ptr<kube::Client> client_;
  Mutex mutex_;
  CondVar changed_;
  std::set<kube::Key> busy_ HF_GUARDED_BY(mutex_), complete_ HF_GUARDED_BY(mutex_);
  int twice_ HF_GUARDED_BY(mutex_) = 0;
};

TEST_F(Threads, FourWorkersReachEveryGoalOnce) {
  kube::Informers informers(random_);
  control::Metrics metrics;
  control::EventRecorder events(*client_, clock_, "suite");
  control::Controller controller(
      spec(), {informers, *client_, clock_, control::Fence::open(), events, metrics, true});
  controller.queue().set_waker([this] {
    const Lock lock(mutex_);
    changed_.notify_all();
  });
  informers.start(*transport_, clock_);
  ASSERT_TRUE(informers.wait_for_sync(60s));
  std::vector<std::jthread> workers;
  for (int i = 0; i < kWorkers; ++i)
    workers.emplace_back([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        if (controller.step()) continue;
        const Lock lock(mutex_);
        changed_.wait_for(mutex_, 5ms);
      }
    });

  add_parents();
  {
    const Lock lock(mutex_);
    for (int i = 0; i < 12000 && complete_.size() < kParents; ++i) changed_.wait_for(mutex_, 10ms);
    EXPECT_EQ(complete_.size(), size_t(kParents));
  }
  workers.clear();
  informers.stop();

  std::map<std::string, int> children;
  ASSERT_TRUE(client_->list(kSecrets, "default", {}, [&](const model::Value& secret) {
    ++children[model::meta_of(secret).owners.at(0).name];
    return true;
  }));
  EXPECT_EQ(children.size(), size_t(kParents));
  for (const auto& [parent, count] : children) EXPECT_EQ(count, kChildren) << parent;
  const Lock lock(mutex_);
  EXPECT_EQ(twice_, 0);
}

}  // namespace
}  // namespace holdfast::suite
