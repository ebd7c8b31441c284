// A small controller on our runtime; peer/main.go is the same one on controller-runtime. It watches
// pods, compares two annotations, patches one when they differ, and notes how long after the stamp
// in an object's annotation a pass on it began.
//
// GET /synced waits for the caches; /drain?rounds=N passes every cached key N times and says the
// seconds; /latency says the microseconds of all stamped passes so far, and forgets them; /rest
// gives free memory back.
#include <holdfast/base/mutex.h>
#include <holdfast/base/random.h>
#include <holdfast/control/runtime.h>
#include <holdfast/kube/config.h>
#include <holdfast/net/server.h>

#include "load.h"

#include <fmt/format.h>
#include <malloc.h>
#include <signal.h>

#include <atomic>
#include <charconv>
#include <cstdio>
#include <thread>

namespace holdfast {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kWant = "bench.holdfast.dev/want", kHave = "bench.holdfast.dev/have",
                           kStamp = "bench.holdfast.dev/stamp";

/// What all passes leave behind.
struct Figures {
  std::atomic<int64_t> passes{0};
  Mutex mutex{};
  std::map<kube::Key, std::string> seen HF_GUARDED_BY(mutex){};
  std::vector<int64_t> latencies HF_GUARDED_BY(mutex){};
};

class Comparer final : public control::Reconciler {
 public:
  Comparer(Figures& figures, const Clock& clock) : figures_(figures), clock_(clock) {}

  Result<control::Outcome> reconcile(control::Pass& pass) override {
    const MonoTime now = clock_.mono();
    Result<control::Outcome> out = compare(pass, now);
    ++figures_.passes;
    return out;
  }

 private:
  Result<control::Outcome> compare(control::Pass& pass, MonoTime now) {
    const kube::Cached pod = pass.get(kube::kPods, pass.key().ns, pass.key().name);
    if (!pod) return control::Outcome::done();
    const model::Value object = pod.value();
    const std::string_view want = model::string_at(object, {"metadata", "annotations", kWant});
    const std::string_view stamp = model::string_at(object, {"metadata", "annotations", kStamp});
    if (!stamp.empty()) note(pass.key(), stamp, now);
    if (want == model::string_at(object, {"metadata", "annotations", kHave}))
      return control::Outcome::done();
    model::Value patch = model::Object{};
    model::ensure_object(patch, {"metadata", "annotations"})[kHave] = want;
    return control::Outcome::act(
        control::patch(kube::kPods, pod, std::move(patch), control::Decides::No));
  }

  void note(const kube::Key& key, std::string_view stamp, MonoTime now) {
    int64_t sent = 0;
    std::from_chars(stamp.data(), stamp.data() + stamp.size(), sent);
    const Lock lock(figures_.mutex);
    std::string& last = figures_.seen[key];
    if (last == stamp) return;
    last = stamp;
    figures_.latencies.push_back(now.count() - sent);
  }

  Figures& figures_;
  const Clock& clock_;
};

class Pages final : public net::Service {
 public:
  Pages(control::Runtime& runtime, Figures& figures, const Clock& clock)
      : runtime_(runtime), figures_(figures), clock_(clock) {}

  void serve(net::Request request, net::Respond respond) override {
    net::Response answer;
    if (request.path == "/synced") {
      while (!runtime_.may_reconcile()) std::this_thread::sleep_for(1ms);
      answer.body = fmt::format("{}\n", pods().size());
    } else if (request.path == "/drain") {
      answer.body = fmt::format("{:.6f}\n", drain(request));
    } else if (request.path == "/latency") {
      const Lock lock(figures_.mutex);
      for (const int64_t micros : figures_.latencies) answer.body += fmt::format("{}\n", micros);
      figures_.latencies.clear();
    } else if (request.path == "/rest") {
      malloc_trim(0);
    }
    respond(std::move(answer));
  }

 private:
  kube::Informer& pods() { return runtime_.informers().of({.resource = kube::kPods}); }

  double drain(const net::Request& request) {
    const int rounds = std::stoi(std::string(net::query_value(request.query, "rounds")));
    std::vector<kube::Key> keys;
    for (const kube::Cached& pod : pods().list()) keys.push_back(kube::key_of(pod));
    const MonoTime start = clock_.mono();
    for (int round = 0; round < rounds; ++round) {
      const int64_t begin = figures_.passes;
      for (const kube::Key& key : keys) runtime_.controllers().front()->enqueue(key);
      while (figures_.passes - begin < int64_t(keys.size())) std::this_thread::sleep_for(1ms);
    }
    return std::chrono::duration<double>(clock_.mono() - start).count();
  }

  control::Runtime& runtime_;
  Figures& figures_;
  const Clock& clock_;
};

Result<void> run(const std::string& kubeconfig) {
  const SystemClock clock;
  SystemRandom random;
  Figures figures;
  kube::Config config = HF_TRY(kube::load_config({.kubeconfig = kubeconfig, .context = {}}));
  const std::unique_ptr<net::Client> transport = HF_TRY(kube::connect(std::move(config), clock));
  control::RuntimeSettings settings;
  settings.name = "bench";
  settings.pages_listen = "127.0.0.1:0";
  control::Runtime runtime(std::move(settings), *transport, clock, random,
                           kube::sleep_until_stopped());
  control::ControllerSpec spec;
  spec.name = "comparer";
  spec.watches = {{.scope = {.resource = kube::kPods}}};
  spec.make = [&figures, &clock] { return std::make_unique<Comparer>(figures, clock); };
  runtime.add(std::move(spec));
  Pages pages(runtime, figures, clock);
  const std::unique_ptr<net::Server> server = HF_TRY(net::Server::start({.threads = 1}, pages));
  fmt::print("ready http://127.0.0.1:{}\n", server->port());
  std::fflush(stdout);
  std::stop_source stop;
  const std::jthread controllers([&] {
    if (Result<void> ended = runtime.run(stop.get_token()); !ended)
      fmt::print(stderr, "error: {}\n", ended.error().what());
  });
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  int received = 0;
  sigwait(&signals, &received);
  stop.request_stop();
  return ok();
}

}  // namespace
}  // namespace holdfast

int main(int argc, char** argv) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const std::string what = argc > 2 ? argv[1] : "";
  holdfast::Result<void> ended = holdfast::ok();
  if (what == "--kubeconfig") {
    ended = holdfast::run(argv[2]);
  } else if (what == "fill" && argc == 5) {
    ended = holdfast::bench::fill(argv[2], std::atoi(argv[3]), std::atoi(argv[4]));
  } else if (what == "stamp" && argc == 4) {
    ended = holdfast::bench::stamp(argv[2], std::atoi(argv[3]));
  } else {
    fmt::print(stderr,
               "usage: bench_runtime --kubeconfig FILE | fill FILE FROM TO | stamp FILE COUNT\n");
    return 2;
  }
  if (!ended) fmt::print(stderr, "error: {}\n", ended.error().what());
  return ended ? 0 : 1;
}
