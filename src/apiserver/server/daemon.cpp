#include <holdfast/apiserver/core.h>
#include <holdfast/apiserver/daemon.h>
#include <holdfast/base/bytes.h>
#include <holdfast/base/files.h>
#include <holdfast/base/log.h>
#include <holdfast/base/sleep.h>
#include <holdfast/model/status.h>
#include <holdfast/net/pki.h>
#include <holdfast/net/server.h>

#include "nodes/node_relay.h"
#include "server/patience.h"

#include <fmt/format.h>

#include <charconv>
#include <thread>

namespace holdfast::apiserver {
namespace {

namespace fs = std::filesystem;

// What the real server takes in one request.
constexpr size_t kMaxBody = size_t(3) << 20;
constexpr std::chrono::milliseconds kLook{1000};
constexpr std::chrono::hours kCaLifetime{24 * 365 * 10};
constexpr std::chrono::hours kLeafLifetime{24 * 365};

struct Pki {
  std::string ca_certificate, ca_key, server_certificate, server_key, sa_private, sa_public;
  std::string node_certificate, node_key;  ///< shown to nodes
};

struct Listen {
  std::string host;
  uint16_t port = 0;
};

Result<Listen> parse_listen(const std::string& text) {
  const size_t colon = text.rfind(':');
  Listen listen;
  const char* const end = text.data() + text.size();
  if (colon == std::string::npos ||
      std::from_chars(text.data() + colon + 1, end, listen.port).ptr != end ||
      colon + 1 == text.size())
    return Error(Fault::Invalid, fmt::format("--listen {} is not HOST:PORT", text))
        .with_hint("for example --listen 127.0.0.1:6443");
  listen.host = text.substr(0, colon);
  if (listen.host.starts_with('[') && listen.host.ends_with(']'))
    listen.host = listen.host.substr(1, listen.host.size() - 2);
  return listen;
}

// A pair that is there is kept: clients have seen it. A certificate is made anew when half of its
// life is over.
Result<void> load_or_make(const fs::path& stem, const net::CertificateRequest& wanted,
                          const Pki& pki, std::string& certificate, std::string& key,
                          const Clock& clock, Random& random) {
  const fs::path key_path = stem.string() + ".key", certificate_path = stem.string() + ".crt";
  Result<std::string> old_key = read_file(key_path), old_certificate = read_file(certificate_path);
  if (old_key && old_certificate) {
    const Result<WallTime> expiry = net::certificate_expiry(*old_certificate);
    if (expiry && *expiry - clock.now() > wanted.lifetime / 2) {
      key = std::move(*old_key);
      certificate = std::move(*old_certificate);
      return ok();
    }
  }
  if (old_key) {
    key = std::move(*old_key);
  } else {
    key = HF_TRY(net::make_key()).private_pem;
    HF_TRY(write_file(key_path, key, 0600));
  }
  certificate =
      HF_TRY(net::make_certificate(wanted, key, pki.ca_certificate, pki.ca_key, clock, random));
  return write_file(certificate_path, certificate, 0644);
}

Result<Pki> make_pki(const fs::path& folder, const std::string& host, const Clock& clock,
                     Random& random) {
  HF_TRY(make_folder(folder, 0700));
  Pki pki;
  net::CertificateRequest ca;
  ca.common_name = "holdfast-ca";
  ca.ca = true;
  ca.lifetime = kCaLifetime;
  HF_TRY(load_or_make(folder / "ca", ca, {}, pki.ca_certificate, pki.ca_key, clock, random));
  net::CertificateRequest server;
  server.common_name = "kube-apiserver";
  server.server = true;
  server.lifetime = kLeafLifetime;
  server.dns_names = {"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc",
                      "kubernetes.default.svc.cluster.local"};
  server.ip_addresses = {"127.0.0.1", "::1", "10.0.0.1"};
  const bool is_address = host.find_first_not_of("0123456789.") == std::string::npos ||
                          host.find(':') != std::string::npos;
  if (!host.empty() && host != "0.0.0.0" && host != "127.0.0.1" && host != "::" && host != "::1")
    (is_address ? server.ip_addresses : server.dns_names).push_back(host);
  HF_TRY(load_or_make(folder / "server", server, pki, pki.server_certificate, pki.server_key, clock,
                      random));
  net::CertificateRequest to_nodes;
  to_nodes.common_name = "kube-apiserver-kubelet-client";
  to_nodes.organizations = {"system:masters"};
  to_nodes.client = true;
  to_nodes.lifetime = kLeafLifetime;
  HF_TRY(load_or_make(folder / "apiserver-kubelet-client", to_nodes, pki, pki.node_certificate,
                      pki.node_key, clock, random));
  Result<std::string> sa = read_file(folder / "sa.key");
  if (sa) {
    pki.sa_private = std::move(*sa);
  } else {
    pki.sa_private = HF_TRY(net::make_key()).private_pem;
    HF_TRY(write_file(folder / "sa.key", pki.sa_private, 0600));
  }
  pki.sa_public = HF_TRY(net::public_key_of(pki.sa_private));
  HF_TRY(write_file(folder / "sa.pub", pki.sa_public, 0644));
  return pki;
}

Result<void> write_kubeconfig(const fs::path& path, const std::string& url, const Pki& pki,
                              const Clock& clock, Random& random) {
  const std::string key = HF_TRY(net::make_key()).private_pem;
  net::CertificateRequest admin;
  admin.common_name = "kubernetes-admin";
  admin.organizations = {"system:masters"};
  admin.client = true;
  admin.lifetime = kLeafLifetime;
  const std::string certificate =
      HF_TRY(net::make_certificate(admin, key, pki.ca_certificate, pki.ca_key, clock, random));
  const std::string text = fmt::format(
      "apiVersion: v1\nkind: Config\nclusters:\n- name: holdfast\n  cluster:\n    server: {}\n    "
      "certificate-authority-data: {}\n"
      "users:\n- name: admin\n  user:\n    client-certificate-data: {}\n    client-key-data: {}\n"
      "contexts:\n- name: holdfast\n  context:\n    cluster: holdfast\n    user: "
      "admin\ncurrent-context: holdfast\n",
      url, base64(pki.ca_certificate), base64(certificate), base64(key));
  return write_file(path, text, 0600);
}

net::Response status_page(int code, std::string_view reason) {
  model::Status status = code == 413   ? model::too_large(fmt::format("limit is {}", kMaxBody))
                         : code == 429 ? model::too_many_requests(std::string(reason), 1)
                         : code == 503 ? model::service_unavailable(std::string(reason))
                                       : model::bad_request(std::string(reason));
  status.code = code;
  if (code == 501) status.reason.clear();
  net::Response response;
  response.status = code;
  response.headers.set("Content-Type", "application/json");
  response.body = model::to_json(model::to_value(status));
  return response;
}

class RunningDaemon final : public Daemon {
 public:
  explicit RunningDaemon(FolderLock lock) : lock_(std::move(lock)) {}
  ~RunningDaemon() override { stop(); }

