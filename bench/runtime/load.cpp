#include "load.h"

#include <holdfast/base/random.h>
#include <holdfast/kube/client.h>
#include <holdfast/kube/config.h>

#include <fmt/format.h>

#include <atomic>
#include <thread>

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

constexpr int kThreads = 16;
constexpr std::chrono::milliseconds kPause = 5ms;

/// A pod as operators meet them: two containers with environment, probes, mounts and resources.
model::Value pod(int number) {
  model::Array environment;
  for (int i = 0; i < 8; ++i)
    environment.push_back(model::Object{{"name", fmt::format("SETTING_{}", i)},
                                        {"value", fmt::format("value-{}-of-pod-{}", i, number)}});
  const auto container = [&environment](std::string_view name) {
    return model::Object{
        {"name", name},
        {"image", "registry.example/team/service:1.2.3"},
        {"command", model::Array{"/bin/service", "--port=8080", "--verbose"}},
        {"env", environment},
        {"ports", model::Array{model::Object{{"name", name}, {"containerPort", 8080}}}},
        {"resources",
         model::Object{{"requests", model::Object{{"cpu", "100m"}, {"memory", "64Mi"}}},
                       {"limits", model::Object{{"memory", "128Mi"}}}}},
        {"readinessProbe",
         model::Object{{"httpGet", model::Object{{"path", "/ready"}, {"port", 8080}}},
                       {"periodSeconds", 5}}},
        {"volumeMounts", model::Array{model::Object{{"name", "data"}, {"mountPath", "/data"}}}}};
  };
  return model::Object{
      {"apiVersion", "v1"},
      {"kind", "Pod"},
      {"metadata",
       model::Object{{"name", fmt::format("pod-{}", number)},
                     {"namespace", "default"},
                     {"labels", model::Object{{"app", fmt::format("app-{}", number % 100)},
                                              {"pod-template-hash", "7d4b9c6f5"}}}}},
      {"spec", model::Object{{"containers", model::Array{container("main"), container("sidecar")}},
                             {"nodeName", fmt::format("node-{}", number % 50)},
                             {"volumes", model::Array{model::Object{
                                             {"name", "data"}, {"emptyDir", model::Object()}}}}}}};
}

struct Connected {
  SystemClock clock{};
  SystemRandom random{};
  std::unique_ptr<net::Client> transport{};
  std::optional<kube::Client> client{};

  Result<void> connect(const std::string& kubeconfig) {
    kube::Config config = HF_TRY(kube::load_config({.kubeconfig = kubeconfig, .context = {}}));
    transport = HF_TRY(kube::connect(std::move(config), clock));
    client.emplace(*transport, clock, random, kube::sleep_until_stopped());
    return ok();
  }
};

}  // namespace

Result<void> fill(const std::string& kubeconfig, int from, int to) {
  Connected server;
  HF_TRY(server.connect(kubeconfig));
  // No controller runs that would make the account which pods need.
  const auto account = server.client->create(
      kube::kServiceAccounts, "default",
      model::Object{{"apiVersion", "v1"},
                    {"kind", "ServiceAccount"},
                    {"metadata", model::Object{{"name", "default"}, {"namespace", "default"}}}});
  if (!account && !account.error().already_exists()) return account.error().error.copy();
  std::atomic<int> next{from};
  std::atomic<int> failed{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i)
      threads.emplace_back([&] {
        for (int number = next++; number < to; number = next++) {
          const auto made = server.client->create(kube::kPods, "default", pod(number));
          if (!made && !made.error().already_exists() && failed++ == 0)
            fmt::print(stderr, "{}\n", made.error().error.what());
        }
      });
  }
  if (failed > 0) return Error(Fault::Unavailable, fmt::format("{} pods not created", failed));
  return ok();
}

Result<void> stamp(const std::string& kubeconfig, int count) {
  Connected server;
  HF_TRY(server.connect(kubeconfig));
  for (int i = 0; i < count; ++i) {
    std::this_thread::sleep_for(kPause);
    model::Value patch = model::Object{};
    model::ensure_object(patch, {"metadata", "annotations"})["bench.holdfast.dev/stamp"] =
        std::to_string(server.clock.mono().count());
    const auto done = server.client->patch(kube::kPods, "default", fmt::format("pod-{}", i),
                                           kube::PatchType::Merge, patch);
    if (!done) return done.error().error.copy();
  }
  return ok();
}

}  // namespace holdfast::bench
