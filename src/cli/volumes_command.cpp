#include "volumes_command.h"

#include <holdfast/base/host.h>
#include <holdfast/base/log.h>
#include <holdfast/base/text.h>
#include <holdfast/cli/ending.h>
#include <holdfast/kube/config.h>
#include <holdfast/model/quantity.h>

#include "volumes_thread.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <signal.h>

namespace holdfast::cli {
namespace {

struct Options {
  kube::ConfigChoice config{};
  volumes::Settings volumes{};
  bool binders = false;
};

Result<void> run_until_signalled(const Options& options, const sigset_t& signals) {
  const SystemClock clock;
  SystemRandom random;
  kube::Config config = HF_TRY(kube::load_config(options.config));
  log::info(fmt::format("using {} of {}", config.server, config.source));
  const std::unique_ptr<net::Client> transport = HF_TRY(kube::connect(config, clock));
  std::stop_source stop;
  // Ends with the process: the signal that wakes it may be our own, when the run ended first.
  std::jthread waiting([&stop, &signals] {
    int received = 0;
    sigwait(&signals, &received);
    stop.request_stop();
  });
  Result<void> ended =
      run_volumes(*transport, options.volumes, options.binders, clock, random, stop.get_token());
  pthread_kill(waiting.native_handle(), SIGUSR1);
  return ended;
}

int run(const Options& options) {
  // Blocked before any thread starts, so that all inherit it and only sigwait sees the signals.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  const Result<void> ended = run_until_signalled(options, signals);
  return ended ? 0 : fail(ended.error());
}

}  // namespace

void add_volume_options(CLI::App& command, volumes::Settings& settings) {
  command.add_option("--volumes", settings.folder,
                     "folder of local volumes; default: volumes in the data dir");
  command
      .add_option("--provider", settings.provider,
                  "how volumes are cut: auto, btrfs, reflink, copy; none: no volumes")
      ->check(CLI::IsMember({"auto", "btrfs", "reflink", "copy", "none"}))
      ->capture_default_str();
  command
      .add_option_function<std::string>(
          "--pool-size",
          [&settings](const std::string& text) {
            settings.pool_size = model::Quantity::parse(text)->value();
          },
          "SIZE (10Gi) of a btrfs in a file of the folder, where its file system shares no blocks; "
          "as root")
      ->check([](const std::string& text) {
        const auto size = model::Quantity::parse(text);
        return size && size->value() > 0 ? "" : "not a size: " + text;
      });
}

void add_volumes_command(CLI::App& app, int& code) {
  CLI::App* command =
      app.add_subcommand("volumes", "local volumes of this machine, for any Kubernetes API server");
  auto options = std::make_shared<Options>();
  options->volumes.node = to_lower(host_name());
  options->volumes.folder = "/var/lib/holdfast/volumes";
  options->volumes.leave_pool_mounted = true;
  command->add_option("--kubeconfig", options->config.kubeconfig,
                      "file or colon-separated files; default: $KUBECONFIG, ~/.kube/config, then "
                      "the pod's own account");
  command->add_option("--context", options->config.context, "context of the kubeconfig");
  command
      ->add_option("--node", options->volumes.node,
                   "name of this machine, as in the label kubernetes.io/hostname of its Node")
      ->capture_default_str();
  command->add_flag("--binders", options->binders,
                    "also bind claims, where no kube-controller-manager runs");
  add_volume_options(*command, options->volumes);
  command->callback([options, &code] { code = run(*options); });
}

}  // namespace holdfast::cli
