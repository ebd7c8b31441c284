#include "operator_command.h"

#include <holdfast/base/host.h>
#include <holdfast/base/log.h>
#include <holdfast/base/memory.h>
#include <holdfast/base/random.h>
#include <holdfast/cli/ending.h>
#include <holdfast/control/runtime.h>
#include <holdfast/drivers/drivers.h>
#include <holdfast/kube/config.h>
#include <holdfast/protect/driver.h>

#include "driver_options.h"
#include "keep_running.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <signal.h>

#include <thread>

namespace holdfast::cli {
namespace {

struct OperatorOptions {
  kube::ConfigChoice config{};
  std::string ns = "holdfast-system";
  std::string pages = "127.0.0.1:8080";
  bool elect = true;
  double lease = 15, renew = 10, retry = 2;
  protect::DriverChoice drivers{.settings = {.movers = {.image = "holdfast:" HOLDFAST_VERSION,
                                                        .command = {"/usr/bin/holdfast"}}}};
};

std::chrono::milliseconds seconds(double value) {
  return std::chrono::milliseconds(int64_t(value * 1000));
}

/// What is wrong with the command line itself.
Result<void> check_options(const OperatorOptions& options) {
  HF_TRY(check_drivers(options.drivers));
  if (options.elect && !(options.lease > options.renew && options.renew > 1.2 * options.retry))
    return Error(Fault::Invalid,
                 fmt::format("lead by a lease of {} s renewed within {} s every {} s: each must be "
                             "longer than the next",
                             options.lease, options.renew, options.retry))
        .with_hint("--lease-duration > --renew-deadline > 1.2 x --retry-period");
  if (options.elect && seconds(options.lease) > control::kLongestLease)
    return Error(Fault::Invalid, fmt::format("lead by a lease of {} s: others believe none that is "
                                             "longer than {} s",
                                             options.lease, control::kLongestLease.count() / 1000))
        .with_hint("choose a shorter --lease-duration");
  return ok();
}

control::RuntimeSettings settings_of(const OperatorOptions& options, const kube::Config& config,
                                     const std::string& identity) {
  control::RuntimeSettings out;
  out.name = "holdfast-operator";
  out.instance = host_name();
  out.host = config.server.substr(config.server.find("://") + 3);
  out.pages_listen = options.pages;
  // The fence counts with the longest a write may take: it must leave time to write at all.
  out.request_timeout =
      std::min<std::chrono::milliseconds>(seconds(options.renew) / 2, std::chrono::seconds(5));
  if (options.elect)
    out.election = control::ElectorSettings{.ns = options.ns,
                                            .identity = identity,
                                            .lease = seconds(options.lease),
                                            .renew_within = seconds(options.renew),
                                            .retry = seconds(options.retry)};
  return out;
}

/// From the start to the loss of the lease.
Result<void> lead_once(const OperatorOptions& options, control::RuntimeSettings settings,
                       net::Client& transport, Random& random, const std::stop_token& stop) {
  const SystemClock clock;
  control::Runtime runtime(std::move(settings), transport, clock, random,
                           kube::sleep_until_stopped());
  protect::Surroundings around(runtime, clock);
  for (control::ControllerSpec& spec :
       protect::all_controllers(options.drivers, drivers::all(), around.outside(),
                                [&runtime] { return runtime.parts(); }))
    runtime.add(std::move(spec));
  return runtime.run(stop);
}

Result<void> operate(const OperatorOptions& options, const sigset_t& stop_signals) {
  const SystemClock clock;
  SystemRandom random;
  kube::Config config = HF_TRY(kube::load_config(options.config));
  log::info(fmt::format("using {} of {}", config.server, config.source));
  const std::unique_ptr<net::Client> transport = HF_TRY(kube::connect(config, clock));
  std::stop_source stop;
  // Ends with the process: the signal that wakes it may be our own, when the run ended first.
  std::jthread signals([&stop, &stop_signals] {
    int received = 0;
    sigwait(&stop_signals, &received);
    if (received != SIGUSR1) log::info(fmt::format("signal {}: stopping", received));
    stop.request_stop();
  });
  // A lost lease ends one life. The next stands for election under the same name: all threads of
  // the one before have ended, so that a lease which nobody else took need not run out first.
  const std::string identity = host_name() + "_" + random.uuid();
  Result<void> ended = ok();
  keep_running("operator", stop.get_token(), [&]() -> Result<void> {
    Result<void> once = lead_once(options, settings_of(options, config, identity), *transport,
                                  random, stop.get_token());
    if (once || once.error().transient()) return once;
    ended = std::move(once);
    return ok();
  });
  pthread_kill(signals.native_handle(), SIGUSR1);
  return ended;
}

int run(const OperatorOptions& options) {
  if (const Result<void> checked = check_options(options); !checked) {
    fail(checked.error());
    return codes::kUsage;
  }
  give_back_large_blocks();
  // Blocked before any thread starts, so that all inherit it and only sigwait sees the signals.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  const Result<void> ended = operate(options, signals);
  return ended ? 0 : fail(ended.error());
}

}  // namespace

void add_operator_command(CLI::App& app, int& code) {
  CLI::App* command =
      app.add_subcommand("operator", "the controllers, against any Kubernetes API server");
  auto options = std::make_shared<OperatorOptions>();
  command->add_option("--kubeconfig", options->config.kubeconfig,
                      "file or colon-separated files; default: $KUBECONFIG, ~/.kube/config, then "
                      "the pod's own account");
  command->add_option("--context", options->config.context, "context of the kubeconfig");
  command->add_option("--namespace", options->ns, "namespace of the operator and its lease")
      ->capture_default_str();
  command
      ->add_option("--pages", options->pages,
                   "HOST:PORT of /healthz, /readyz and /metrics; empty: none")
      ->capture_default_str();
  command
      ->add_option("--mover-image", options->drivers.settings.movers.image,
                   "image of mover pods, which has the binary")
      ->capture_default_str();
  add_driver_options(*command, options->drivers);
  command
      ->add_option(
          "--admin-namespaces", options->drivers.settings.admin_namespaces,
          "namespaces whose objects may act in other namespaces, with the operator's own rights")
      ->delimiter(',')
      ->capture_default_str();
  command->add_flag("--leader-elect,!--no-leader-elect", options->elect,
                    "lead by the Lease holdfast-operator; default: yes");
  command->add_option("--lease-duration", options->lease, "seconds")->capture_default_str();
  command->add_option("--renew-deadline", options->renew, "seconds")->capture_default_str();
  command->add_option("--retry-period", options->retry, "seconds")->capture_default_str();
  command->callback([options, &code] { code = run(*options); });
}

}  // namespace holdfast::cli
