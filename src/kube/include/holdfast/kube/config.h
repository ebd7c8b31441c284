/// Where the API server is and who we are there: kubeconfig files or what a pod finds in its own
/// file system.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/result.h>
#include <holdfast/net/client.h>

#include <filesystem>
#include <memory>
#include <string>
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
};

struct Config {
  std::string server{};
  std::string ca{};                 ///< PEM
  std::filesystem::path ca_file{};  ///< re-read when it changes
  std::string tls_server_name{}, proxy_url{};
  bool insecure = false;
  std::string ns = "default";  ///< of the context
  Credentials user{};
  std::string
      source{};  ///< for messages: "context shop of ~/.kube/config", "the pod's own account"
};

struct ConfigChoice {
  std::string
      kubeconfig{};  ///< --kubeconfig; a colon-separated list; "" = $KUBECONFIG, then ~/.kube/config
  std::string context{};  ///< "" = current-context
};

/// Kubeconfig files merged as kubectl merges them (the first to say a thing wins; relative paths
/// are of the file that said them); with none at all, what a pod finds in its own file system. Invalid names the file and the member.
Result<Config> load_config(const ConfigChoice& choice);
/// From texts with the names they are to have in messages; paths in them are relative to `folder`.
struct ConfigText {
  std::string name{}, text{};
  std::filesystem::path folder{};
};
Result<Config> merge_configs(const std::vector<ConfigText>& texts, const std::string& context);

/// A transport that shows the credentials, and renews them before they expire: files that changed,
/// plugins whose answer ran out (a plugin that does not end within a minute is killed and named), and once more
/// when the server says 401. Safe to use from many threads.
Result<std::unique_ptr<net::Client>> connect(Config config, const Clock& clock);

}  // namespace holdfast::kube
