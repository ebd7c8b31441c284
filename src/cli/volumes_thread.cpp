#include "volumes_thread.h"

#include <holdfast/base/log.h>
#include <holdfast/base/sleep.h>
#include <holdfast/net/in_process.h>

#include "keep_running.h"

#include <fmt/format.h>

namespace holdfast::cli {
namespace {

net::Peer volume_controllers() {
  return {.address = "in-process",
          .certificate = true,
          .common_name = "system:kube-controller-manager",
          .organizations = {"system:masters"}};
}

constexpr std::chrono::milliseconds kTryAgain{500};

/// A server that is away is waited for, and so is one that was given the definitions of snapshots
/// a moment ago and does not serve them yet. Each reason is told once.
Result<void> install_once_served(volumes::Machine& machine, kube::Client& client,
                                 const std::stop_token& stop) {
  const Sleep pause = sleep_until_stopped();
  std::string told;
  for (; !stop.stop_requested(); pause(kTryAgain, stop)) {
    Result<void> installed = machine.install(client);
    if (installed || !installed.error().transient()) return installed;
    const std::string why = installed.error().what();
    if (why != told) log::warn(fmt::format("volumes wait for the server: {}", why));
    told = why;
  }
  return ok();
}

}  // namespace

Volumes::Volumes(net::Service& service, volumes::Settings settings)
    : settings_(std::move(settings)),
      transport_(net::make_in_process(service, volume_controllers())),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

Result<void> run_volumes(net::Client& transport, const volumes::Settings& settings,
                         bool with_binders, const Clock& clock, Random& random,
                         const std::stop_token& stop) {
  volumes::Settings stoppable = settings;
  stoppable.stop = stop;
  Result<volumes::Machine> machine = volumes::Machine::open(stoppable, clock);
  control::RuntimeSettings runtime_settings;
  runtime_settings.name = "holdfast-volumes";
  runtime_settings.instance = settings.node;
  control::Runtime runtime(std::move(runtime_settings), transport, clock, random,
                           kube::sleep_until_stopped());
  if (!machine) {
    const Result<void> told =
        volumes::report_trouble(runtime.client(), settings.node, machine.error());
    if (!told) log::warn(told.error().what());
    return machine.take_error();
  }
  log::info(fmt::format("volumes in {} by {}: {}", settings.folder.string(), machine->provider(),
                        machine->promise()));
  HF_TRY(install_once_served(*machine, runtime.client(), stop));
  if (stop.stop_requested()) return ok();
  if (with_binders)
    for (control::ControllerSpec& spec : volumes::binders()) runtime.add(std::move(spec));
  for (control::ControllerSpec& spec : machine->controllers()) runtime.add(std::move(spec));
  return runtime.run(stop);
}

void Volumes::run(const std::stop_token& stop) {
  keep_running("volume controllers", stop, [this, &stop] {
    return run_volumes(*transport_, settings_, true, clock_, random_, stop);
  });
}

}  // namespace holdfast::cli