  Result<void> start(const DaemonOptions& options) {
    const Listen listen = HF_TRY(parse_listen(options.listen));
    const Pki pki = HF_TRY(make_pki(options.data_dir / "pki", listen.host, clock_, random_));
    CoreOptions core;
    core.state_file = options.in_memory ? "" : (options.data_dir / "state.db").string();
    core.controllers = options.controllers;
    core.history = options.history;
    core.sa_private_key = pki.sa_private;
    core.sa_public_key = pki.sa_public;
    core.ca_certificate = pki.ca_certificate;
    core.address = options.listen;
    nodes_ = std::make_unique<NodeRelay>(pki.node_certificate, pki.node_key);
    core.nodes = nodes_.get();
    if (!options.token_auth_file.empty())
      core.token_csv = HF_TRY(read_secret_file(options.token_auth_file));
    core_ = HF_TRY(Core::make(std::move(core), clock_, random_));
    committer_ = std::jthread([this](const std::stop_token& stop) { run_commits(stop); });
    background_ = std::jthread([this](const std::stop_token& stop) { run_background(stop); });

    net::ServerOptions server;
    server.host = listen.host;
    server.port = listen.port;
    server.certificate = pki.server_certificate;
    server.key = pki.server_key;
    server.client_ca = pki.ca_certificate;
    server.max_body = kMaxBody;
    server.knows_users = true;
    server.error_page = status_page;
    server_ = HF_TRY(net::Server::start(std::move(server), *core_));
    const bool v6 = listen.host.find(':') != std::string::npos;
    std::string host = listen.host == "0.0.0.0" || listen.host.empty() ? "127.0.0.1" : listen.host;
    url_ = fmt::format("https://{}:{}", v6 ? "[" + host + "]" : host, server_->port());
    watch_ = std::jthread([this](const std::stop_token& stop) { run_watch(stop); });
    return write_kubeconfig(options.data_dir / "admin.kubeconfig", url_, pki, clock_, random_);
  }

  const std::string& url() const override { return url_; }
  net::Service& service() override { return *core_; }

  void stop() override {
    if (stopped_) return;
    stopped_ = true;
    watch_ = {};
    if (core_) core_->shut_down();
    if (server_) server_->stop(std::chrono::seconds(5));
    if (nodes_) nodes_->stop();
    background_ = {};
    committer_ = {};
    if (core_) core_->commit();
  }

 private:
  void run_commits(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      core_->wait_for_commit_work(std::chrono::milliseconds(100));
      while (core_->commit()) {
      }
    }
  }

  void run_background(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      while (core_->step() && !stop.stop_requested()) {
      }
      core_->wait_for_background_work(std::chrono::milliseconds(200));
    }
  }

  // On a thread of its own: whatever holds the others up, this one can still tell.
  void run_watch(const std::stop_token& stop) {
    const Sleep pause = sleep_until_stopped();
    Patience threads(server_->last_look());
    for (pause(kLook, stop); !stop.stop_requested(); pause(kLook, stop)) {
      for (const std::string& line : core_->overdue()) log::warn(line);
      if (const MonoTime look = server_->last_look(); look != threads.begun())
        threads = Patience(look);
      else if (const MonoTime now = clock_.mono(); threads.over(now))
        log::warn(fmt::format("no thread has served connections for {} s: all are held up",
                              (now - look) / std::chrono::seconds(1)));
    }
  }

  SystemClock clock_;
  SystemRandom random_;
  FolderLock lock_;
  std::unique_ptr<NodeRelay> nodes_;
  std::unique_ptr<Core> core_;
  std::unique_ptr<net::Server> server_;
  std::jthread committer_, background_, watch_;
  std::string url_;
  bool stopped_ = false;
};

}  // namespace

Result<std::unique_ptr<Daemon>> Daemon::start(const DaemonOptions& options) {
  HF_TRY(make_folder(options.data_dir, 0700));
  FolderLock lock = HF_TRY(FolderLock::take(options.data_dir));
  if (options.in_memory)
    log::warn("--in-memory: all state lives in RAM and is gone when this process ends");
  auto daemon = std::make_unique<RunningDaemon>(std::move(lock));
  HF_TRY(daemon->start(options));
  return std::unique_ptr<Daemon>(std::move(daemon));
}

}  // namespace holdfast::apiserver
