#include "pods/pod_choice.h"

#include <holdfast/base/text.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::cli {
namespace {

constexpr const char* kDefaultContainer = "kubectl.kubernetes.io/default-container";

std::vector<std::string> names_in(const model::Value& pod, std::string_view member) {
  std::vector<std::string> names;
  for (const model::Value& container : model::array_at(pod, {"spec", member}))
    names.emplace_back(model::string_at(container, {"name"}));
  return names;
}

}  // namespace

int fail(const Error& error) {
  fmt::print(stderr, "error: {}\n", error.what());
  if (!error.hint().empty()) fmt::print(stderr, "  {}\n", error.hint());
  return 1;
}

std::string pod_name(const std::string& text) {
  for (const std::string_view prefix : {"pod/", "pods/", "po/"})
    if (text.starts_with(prefix)) return text.substr(prefix.size());
  return text;
}

void add_pod_options(CLI::App& command, PodChoice& choice) {
  command.add_option("POD", choice.pod, "name of the pod, or pod/NAME")->required();
  command.add_option("-n,--namespace", choice.ns, "default: the context's");
  command.add_option("-c,--container", choice.container,
                     "default: what the pod's annotation says, else its first");
  command.add_option("--kubeconfig", choice.config.kubeconfig,
                     "file or colon-separated files; default: $KUBECONFIG, ~/.kube/config, then "
                     "the pod's own account");
  command.add_option("--context", choice.config.context, "context of the kubeconfig");
  command.add_option("--as", choice.as_user, "user to impersonate");
  command.add_option("--as-group", choice.as_groups, "group to impersonate; may be repeated")
      ->allow_extra_args(false);
}

Result<std::unique_ptr<PodServer>> PodServer::connect(const PodChoice& choice) {
  std::unique_ptr<PodServer> server(new PodServer());
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

Result<std::string> PodServer::container(const PodChoice& choice) {
  if (!choice.container.empty()) return choice.container;
  auto pod = client_->get(kube::kPods, ns_, pod_name(choice.pod));
  if (!pod) return std::move(pod.take_error().error);
  std::vector<std::string> names = names_in(*pod, "containers");
  const std::string first = names.empty() ? "" : names.front();
  const std::string named(model::string_at(*pod, {"metadata", "annotations", kDefaultContainer}));
  for (const char* member : {"ephemeralContainers", "initContainers"})
    for (std::string& name : names_in(*pod, member)) names.push_back(std::move(name));
  if (std::find(names.begin(), names.end(), named) != names.end()) return named;
  if (names.size() > 1)
    fmt::print(stderr, "Defaulted container {} out of: {}\n", holdfast::quoted(first),
               join(names, ", "));
  return first;
}

}  // namespace holdfast::cli
