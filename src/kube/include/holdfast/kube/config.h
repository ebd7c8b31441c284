/// Client configuration (API server and user): kubeconfig files or what a pod finds in its own file
/// system.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/result.h>
#include <holdfast/net/client.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::kube {

/// `users[].user.exec`: a program that prints credentials (client.authentication.k8s.io/v1 and
/// v1beta1).
struct ExecPlugin {
  std::string api_version{}, command{};
  std::vector<std::string> args{};
  std::vector<std::pair<std::string, std::string>> env{};
  std::string interactive_mode{}, install_hint{};
  bool provide_cluster_info = false;
  std::string cluster_config{};  ///< JSON that the cluster entry holds for plugins; "" = none
};

struct Credentials {
  std::string certificate{}, key{};                      ///< PEM
  std::filesystem::path certificate_file{}, key_file{};  ///< re-read when they change
  std::string token{};
  std::filesystem::path token_file{};  ///< re-read at least once a minute
  std::string username{}, password{};
  std::optional<ExecPlugin> exec{};
  std::string as_user{}, as_uid{};
  std::vector<std::string> as_groups{};
  std::vector<std::pair<std::string, std::string>> as_extra{};  ///< a key once per value
};

struct Config {
  std::string server{};
  std::string ca{};                 ///< PEM
  std::filesystem::path ca_file{};  ///< re-read when it changes
  std::string tls_server_name{}, proxy_url{};
  bool insecure = false;
  std::string ns = "default";  ///< of the context
  Credentials user{};
  std::string source{};  ///< for messages: "context shop of FILE", "the pod's own account"
};

struct ConfigChoice {
  /// --kubeconfig; a colon-separated list; "" = $KUBECONFIG, then ~/.kube/config
  std::string kubeconfig{};
  std::string context{};  ///< "" = current-context
};

/// Kubeconfig files merged as kubectl merges them (the first to say a thing wins; relative paths
/// are of the file that said them); with none at all, what a pod finds in its own file system.
/// Invalid names the file and the member, and never a secret. A file that was named and is not
/// there is NotFound. Proxies come from `proxy-url` alone, not from the environment.
Result<Config> load_config(const ConfigChoice& choice);
/// From texts with the names they are to have in messages; paths in them are relative to `folder`.
struct ConfigText {
  std::string name{}, text{};
  std::filesystem::path folder{};
};
Result<Config> merge_configs(const std::vector<ConfigText>& texts, const std::string& context);

/// A transport that shows the credentials (over TLS only), and renews them: files are looked at
/// every ten seconds, plugins run before their answer runs out, both once more when the server says
/// 401. A plugin that does not end within a minute is killed and named; one that failed is not run
/// again within ten seconds. Calls under way keep the certificate they began with. Safe to use from
/// many threads; `clock` must outlive it. Logs in at once: what cannot be read or run is the error.
Result<std::unique_ptr<net::Client>> connect(Config config, const Clock& clock);

}  // namespace holdfast::kube
