#include "objects/server.h"

#include <fmt/format.h>

namespace holdfast::cli {

int fail(const Error& error) {
  fmt::print(stderr, "error: {}\n", error.what());
  if (!error.hint().empty()) fmt::print(stderr, "  {}\n", error.hint());
  return 1;
}

std::string server_words(const kube::Failure& failure) {
  const std::string_view message = model::string_at(failure.status, {"message"});
  if (failure.code == 0)
    return fmt::format("Unable to connect to the server: {}", failure.error.what());
  if (failure.code == 401)
    return fmt::format("error: You must be logged in to the server ({})", message);
  if (message.empty()) return fmt::format("Error from server: {}", failure.error.what());
  if (failure.reason.empty()) return fmt::format("Error from server: {}", message);
  return fmt::format("Error from server ({}): {}", failure.reason, message);
}

void add_server_options(CLI::App& command, ServerChoice& choice) {
  command.add_option("-n,--namespace", choice.ns, "default: the context's");
  command.add_option("--kubeconfig", choice.config.kubeconfig,
                     "file or colon-separated files; default: $KUBECONFIG, ~/.kube/config, then "
                     "the pod's own account");
  command.add_option("--context", choice.config.context, "context of the kubeconfig");
  command.add_option("--as", choice.as_user, "user to impersonate");
  command.add_option("--as-group", choice.as_groups, "group to impersonate; may be repeated")
      ->allow_extra_args(false);
}

Result<std::unique_ptr<Server>> Server::connect(const ServerChoice& choice) {
  std::unique_ptr<Server> server(new Server());
  kube::Config config = HF_TRY(kube::load_config(choice.config));
  server->ns_ = choice.ns.empty() ? config.ns : choice.ns;
  server->transport_ = HF_TRY(kube::connect(std::move(config), server->clock_));
  kube::ClientSettings settings;
  settings.as_user = choice.as_user;
  settings.as_groups = choice.as_groups;
  server->client_ =
      std::make_unique<kube::Client>(*server->transport_, server->clock_, server->random_,
                                     kube::sleep_until_stopped(), std::move(settings));
  return server;
}

}  // namespace holdfast::cli
