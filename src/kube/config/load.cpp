#include "config/load.h"

#include <holdfast/base/files.h>
#include <holdfast/base/text.h>

#include <fmt/format.h>

#include <cstdlib>

namespace holdfast::kube {
namespace {

namespace fs = std::filesystem;

/// Adds the files that are there; the names of the others go to `missing`.
Result<void> read_texts(const std::string& list, std::vector<ConfigText>& texts,
                        std::vector<std::string>& missing) {
  for (const std::string_view part : split(list, ':')) {
    if (part.empty()) continue;
    const fs::path path(part);
    Result<std::string> text = read_file(path);
    if (!text && text.error().fault() == Fault::NotFound) {
      missing.emplace_back(part);
      continue;
    }
    if (!text) return text.take_error().with_context("reading the kubeconfig");
    std::error_code ignored;
    texts.push_back({std::string(part), text.take(), fs::absolute(path, ignored).parent_path()});
  }
  return ok();
}

Result<Config> pod_config(const Surroundings& around) {
  Config config;
  const std::string host = around.variable("KUBERNETES_SERVICE_HOST");
  const std::string port = around.variable("KUBERNETES_SERVICE_PORT");
  const bool v6 = host.find(':') != std::string::npos;
  config.server = fmt::format("https://{}:{}", v6 ? "[" + host + "]" : host, port);
  config.ca_file = around.account_folder / "ca.crt";
  config.user.token_file = around.account_folder / "token";
  config.source = "the pod's own account";
  for (const fs::path& file : {config.user.token_file, config.ca_file})
    if (Result<std::string> text = read_file(file); !text)
      return text.take_error().with_context("reading " + config.source);
  if (const Result<std::string> ns = read_file(around.account_folder / "namespace");
      ns && !trim(*ns).empty())
    config.ns = trim(*ns);
  return config;
}

}  // namespace

Result<Config> load_config(const ConfigChoice& choice, const Surroundings& around) {
  std::vector<ConfigText> texts;
  std::vector<std::string> missing;
  if (!choice.kubeconfig.empty()) {
    HF_TRY(read_texts(choice.kubeconfig, texts, missing));
    if (!missing.empty())
      return Error(Fault::NotFound, fmt::format("kubeconfig {} does not exist", missing.front()));
    return merge_configs(texts, choice.context);
  }
  std::string usual = around.variable("KUBECONFIG");
  if (const std::string home = around.variable("HOME"); usual.empty() && !home.empty())
    usual = home + "/.kube/config";
  HF_TRY(read_texts(usual, texts, missing));
  if (!texts.empty()) return merge_configs(texts, choice.context);
  if (!around.variable("KUBERNETES_SERVICE_HOST").empty() &&
      !around.variable("KUBERNETES_SERVICE_PORT").empty())
    return pod_config(around);
  return Error(Fault::NotFound,
               fmt::format("no cluster to talk to: {} does not exist, and this is no pod "
                           "(KUBERNETES_SERVICE_HOST and _PORT are not set)",
                           missing.empty() ? "a kubeconfig" : join(missing, ", ")))
      .with_hint("name one: --kubeconfig FILE, or $KUBECONFIG");
}

Result<Config> load_config(const ConfigChoice& choice) {
  const auto variable = [](const char* name) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody here changes the environment
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  return load_config(choice, {variable, "/var/run/secrets/kubernetes.io/serviceaccount"});
}

}  // namespace holdfast::kube
