#include "workloads_thread.h"

#include <holdfast/net/in_process.h>
#include <holdfast/workloads/workloads.h>

#include "keep_running.h"

namespace holdfast::cli {
namespace {

// What the real manager is without ServiceAccounts per controller: its own user, with every right.
net::Peer controller_manager() {
  return {.address = "in-process",
          .certificate = true,
          .common_name = "system:kube-controller-manager",
          .organizations = {"system:masters"}};
}

}  // namespace

Workloads::Workloads(net::Service& service, std::string_view controllers)
    : chosen_(controllers),
      transport_(net::make_in_process(service, controller_manager())),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void Workloads::run(const std::stop_token& stop) {
  keep_running("workload controllers", stop, [this, &stop]() -> Result<void> {
    control::RuntimeSettings settings;
    settings.name = "kube-controller-manager";
    settings.instance = "holdfast";
    control::Runtime runtime(std::move(settings), *transport_, clock_, random_,
                             kube::sleep_until_stopped());
    std::vector<control::ControllerSpec> specs = workloads::controllers(chosen_);
    if (specs.empty()) return {};
    for (control::ControllerSpec& spec : specs) runtime.add(std::move(spec));
    return runtime.run(stop);
  });
}

}  // namespace holdfast::cli
