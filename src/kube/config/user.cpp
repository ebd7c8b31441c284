#include "config/user.h"

#include <holdfast/base/text.h>

#include <fmt/format.h>

namespace holdfast::kube {
namespace {

constexpr std::string_view kPluginGroup = "client.authentication.k8s.io/";

Result<void> read_certificate(const Section& user, Credentials& out) {
  out.certificate = HF_TRY(user.bytes("client-certificate-data"));
  if (out.certificate.empty())
    out.certificate_file = HF_TRY(user.path_member("client-certificate"));
  out.key = HF_TRY(user.bytes("client-key-data"));
  if (out.key.empty()) out.key_file = HF_TRY(user.path_member("client-key"));
  const bool certificate = !out.certificate.empty() || !out.certificate_file.empty();
  const bool key = !out.key.empty() || !out.key_file.empty();
  if (certificate && !key)
    return user.wrong("client-key", "is not set, and the certificate needs it");
  if (key && !certificate)
    return user.wrong("client-certificate", "is not set, and the key is of no use without it");
  return ok();
}

Result<void> read_impersonation(const Section& user, Credentials& out) {
  out.as_user = HF_TRY(user.text("as"));
  out.as_uid = HF_TRY(user.text("as-uid"));
  out.as_groups = HF_TRY(user.texts("as-groups"));
  const Section extra = HF_TRY(user.section("as-user-extra"));
  for (const auto& member : extra.value().get_object()) {
    std::vector<std::string> values = HF_TRY(extra.texts(member.key()));
    for (std::string& value : values) out.as_extra.emplace_back(member.key(), std::move(value));
  }
  if (out.as_user.empty() &&
      (!out.as_uid.empty() || !out.as_groups.empty() || !out.as_extra.empty()))
    return user.wrong("as", "is not set, and as-uid, as-groups and as-user-extra need it");
  return ok();
}

Result<std::string> plugin_command(const Section& exec) {
  const std::string command = HF_TRY(exec.text("command"));
  if (command.empty()) return exec.wrong("command", "is not set");
  // A bare name is looked up in $PATH; anything else is a file, relative to who says so.
  if (command.find('/') == std::string::npos) return command;
  const std::filesystem::path path = HF_TRY(exec.path_member("command"));
  return path.string();
}

Result<ExecPlugin> read_plugin(const Section& exec) {
  ExecPlugin plugin;
  plugin.api_version = HF_TRY(exec.text("apiVersion"));
  plugin.command = HF_TRY(plugin_command(exec));
  plugin.args = HF_TRY(exec.texts("args"));
  plugin.install_hint = HF_TRY(exec.text("installHint"));
  plugin.provide_cluster_info = HF_TRY(exec.flag("provideClusterInfo"));
  plugin.interactive_mode = HF_TRY(exec.text("interactiveMode"));
  const bool v1 = plugin.api_version == std::string(kPluginGroup) + "v1";
  if (!v1 && plugin.api_version != std::string(kPluginGroup) + "v1beta1")
    return exec.wrong("apiVersion",
                      fmt::format("must be {}v1 or {}v1beta1, is {}", kPluginGroup, kPluginGroup,
                                  holdfast::quoted(plugin.api_version)));
  if (plugin.interactive_mode.empty()) {
    if (v1) return exec.wrong("interactiveMode", "is not set: Never, IfAvailable or Always");
    plugin.interactive_mode = "IfAvailable";
  }
  if (plugin.interactive_mode != "Never" && plugin.interactive_mode != "IfAvailable" &&
      plugin.interactive_mode != "Always")
    return exec.wrong("interactiveMode", fmt::format("must be Never, IfAvailable or Always, is {}",
                                                     holdfast::quoted(plugin.interactive_mode)));
  const std::vector<Section> variables = HF_TRY(exec.list("env"));
  for (const Section& variable : variables) {
    const std::string name = HF_TRY(variable.text("name"));
    const std::string value = HF_TRY(variable.text("value"));
    if (name.empty() || name.find_first_of(std::string_view("=\0", 2)) != std::string::npos)
      return variable.wrong("name", "is no name of a variable");
    if (value.find('\0') != std::string::npos) return variable.wrong("value", "has a NUL byte");
    plugin.env.emplace_back(name, value);
  }
  return plugin;
}

}  // namespace

Result<Credentials> read_user(const Section& user) {
  Credentials out;
  HF_TRY(read_certificate(user, out));
  out.token = HF_TRY(user.text("token"));
  out.token_file = HF_TRY(user.path_member("tokenFile"));
  out.username = HF_TRY(user.text("username"));
  out.password = HF_TRY(user.text("password"));
  if (!out.token.empty() && (!out.username.empty() || !out.password.empty()))
    return user.wrong("token", "and username exclude each other: one way to log in is allowed");
  HF_TRY(read_impersonation(user, out));
  if (user.has("auth-provider"))
    return user.wrong("auth-provider", "is a way to log in that Kubernetes has given up")
        .with_hint("use the provider's exec plugin");
  if (!user.has("exec")) return out;
  const Section exec = HF_TRY(user.section("exec"));
  out.exec = HF_TRY(read_plugin(exec));
  return out;
}

}  // namespace holdfast::kube
