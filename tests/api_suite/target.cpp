#include "target.h"

#include <holdfast/apiserver/daemon.h>
#include <holdfast/base/bytes.h>
#include <holdfast/base/files.h>
#include <holdfast/model/json.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>

namespace holdfast::suite {
namespace {

/// An embedded server in a folder that goes with it.
class Embedded {
 public:
  explicit Embedded(std::chrono::seconds history) {
    std::string folder = std::filesystem::temp_directory_path() / "holdfast-suite.XXXXXX";
    HF_CHECK(mkdtemp(folder.data()) != nullptr);
    folder_ = folder;
    const char* source = std::getenv("HOLDFAST_SOURCE_DIR");
    HF_CHECK(source != nullptr);
    apiserver::DaemonOptions options;
    options.data_dir = folder_;
    options.listen = "127.0.0.1:0";
    options.history = history;
    // The server takes no tokens from a file that others may read, as a source file may be.
    const std::filesystem::path tokens = folder_ / "tokens.csv";
    const auto text = read_file(std::filesystem::path(source) / "tests/api_suite/tokens.csv");
    HF_CHECK(text && write_file(tokens, *text, 0600));
    options.token_auth_file = tokens;
    Result<std::unique_ptr<apiserver::Daemon>> daemon = apiserver::Daemon::start(options);
    HF_CHECK(bool(daemon));
    daemon_ = daemon.take();
  }
  ~Embedded() {
    daemon_->stop();
    daemon_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Embedded(const Embedded&) = delete;
  Embedded& operator=(const Embedded&) = delete;
  std::string kubeconfig() const { return folder_ / "admin.kubeconfig"; }

 private:
  std::filesystem::path folder_;
  std::unique_ptr<apiserver::Daemon> daemon_;
};

std::string decoded(const model::Value& entry, std::string_view name) {
  return from_base64(model::string_at(entry, {name})).value_or("");
}

/// The first cluster and the first user; the suite's servers write no others.
net::ClientOptions read_kubeconfig(const std::string& path) {
  Result<std::string> text = read_file(path);
  HF_CHECK(bool(text));
  Result<model::Parsed> parsed = model::parse_yaml(*text);
  HF_CHECK(bool(parsed));
  const model::Value& cluster = model::array_at(parsed->value, {"clusters"}).at(0);
  const model::Value& user = model::array_at(parsed->value, {"users"}).at(0);
  net::ClientOptions options;
  options.base_url = model::string_at(cluster, {"cluster", "server"});
  options.ca = decoded(cluster.at("cluster"), "certificate-authority-data");
  options.certificate = decoded(user.at("user"), "client-certificate-data");
  options.key = decoded(user.at("user"), "client-key-data");
  options.user_agent = "suite/v1";
  return options;
}

std::string setting(const char* name) {
  const char* given = std::getenv(name);
  return given == nullptr ? "" : given;
}

class Clients {
 public:
  /// An empty path: of an embedded server with that much history.
  Clients(const std::string& kubeconfig, std::chrono::seconds history) {
    if (kubeconfig.empty()) embedded_ = std::make_unique<Embedded>(history);
    options_ = read_kubeconfig(embedded_ ? embedded_->kubeconfig() : kubeconfig);
  }
  net::Client& of(const std::string& user) {
    std::lock_guard lock(mutex_);
    std::unique_ptr<net::Client>& client = clients_[user];
    if (!client) {
      Result<std::unique_ptr<net::Client>> made = net::Client::make(options_of(user));
      HF_CHECK(bool(made));
      client = made.take();
    }
    return *client;
  }

 private:
  net::ClientOptions options_of(const std::string& user) const {
    net::ClientOptions options = options_;
    if (user.empty()) return options;
    options.certificate.clear();
    options.key.clear();
    const bool listed = user == "alice" || user == "bob" || user == "carol";
    if (user != "-") options.bearer_token = listed ? user + "-token" : user;
    return options;
  }

  std::unique_ptr<Embedded> embedded_;
  net::ClientOptions options_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<net::Client>> clients_;
};

Clients& usual() {
  static Clients clients(setting("HOLDFAST_KUBECONFIG"), apiserver::kHistory);
  return clients;
}

Clients& forgetful() {
  if (!setting("HOLDFAST_COMPACT").empty()) return usual();
  static Clients clients(setting("HOLDFAST_FORGETFUL_KUBECONFIG"), std::chrono::seconds(1));
  return clients;
}

Subject chosen = Subject::Usual;

}  // namespace

void choose(Subject subject) { chosen = subject; }

void compact() {
  const std::string command = setting("HOLDFAST_COMPACT");
  if (!command.empty()) HF_CHECK(std::system(command.c_str()) == 0);
}

net::Client& client_of(const std::string& user) {
  return (chosen == Subject::Usual ? usual() : forgetful()).of(user);
}

}  // namespace holdfast::suite
