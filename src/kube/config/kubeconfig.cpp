// Kubeconfig texts to one Config: which entry of which file counts, and what it says. Touches no
// file: paths stay paths.
#include <holdfast/base/text.h>
#include <holdfast/kube/config.h>
#include <holdfast/model/json.h>

#include "config/section.h"
#include "config/user.h"

#include <fmt/format.h>

#include <map>

namespace holdfast::kube {
namespace {

/// Where plugins find what the cluster entry holds for them.
constexpr std::string_view kPluginExtension = "client.authentication.k8s.io/exec";

/// Entries by name; the file that names one first is the one that counts, with all it says and all
/// it leaves out.
using Entries = std::map<std::string, Section>;

struct Merged {
  Entries clusters{}, users{}, contexts{};
  std::string current_context{};
};

Result<void> add_entries(const Section& file, std::string_view list, std::string_view member,
                         Entries& into) {
  Entries here;
  const std::vector<Section> entries = HF_TRY(file.list(list));
  for (const Section& entry : entries) {
    const std::string name = HF_TRY(entry.text("name"));
    const Section body = HF_TRY(entry.section(member));
    if (!here.emplace(name, body).second)
      return entry.wrong("name", fmt::format("{} stands twice", holdfast::quoted(name)));
  }
  into.merge(here);
  return ok();
}

Result<void> add_file(const Section& file, Merged& merged) {
  if (!file.value().is_object()) return file.wrong("", "is no kubeconfig: not a mapping");
  const std::string kind = HF_TRY(file.text("kind"));
  const std::string version = HF_TRY(file.text("apiVersion"));
  if (!kind.empty() && kind != "Config")
    return file.wrong("kind", fmt::format("must be Config, is {}", holdfast::quoted(kind)));
  if (!version.empty() && version != "v1")
    return file.wrong("apiVersion", fmt::format("must be v1, is {}", holdfast::quoted(version)));
  HF_TRY(add_entries(file, "clusters", "cluster", merged.clusters));
  HF_TRY(add_entries(file, "users", "user", merged.users));
  HF_TRY(add_entries(file, "contexts", "context", merged.contexts));
  const std::string current = HF_TRY(file.text("current-context"));
  if (merged.current_context.empty()) merged.current_context = current;
  return ok();
}

std::string names_of(const Entries& entries) {
  std::vector<std::string> names;
  for (const auto& [name, section] : entries) names.push_back(name);
  return names.empty() ? "there is none" : "there are: " + join(names, ", ");
}

std::string names_of(const std::vector<ConfigText>& texts) {
  std::vector<std::string> names;
  names.reserve(texts.size());
  for (const ConfigText& text : texts) names.push_back(text.name);
  return join(names, ", ");
}

Result<const Section*> chosen_context(const Merged& merged, const std::string& wanted,
                                      const std::vector<ConfigText>& texts) {
  const std::string& name = wanted.empty() ? merged.current_context : wanted;
  if (name.empty())
    return Error(Fault::Invalid, fmt::format("{}: current-context is not set and no context was "
                                             "named; {}",
                                             names_of(texts), names_of(merged.contexts)))
        .with_hint("choose one: --context NAME, or kubectl config use-context NAME");
  const auto found = merged.contexts.find(name);
  if (found == merged.contexts.end())
    return Error(Fault::Invalid, fmt::format("{}: context {} does not exist; {}", names_of(texts),
                                             holdfast::quoted(name), names_of(merged.contexts)));
  return &found->second;
}

/// The entry that a context names.
Result<const Section*> entry_of(const Section& context, std::string_view member,
                                const Entries& entries) {
  const std::string name = HF_TRY(context.text(member));
  if (name.empty()) return context.wrong(member, "is not set");
  const auto found = entries.find(name);
  if (found == entries.end())
    return context.wrong(
        member, fmt::format("{} does not exist; {}", holdfast::quoted(name), names_of(entries)));
  return &found->second;
}

Result<void> check_proxy(const Section& cluster, const std::string& proxy) {
  for (const std::string_view scheme : {"http://", "https://", "socks5://"})
    if (proxy.starts_with(scheme) && proxy.size() > scheme.size()) return ok();
  if (proxy.empty()) return ok();
  // Not shown: a proxy's address may hold a password.
  return cluster.wrong("proxy-url", "is no http://, https:// or socks5:// address");
}

Result<void> read_cluster(const Section& cluster, Config& config) {
  config.server = HF_TRY(cluster.text("server"));
  if (config.server.empty()) return cluster.wrong("server", "is not set");
  if (!config.server.starts_with("https://") && !config.server.starts_with("http://"))
    return cluster.wrong("server", fmt::format("{} is neither http:// nor https://",
                                               holdfast::quoted(config.server)));
  config.server.resize(std::min(config.server.find_first_of("?#"), config.server.size()));
  config.ca = HF_TRY(cluster.bytes("certificate-authority-data"));
  if (config.ca.empty()) config.ca_file = HF_TRY(cluster.path_member("certificate-authority"));
  config.insecure = HF_TRY(cluster.flag("insecure-skip-tls-verify"));
  if (config.insecure && (!config.ca.empty() || !config.ca_file.empty()))
    return cluster.wrong("insecure-skip-tls-verify",
                         "checking nothing and checking with a certificate authority exclude each "
                         "other");
  config.tls_server_name = HF_TRY(cluster.text("tls-server-name"));
  config.proxy_url = HF_TRY(cluster.text("proxy-url"));
  HF_TRY(check_proxy(cluster, config.proxy_url));
  if (!config.user.exec) return ok();
  const std::vector<Section> extensions = HF_TRY(cluster.list("extensions"));
  for (const Section& extension : extensions) {
    const std::string name = HF_TRY(extension.text("name"));
    if (name == kPluginExtension && extension.has("extension"))
      config.user.exec->cluster_config =
          model::to_json(*model::find(extension.value(), {"extension"}));
  }
  return ok();
}

Result<Config> read_context(const Merged& merged, const Section& context, const std::string& name) {
  Config config;
  config.source = fmt::format("context {} of {}", name, context.file().name);
  const Section* const user = HF_TRY(entry_of(context, "user", merged.users));
  const Section* const cluster = HF_TRY(entry_of(context, "cluster", merged.clusters));
  config.user = HF_TRY(read_user(*user));
  HF_TRY(read_cluster(*cluster, config));
  const std::string ns = HF_TRY(context.text("namespace"));
  if (!ns.empty()) config.ns = ns;
  return config;
}

}  // namespace

Result<Config> merge_configs(const std::vector<ConfigText>& texts, const std::string& context) {
  std::vector<model::Parsed> values;
  values.reserve(texts.size());
  Merged merged;
  for (const ConfigText& text : texts) {
    if (trim(text.text).empty()) continue;
    Result<model::Parsed> parsed = model::parse_yaml(text.text);
    if (!parsed) return parsed.take_error().with_context(text.name);
    if (!parsed->duplicates.empty())
      return Section(text, "", parsed->value).wrong(parsed->duplicates.front(), "stands twice");
    values.push_back(parsed.take());
    if (!values.back().value.is_null())
      HF_TRY(add_file(Section(text, "", values.back().value), merged));
  }
  const Section* const chosen = HF_TRY(chosen_context(merged, context, texts));
  return read_context(merged, *chosen, context.empty() ? merged.current_context : context);
}

}  // namespace holdfast::kube
