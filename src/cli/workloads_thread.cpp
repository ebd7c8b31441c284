#include "workloads_thread.h"

#include <holdfast/base/log.h>
#include <holdfast/net/in_process.h>
#include <holdfast/workloads/workloads.h>

#include <fmt/format.h>

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;

// What the real manager is without ServiceAccounts per controller: its own user, with every right.
net::Peer controller_manager() {
  return {.address = "in-process",
          .certificate = true,
          .common_name = "system:kube-controller-manager",
          .organizations = {"system:masters"}};
}

constexpr auto kPause = 2000ms;

}  // namespace

Workloads::Workloads(net::Service& service, std::string_view controllers)
    : chosen_(controllers),
      transport_(net::make_in_process(service, controller_manager())),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void Workloads::run(const std::stop_token& stop) {
  const kube::Sleep pause = kube::sleep_until_stopped();
  while (!stop.stop_requested()) {
    control::RuntimeSettings settings;
    settings.name = "kube-controller-manager";
    settings.instance = "holdfast";
    control::Runtime runtime(std::move(settings), *transport_, clock_, random_, pause);
    std::vector<control::ControllerSpec> specs = workloads::controllers(chosen_);
    if (specs.empty()) return;
    for (control::ControllerSpec& spec : specs) runtime.add(std::move(spec));
    const Result<void> ended = runtime.run(stop);
    if (ended || stop.stop_requested()) return;
    log::error(fmt::format("workload controllers: {} (starting again)", ended.error().what()));
    pause(kPause, stop);
  }
}

}  // namespace holdfast::cli
