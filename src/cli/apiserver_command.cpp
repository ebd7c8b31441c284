#include "apiserver_command.h"

#include <holdfast/apiserver/daemon.h>
#include <holdfast/base/files.h>
#include <holdfast/base/host.h>
#include <holdfast/base/log.h>
#include <holdfast/cli/ending.h>

#include "driver_options.h"
#include "node_thread.h"
#include "operator_thread.h"
#include "volumes_command.h"
#include "volumes_thread.h"
#include "workloads_thread.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <signal.h>

#include <cstdlib>
#include <optional>

namespace holdfast::cli {
namespace {

/// Null if unset.
const char* environment(const char* name) {
  return std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here changes the environment
}

std::filesystem::path default_data_dir() {
  if (const char* state = environment("XDG_STATE_HOME"); state != nullptr && *state != '\0')
    return std::filesystem::path(state) / "holdfast";
  const char* home = environment("HOME");
  return std::filesystem::path(home != nullptr ? home : "/") / ".local/state/holdfast";
}

/// What `up` runs beside the server.
struct Beside {
  bool workloads = false;
  volumes::Settings volumes{.node = host_name()};

  node::NodeOptions node{};
  bool has_node = true, has_operator = true;
  protect::DriverChoice drivers{};

  /// "none" leaves storage to others.
  bool has_volumes() const { return workloads && volumes.provider != "none"; }
};

/// Movers run this very binary, which the node has as an image.
protect::MoverSettings movers_here() {
  // Who may name a folder in a location is for the server here, which knows who asks.
  return {.file_namespaces = {"*"}, .file_here = true};
}

/// What no pod may see: where the server keeps its keys and everybody's secrets.
Result<std::unique_ptr<LocalNode>> start_node(const apiserver::DaemonOptions& options,
                                              const Beside& beside, apiserver::Daemon& daemon) {
  node::NodeOptions node = beside.node;
  node.name = host_name();
  node.data_dir = std::filesystem::absolute(options.data_dir) / "node";
  node.server_url = daemon.url();
  node.client_ca = HF_TRY(read_file(options.data_dir / "pki/ca.crt"));
  node.masked.push_back(std::filesystem::absolute(options.data_dir).string());
  if (!beside.volumes.folder.empty())
    node.masked.push_back(std::filesystem::absolute(beside.volumes.folder).string());
  return LocalNode::start(daemon.service(), std::move(node));
}

int serve(const apiserver::DaemonOptions& options, const Beside& beside) {
  // Blocked before any thread starts, so that all inherit it and only sigwait sees the signal.
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGINT);
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  signal(SIGPIPE, SIG_IGN);

  if (const Result<void> checked = check_drivers(beside.drivers); !checked) {
    fail(checked.error());
    return codes::kUsage;
  }
  Result<std::unique_ptr<apiserver::Daemon>> daemon = apiserver::Daemon::start(options);
  if (!daemon) return fail(daemon.error());
  std::optional<Workloads> workloads;
  if (beside.workloads) workloads.emplace((*daemon)->service(), options.controllers);
  std::optional<Volumes> volumes;
  if (beside.has_volumes()) {
    volumes::Settings settings = beside.volumes;
    if (settings.folder.empty()) settings.folder = options.data_dir / "volumes";
    volumes.emplace((*daemon)->service(), std::move(settings));
  }
  std::optional<Operator> protection;
  if (beside.workloads && beside.has_operator) {
    protect::DriverChoice choice = beside.drivers;
    choice.settings.movers = movers_here();
    protection.emplace((*daemon)->service(), std::move(choice));
  }
  std::unique_ptr<LocalNode> node;
  if (beside.workloads && beside.has_node) {
    Result<std::unique_ptr<LocalNode>> started = start_node(options, beside, **daemon);
    if (!started) return fail(started.error());
    node = started.take();
  }
  fmt::print("ready {}\n", (*daemon)->url());
  std::fflush(stdout);
  int received = 0;
  sigwait(&stop, &received);
  log::info(fmt::format("signal {}: stopping", received));
  protection.reset();
  node.reset();
  volumes.reset();
  workloads.reset();
  (*daemon)->stop();
  return 0;
}

void add_node_options(CLI::App& command, Beside& beside) {
  command.add_option("--images", beside.node.images,
                     "folder of images, DIR/<registry>/<path>/<tag>/ is an image's root; default: "
                     "node/images in the data dir");
  command.add_flag("--keep-pods", beside.node.keep_pods, "leave pods running when stopped");
  command.add_flag("!--no-operator", beside.has_operator,
                   "do not run the operator's controllers: another operator runs them");
  add_driver_options(command, beside.drivers);
  command.add_flag("!--no-node", beside.has_node,
                   "run no pods: another scheduler and kubelet run them");
}

void add_command(CLI::App& app, const std::string& name, const std::string& what,
                 bool with_workloads, int& code) {
  CLI::App* command = app.add_subcommand(name, what);
  auto options = std::make_shared<apiserver::DaemonOptions>();
  options->data_dir = default_data_dir();
  command->add_option("--data-dir", options->data_dir, "folder of keys, state and admin.kubeconfig")
      ->capture_default_str();
  command->add_option("--listen", options->listen, "address HOST:PORT; port 0 picks a free one")
      ->capture_default_str();
  command
      ->add_option("--token-auth-file", options->token_auth_file,
                   "CSV of static tokens: token,user,uid,\"group1,group2\"")
      ->check(CLI::ExistingFile);
  command
      ->add_option("--controllers", options->controllers,
                   "controllers to run: *, NAME, -NAME, comma-separated")
      ->capture_default_str();
  command->add_flag("--in-memory", options->in_memory,
                    "keep all state in RAM only; it is gone when the process ends");
  command
      ->add_option_function<int64_t>(
          "--history",
          [options](int64_t seconds) { options->history = std::chrono::seconds(seconds); },
          "SECONDS for which older versions can be listed and watched from")
      ->check(CLI::NonNegativeNumber)
      ->default_str(std::to_string(options->history.count()));
  auto beside = std::make_shared<Beside>();
  beside->workloads = with_workloads;
  if (with_workloads) add_volume_options(*command, beside->volumes);
  if (with_workloads) add_node_options(*command, *beside);
  command->callback([options, beside, &code] { code = serve(*options, *beside); });
}

}  // namespace

void add_apiserver_commands(CLI::App& app, int& code) {
  add_command(app, "apiserver", "the embedded Kubernetes API server", false, code);
  add_command(app, "up", "everything on one machine; writes a kubeconfig", true, code);
}

}  // namespace holdfast::cli
