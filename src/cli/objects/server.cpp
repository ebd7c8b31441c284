#include <holdfast/cli/ending.h>
#include <holdfast/cli/server.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace holdfast::cli {

void add_server_options(CLI::App& command, ServerChoice& choice) {
  command.add_option("-n,--namespace", choice.ns, "namespace; default: the context's");
  command.add_option("--kubeconfig", choice.config.kubeconfig,
                     "file or colon-separated files; default: $KUBECONFIG, ~/.kube/config, then "
                     "the pod's own account");
  command.add_option("--context", choice.config.context, "context of the kubeconfig");
  command.add_option("--as", choice.as_user, "user to impersonate");
  command.add_option("--as-group", choice.as_groups, "group to impersonate; may be repeated")
      ->allow_extra_args(false);
}

CLI::App* add_server_command(CLI::App& app, const std::string& name, const std::string& help,
                             ServerChoice& choice, std::function<Result<int>()> work, int& code) {
  CLI::App* command = app.add_subcommand(name, help);
  add_server_options(*command, choice);
  command->callback([work = std::move(work), &code] {
    const Result<int> done = work();
    code = done ? *done : end_with(done.error());
  });
  return command;
}

Server::Server(std::unique_ptr<net::Client> transport, std::string ns,
               kube::ClientSettings settings)
    : ns_(std::move(ns)),
      transport_(std::move(transport)),
      client_(*transport_, clock_, random_, kube::sleep_until_stopped(), std::move(settings)) {}

Result<std::unique_ptr<Server>> Server::connect(const ServerChoice& choice) {
  kube::Config config = HF_TRY(kube::load_config(choice.config));
  std::string ns = choice.ns.empty() ? config.ns : choice.ns;
  // The transport keeps a reference to it.
  static const SystemClock clock;
  kube::ClientSettings settings;
  settings.as_user = choice.as_user;
  settings.as_groups = choice.as_groups;
  return std::make_unique<Server>(HF_TRY(kube::connect(std::move(config), clock)), std::move(ns),
                                  std::move(settings));
}

}  // namespace holdfast::cli
