#include "credentials/plugin.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/program.h>
#include <holdfast/base/terminal.h>
#include <holdfast/model/json.h>
#include <holdfast/model/time.h>

#include <fmt/format.h>

namespace holdfast::kube {
namespace {

Error odd(const ExecPlugin& plugin, std::string_view what) {
  return {Fault::Denied, fmt::format("plugin {}: {}", plugin.command, what)};
}

Result<void> check_kind(const ExecPlugin& plugin, const model::Value& answer) {
  const std::string_view kind = model::string_at(answer, {"kind"});
  const std::string_view version = model::string_at(answer, {"apiVersion"});
  if (kind != "ExecCredential") return odd(plugin, "what it printed is no ExecCredential");
  if (version != plugin.api_version)
    return odd(plugin, fmt::format("it speaks {}, the kubeconfig wants {}",
                                   version.empty() ? "no apiVersion" : version.substr(0, 60),
                                   plugin.api_version));
  return ok();
}

model::Value cluster_info(const Config& config, const std::string& ca) {
  model::Object cluster{{"server", config.server}};
  const auto add = [&cluster](std::string_view name, const std::string& value) {
    if (!value.empty()) cluster[name] = value;
  };
  add("tls-server-name", config.tls_server_name);
  if (config.insecure) cluster["insecure-skip-tls-verify"] = true;
  add("certificate-authority-data", base64(ca));
  add("proxy-url", config.proxy_url);
  if (Result<model::Parsed> own = model::parse_json(config.user.exec->cluster_config))
    cluster["config"] = std::move(own->value);
  return cluster;
}

Result<bool> may_ask(const ExecPlugin& plugin) {
  if (plugin.interactive_mode == "Never") return false;
  const bool terminal = is_terminal(Standard::Input);
  if (plugin.interactive_mode == "Always" && !terminal)
    return odd(plugin, "it is interactive, and standard input is not a terminal");
  return terminal;
}

}  // namespace

Result<PluginAnswer> read_plugin_answer(const ExecPlugin& plugin, const std::string& printed,
                                        WallTime now) {
  const Result<model::Parsed> parsed = model::parse_json(printed);
  if (!parsed) return odd(plugin, "what it printed is no JSON: " + parsed.error().what());
  const model::Value& answer = parsed->value;
  HF_TRY(check_kind(plugin, answer));
  PluginAnswer out;
  out.token = model::string_at(answer, {"status", "token"});
  out.certificate = model::string_at(answer, {"status", "clientCertificateData"});
  out.key = model::string_at(answer, {"status", "clientKeyData"});
  if (out.certificate.empty() != out.key.empty())
    return odd(plugin, "it printed only one of certificate and key");
  if (out.token.empty() && out.key.empty())
    return odd(plugin, "it printed neither a token nor a certificate");
  const model::Value* const expires = model::find(answer, {"status", "expirationTimestamp"});
  if (expires == nullptr || expires->is_null()) return out;
  out.expires = expires->is_string() ? model::parse_rfc3339(model::view(expires->get_string()))
                                     : std::nullopt;
  if (!out.expires) return odd(plugin, "its expirationTimestamp is no RFC 3339 time");
  if (*out.expires <= now)
    return odd(plugin, fmt::format("its credentials expired at {}, and it is {}",
                                   model::to_rfc3339(*out.expires), model::to_rfc3339(now)));
  return out;
}

std::string plugin_info(const Config& config, const std::string& ca, bool interactive) {
  model::Object spec{{"interactive", interactive}};
  if (config.user.exec->provide_cluster_info) spec["cluster"] = cluster_info(config, ca);
  return model::to_json(model::Object{{"kind", "ExecCredential"},
                                      {"apiVersion", config.user.exec->api_version},
                                      {"spec", std::move(spec)}});
}

Result<PluginAnswer> run_plugin(const Config& config, const std::string& ca, const Clock& clock,
                                std::chrono::milliseconds limit, const std::stop_token& stop) {
  const ExecPlugin& plugin = *config.user.exec;
  const bool interactive = HF_TRY(may_ask(plugin));
  Program program{plugin.command, plugin.args, plugin.env, interactive, limit};
  program.env.emplace_back("KUBERNETES_EXEC_INFO", plugin_info(config, ca, interactive));
  Result<std::string> printed = run_program(program, stop);
  if (printed) return read_plugin_answer(plugin, *printed, clock.now());
  const bool missing = printed.error().fault() == Fault::NotFound;
  Error error = printed.take_error().with_context("getting credentials");
  if (missing && !plugin.install_hint.empty())
    return std::move(error).with_hint(plugin.install_hint);
  return error;
}

}  // namespace holdfast::kube
