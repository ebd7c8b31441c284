// contender KUBECONFIG lead NAME: a process that leads by a lease and, while it does, writes its
// name into the ConfigMap default/throne, over and over, without asking what stands there: only
// the fence keeps a former leader from it.
// contender KUBECONFIG create: makes the ConfigMap.
// contender KUBECONFIG observe: prints "NAME COUNT" for every version of the ConfigMap, as watched.
#include <holdfast/base/random.h>
#include <holdfast/control/runtime.h>
#include <holdfast/kube/config.h>

#include <fmt/format.h>
#include <signal.h>

#include <cstdio>
#include <thread>

namespace holdfast {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kBetweenWrites = 40ms;

class Claimant final : public control::Reconciler {
 public:
  explicit Claimant(std::string name) : name_(std::move(name)) {}

  Result<control::Outcome> reconcile(control::Pass& pass) override {
    const kube::Cached throne = pass.get(kube::kConfigMaps, "default", "throne");
    if (!throne) return control::Outcome::done();
    rested_ = !rested_;
    if (rested_) return control::Outcome::wait(kBetweenWrites, "Resting");
    model::Value claim = model::Object{};
    model::Object& data = model::ensure_object(claim, {"data"});
    data["holder"] = name_;
    data["count"] = std::to_string(++count_);
    return control::Outcome::act(
        control::patch(kube::kConfigMaps, throne, std::move(claim), control::Decides::No));
  }

 private:
  const std::string name_;
  bool rested_ = false;
  int64_t count_ = 0;
};

class Observer final : public control::Reconciler {
 public:
  Result<control::Outcome> reconcile(control::Pass&) override { return control::Outcome::done(); }
};

control::ControllerSpec spec_of(const std::string& name) {
  control::ControllerSpec spec;
  spec.name = "throne";
  kube::Scope scope{.resource = kube::kConfigMaps, .ns = "default"};
  scope.field_selector = "metadata.name=throne";
  spec.watches = {{.scope = scope}};
  spec.make = [name]() -> std::unique_ptr<control::Reconciler> {
    if (name.empty()) return std::make_unique<Observer>();
    return std::make_unique<Claimant>(name);
  };
  return spec;
}

void print(const kube::Change& change) {
  if (!change.after) return;
  const model::Value object = change.after.value();
  fmt::print("{} {}\n", model::string_at(object, {"data", "holder"}),
             model::string_at(object, {"data", "count"}));
  std::fflush(stdout);
}

Result<void> create(const std::string& kubeconfig) {
  const SystemClock clock;
  SystemRandom random;
  kube::Config config = HF_TRY(kube::load_config({.kubeconfig = kubeconfig, .context = {}}));
  const std::unique_ptr<net::Client> transport = HF_TRY(kube::connect(std::move(config), clock));
  kube::Client client(*transport, clock, random, kube::sleep_until_stopped());
  const auto made = client.create(
      kube::kConfigMaps, "default",
      model::Object{{"apiVersion", "v1"},
                    {"kind", "ConfigMap"},
                    {"metadata", model::Object{{"name", "throne"}, {"namespace", "default"}}}});
  if (!made) return made.error().error.copy();
  return ok();
}

Result<void> run(const std::string& kubeconfig, const std::string& name) {
  const SystemClock clock;
  SystemRandom random;
  kube::Config config = HF_TRY(kube::load_config({.kubeconfig = kubeconfig, .context = {}}));
  const std::unique_ptr<net::Client> transport = HF_TRY(kube::connect(std::move(config), clock));
  control::RuntimeSettings settings;
  settings.name = "contender";
  settings.request_timeout = 500ms;
  if (!name.empty())
    settings.election = control::ElectorSettings{.ns = "default",
                                                 .name = "throne",
                                                 .identity = name,
                                                 .lease = 3000ms,
                                                 .renew_within = 2000ms,
                                                 .retry = 300ms};
  control::Runtime runtime(std::move(settings), *transport, clock, random,
                           kube::sleep_until_stopped());
  control::ControllerSpec spec = spec_of(name);
  if (name.empty()) runtime.informers().of(spec.watches[0].scope).on_change(print);
  runtime.add(std::move(spec));
  std::stop_source stop;
  std::thread([&stop] {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    int received = 0;
    sigwait(&signals, &received);
    stop.request_stop();
  }).detach();
  return runtime.run(stop.get_token());
}

}  // namespace
}  // namespace holdfast

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const holdfast::Result<void> ended = std::string_view(argv[2]) == "create"
                                           ? holdfast::create(argv[1])
                                           : holdfast::run(argv[1], argc > 3 ? argv[3] : "");
  if (!ended) fmt::print(stderr, "error: {}\n", ended.error().what());
  return ended ? 0 : 1;
}
