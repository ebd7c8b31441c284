#include "node_command.h"

#include <holdfast/base/files.h>
#include <holdfast/base/host.h>
#include <holdfast/base/log.h>
#include <holdfast/cli/ending.h>
#include <holdfast/kube/config.h>
#include <holdfast/node/node.h>
#include <holdfast/node/shim.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <signal.h>

namespace holdfast::cli {
namespace {

int run_node(const std::string& kubeconfig, node::NodeOptions options) {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGINT);
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  signal(SIGPIPE, SIG_IGN);
  const SystemClock clock;
  SystemRandom random;
  Result<kube::Config> config = kube::load_config({.kubeconfig = kubeconfig});
  if (!config) return fail(config.error());
  options.server_url = config->server;
  options.client_ca = config->ca;
  if (options.client_ca.empty() && !config->ca_file.empty())
    if (Result<std::string> text = read_file(config->ca_file)) options.client_ca = text.take();
  Result<std::unique_ptr<net::Client>> transport = kube::connect(std::move(*config), clock);
  if (!transport) return fail(transport.error());
  Result<std::unique_ptr<node::Node>> node =
      node::Node::start(std::move(options), **transport, clock, random);
  if (!node) return fail(node.error());
  fmt::print("ready\n");
  std::fflush(stdout);
  int received = 0;
  sigwait(&stop, &received);
  log::info(fmt::format("signal {}: stopping", received));
  (*node)->stop();
  return 0;
}

}  // namespace

void add_node_commands(CLI::App& app, int& code) {
  CLI::App* command =
      app.add_subcommand("node", "runs pods of any API server as processes of this machine");
  auto options = std::make_shared<node::NodeOptions>();
  auto kubeconfig = std::make_shared<std::string>();
  options->name = host_name();
  options->data_dir = "/var/lib/holdfast/node";
  command->add_option("--kubeconfig", *kubeconfig,
                      "where the API server is, with the rights of a node");
  command->add_option("--name", options->name, "name of the Node object")->capture_default_str();
  command->add_option("--data-dir", options->data_dir, "folder of pods and their logs")
      ->capture_default_str();
  command->add_option("--images", options->images,
                      "folder of images, DIR/<registry>/<path>/<tag>/ is an image's root; default: "
                      "images in the data dir");
  command
      ->add_option("--listen", options->listen,
                   "HOST:PORT of kubelet's paths; port 0 picks a free one")
      ->capture_default_str();
  command->add_flag("--keep-pods", options->keep_pods, "leave pods running when stopped");
  command->callback([options, kubeconfig, &code] { code = run_node(*kubeconfig, *options); });

  CLI::App* shim = app.add_subcommand("shim", "");
  shim->group("");  // not for people
  auto folder = std::make_shared<std::string>(), scratch = std::make_shared<std::string>();
  auto images = std::make_shared<std::vector<std::string>>();
  shim->add_option("--pod", *folder);
  shim->add_option("--try-users", *scratch);
  shim->add_option("--image", *images);
  constexpr int kListener = 3;
  shim->callback([folder, scratch, images, &code] {
    if (!scratch->empty())
      fmt::print("{}", node::try_user_namespaces(*scratch, *images));
    else
      code = node::run_shim(*folder, kListener);
  });
}

}  // namespace holdfast::cli
