#include <holdfast/base/bytes.h>
#include <holdfast/base/files.h>
#include <holdfast/base/log.h>
#include <holdfast/base/program.h>
#include <holdfast/base/text.h>
#include <holdfast/base/walls.h>
#include <holdfast/control/events.h>
#include <holdfast/kube/informers.h>
#include <holdfast/net/pki.h>
#include <holdfast/net/server.h>
#include <holdfast/node/node.h>

#include "machine/names.h"
#include "machine/registration.h"
#include "machine/secrets_folder.h"
#include "pods/worker.h"
#include "serve/kubelet_api.h"
#include "shim/cgroups.h"

#include <fmt/format.h>

namespace holdfast::node {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr auto kLeasePause = 10s, kStatusPause = 60s, kSyncLimit = 60s;
constexpr auto kStep = 100ms;
constexpr auto kStopSlack = 5s;
constexpr size_t kMostConnections = 2000;
// Of all nodes of this machine.
constexpr const char* kIdLocks = "/run/holdfast-ids";

struct Serving {
  std::string certificate, key;
};

/// Made once and kept: whoever has pinned it goes on.
Result<Serving> serving_certificate(const fs::path& folder, const NodeOptions& options,
                                    const Clock& clock, Random& random) {
  Result<std::string> certificate = read_file(folder / "node.crt"),
                      key = read_file(folder / "node.key");
  if (certificate && key) {
    const Result<WallTime> expiry = net::certificate_expiry(*certificate);
    if (expiry && *expiry > clock.now() + std::chrono::hours(24 * 30))
      return Serving{certificate.take(), key.take()};
  }
  const net::KeyPair pair = HF_TRY(net::make_key());
  net::CertificateRequest request;
  request.common_name = "system:node:" + options.name;
  request.organizations = {"system:nodes"};
  request.dns_names = {options.name};
  request.ip_addresses = {options.host_ip};
  request.server = true;
  request.ca = true;  // it vouches for itself: clients trust exactly this one
  Serving made{HF_TRY(net::make_certificate(request, pair.private_pem, "", "", clock, random)),
               pair.private_pem};
  HF_TRY(write_file(folder / "node.key", made.key, 0600));
  HF_TRY(write_file(folder / "node.crt", made.certificate, 0644));
  return made;
}

/// Without those that lie below another: what is masked is empty and takes no second mask.
std::vector<std::string> outermost(std::vector<std::string> folders) {
  std::sort(folders.begin(), folders.end());
  std::vector<std::string> out;
  for (std::string& folder : folders)
    if (out.empty() || (folder != out.back() && !folder.starts_with(out.back() + "/")))
      out.push_back(std::move(folder));
  return out;
}

class LocalNode final : public Node {
 public:
  LocalNode(NodeOptions options, net::Client& transport, const Clock& clock, Random& random)
      : options_(std::move(options)),
        clock_(clock),
        client_(transport, clock, random, kube::sleep_until_stopped(),
                {.user_agent = "kubelet", .field_manager = "kubelet"}),
        transport_(transport),
        informers_(random, "kubelet"),
        events_(client_, clock, options_.name),
        random_(random),
        addresses_(options_.data_dir.string()),
        filters_(options_.data_dir / "filters"),
        ranges_(kIdLocks, options_.data_dir.string()),
        around_{clock, client_, addresses_, filters_, ranges_, Images({}, {})} {}

  ~LocalNode() override { stop(); }

  Result<void> begin();
  void stop() override;
  size_t pods() const override {
    const Lock lock(mutex_);
    return workers_.size();
  }

 private:
  void describe_surroundings();
  Result<void> find_images();
  void look_for_user_namespaces();
  Result<void> serve();
  void on_pod(const kube::Change& change);
  void take_over_folders();
  void beat(const std::stop_token& stop);
  void send_events(const std::stop_token& stop);
  bool watch_disk();
  void refresh_hosts();
  void sweep();
  void forget_secrets(const std::vector<std::string>& uids) const;
  std::shared_ptr<PodWorker> find(const std::string& ns, const std::string& name) const;
  std::string list() const;

  NodeOptions options_;
  const Clock& clock_;
  kube::Client client_;
  net::Client& transport_;
  kube::Informers informers_;
  control::EventRecorder events_;
  Random& random_;
  Addresses addresses_;
  SeccompFilters filters_;
  UserRanges ranges_;
  Surroundings around_;
  Registration registration_;
  kube::Informer *services_ = nullptr, *slices_ = nullptr, *pods_ = nullptr;
  std::unique_ptr<KubeletApi> api_;
  std::unique_ptr<net::Server> server_;
  mutable Mutex mutex_;
  std::map<std::string, std::shared_ptr<PodWorker>> workers_ HF_GUARDED_BY(mutex_);  ///< by uid
  bool stopping_ HF_GUARDED_BY(mutex_) = false;
  std::atomic<bool> hosts_stale_{false};
  bool stopped_ = false;
  std::jthread beat_, event_thread_;
};

void LocalNode::describe_surroundings() {
  around_.pods = options_.data_dir / "pods";
  around_.logs = options_.data_dir / "logs";
  around_.secrets = secrets_folder(options_.data_dir);
  around_.program = options_.program.empty() ? fs::path("/proc/self/exe") : options_.program;
  around_.node_name = options_.name;
  around_.host_ip = options_.host_ip;
  around_.cpu_millis = registration_.facts.cpus * 1000;
  around_.memory_bytes = registration_.facts.memory_bytes;
  around_.masked = options_.masked;
  around_.masked.push_back(options_.data_dir.string());
  around_.masked.push_back(around_.secrets.string());
  around_.masked = outermost(std::move(around_.masked));
  const std::string_view url = options_.server_url;
  const size_t host = url.find("://") == std::string_view::npos ? 0 : url.find("://") + 3;
  const size_t colon = url.rfind(':');
  around_.server_host = url.substr(host, colon - host);
  around_.server_port = colon > host ? url.substr(colon + 1) : "443";
  around_.names = [this](const std::string& ns) { return service_names(ns, slices_->list()); };
  around_.service_variables = [this](const std::string& ns) {
    return service_variables(ns, services_->list());
  };
  around_.tell = [this](const kube::Cached& pod, const control::Note& note) {
    events_.record("kubelet", kube::kPods, pod, note);
  };
  if (limits_enforced())
    around_.cgroup = "holdfast-" + hex(sha256(options_.data_dir.string())).substr(0, 8);
}

Result<void> LocalNode::find_images() {
  std::error_code none;
  const fs::path self = fs::canonical(around_.program, none);
  OwnImage own(options_.data_dir / "own-image", none ? around_.program : self, loaded_libraries());
  HF_TRY(own.make_root());
  around_.images = Images(options_.images, std::move(own));
  return {};
}

/// Tried in a process of its own: this one has threads, and must not change its namespaces.
void LocalNode::look_for_user_namespaces() {
  std::string images = options_.images.string();
  std::error_code none;
  if (!fs::is_directory(images, none)) images = options_.data_dir;
  const Result<std::string> why =
      run_program({.command = around_.program.string(),
                   .args = {"shim", "--try-users", (options_.data_dir / "try-users").string(),
                            "--image", images, "--image", "/"}},
                  {});
  registration_.no_user_namespaces = why ? *why : why.error().what();
  around_.user_namespaces = registration_.no_user_namespaces.empty();
  if (!around_.user_namespaces)
    log::error(fmt::format("pods run as users of this machine, root among them: {}",
                           registration_.no_user_namespaces));
}

Result<void> LocalNode::serve() {
  Serving serving = HF_TRY(serving_certificate(options_.data_dir, options_, clock_, random_));
  registration_.certificate = serving.certificate;
  api_ = std::make_unique<KubeletApi>(
      [this](const std::string& ns, const std::string& name) { return find(ns, name); },
      [this] { return list(); }, clock_);
  net::ServerOptions server;
  const size_t colon = options_.listen.rfind(':');
  server.host = options_.listen.substr(0, colon);
  server.port = colon == std::string::npos ? uint16_t(0)
                                           : uint16_t(std::stoi(options_.listen.substr(colon + 1)));
  server.certificate = std::move(serving.certificate);
  server.key = std::move(serving.key);
  server.client_ca = options_.client_ca;
  // Its one client is the server, and the files of the process are not to go for strangers.
  server.max_connections = kMostConnections;
  server.knows_users = true;
  server_ = HF_TRY(net::Server::start(std::move(server), *api_));
  registration_.port = server_->port();
  return {};
}

Result<void> LocalNode::begin() {
  HF_TRY(make_folder(options_.data_dir, 0700));
  if (options_.images.empty()) options_.images = options_.data_dir / "images";
  registration_.name = options_.name;
  registration_.host_ip = options_.host_ip;
  registration_.facts = machine_facts(options_.data_dir.string());
  registration_.limits = limits_enforced();
  describe_surroundings();
  HF_TRY(find_images());
  look_for_user_namespaces();
  for (const fs::path& folder : {around_.pods, around_.logs, around_.secrets})
    HF_TRY(make_folder(folder, 0700));
  HF_TRY(serve());
  HF_TRY(register_node(client_, registration_, clock_.now()));
  HF_TRY(renew_lease(client_, options_.name, clock_.now()));
  services_ = &informers_.of({.resource = kube::kServices});
  slices_ = &informers_.of({.resource = kube::kEndpointSlices});
  pods_ =
      &informers_.of({.resource = kube::kPods, .field_selector = "spec.nodeName=" + options_.name});
  for (kube::Informer* informer : {services_, slices_})
    informer->on_change([this](const kube::Change&) { hosts_stale_ = true; });
  informers_.start(transport_, clock_);
  if (!informers_.wait_for_sync(kSyncLimit))
    return Error(Fault::Unavailable,
                 "the node's caches do not fill: " + join(informers_.waiting_for(), ", "));
  take_over_folders();
  pods_->on_change([this](const kube::Change& change) { on_pod(change); });
  for (const kube::Cached& pod : pods_->list())
    on_pod({kube::Change::Kind::Added, {}, pod, true, false});
  beat_ = std::jthread([this](const std::stop_token& stop) { beat(stop); });
  event_thread_ = std::jthread([this](const std::stop_token& stop) { send_events(stop); });
  return {};
}

/// Folders of pods that were deleted while no node ran: their processes end, and what they left
/// goes.
void LocalNode::take_over_folders() {
  std::set<std::string> known;
  for (const kube::Cached& pod : pods_->list()) known.insert(std::string(pod.uid()));
  std::error_code none;
  for (fs::directory_iterator at(around_.pods, none), end; !none && at != end; at.increment(none)) {
    const std::string uid = at->path().filename();
    if (known.contains(uid)) continue;
    const Result<Sandbox> sandbox = read_sandbox(at->path() / "pod.json");
    if (!sandbox) {
      fs::remove_all(at->path(), none);
      continue;
    }
    const Lock lock(mutex_);
    workers_[uid] = std::make_shared<PodWorker>(around_, *sandbox);
  }
  // Those of pods that are known go when their last container has ended.
  for (fs::directory_iterator at(around_.secrets, none), end; !none && at != end;
       at.increment(none))
    if (!known.contains(at->path().filename())) fs::remove_all(at->path(), none);
}

void LocalNode::on_pod(const kube::Change& change) {
  const kube::Cached& pod = change.object();
  const std::string uid(pod.uid());
  const Lock lock(mutex_);
  if (stopping_) return;
  const auto known = workers_.find(uid);
  if (change.kind == kube::Change::Kind::Deleted) {
    if (known != workers_.end()) known->second->removed();
    return;
  }
  if (known != workers_.end()) return known->second->update(pod);
  workers_[uid] = std::make_shared<PodWorker>(around_, pod);
}

std::shared_ptr<PodWorker> LocalNode::find(const std::string& ns, const std::string& name) const {
  const kube::Cached pod = pods_->get(ns, name);
  if (!pod) return nullptr;
  const Lock lock(mutex_);
  const auto found = workers_.find(std::string(pod.uid()));
  return found == workers_.end() ? nullptr : found->second;
}

std::string LocalNode::list() const {
  std::string items;
  for (const kube::Cached& pod : pods_->list())
    items += (items.empty() ? "" : ",") + std::string(pod.text());
  return fmt::format(R"({{"kind":"PodList","apiVersion":"v1","metadata":{{}},"items":[{}]}})",
                     items);
}

void LocalNode::sweep() {
  std::vector<std::shared_ptr<PodWorker>> gone;  // joined without the lock
  {
    const Lock lock(mutex_);
    for (auto worker = workers_.begin(); worker != workers_.end();) {
      if (!worker->second->gone()) {
        ++worker;
        continue;
      }
      gone.push_back(std::move(worker->second));
      worker = workers_.erase(worker);
    }
  }
}

void LocalNode::refresh_hosts() {
  if (!hosts_stale_.exchange(false)) return;
  const Lock lock(mutex_);
  for (const auto& [uid, worker] : workers_) worker->refresh_hosts();
}

void LocalNode::beat(const std::stop_token& stop) {
  const Sleep pause = sleep_until_stopped();
  MonoTime lease_due = clock_.mono() + kLeasePause, status_due = clock_.mono() + kStatusPause;
  while (!stop.stop_requested()) {
    pause(kStep, stop);
    sweep();
    refresh_hosts();
    const MonoTime now = clock_.mono();
    if (now >= lease_due) {
      const Result<void> renewed = renew_lease(client_, options_.name, clock_.now());
      if (!renewed) log::warn(renewed.error().what());
      lease_due = now + kLeasePause;
      if (watch_disk()) status_due = now;
    }
    if (now < status_due) continue;
    const Result<void> reported = register_node(client_, registration_, clock_.now());
    if (!reported) log::warn(reported.error().what());
    status_due = now + kStatusPause;
  }
}

/// True if it has come under pressure, or out of it.
bool LocalNode::watch_disk() {
  const bool before = !registration_.disk_pressure.empty();
  registration_.disk_pressure = disk_pressure(options_.data_dir.string());
  const bool pressed = !registration_.disk_pressure.empty();
  if (pressed == before) return false;
  const control::Note note{
      pressed, pressed ? "NodeHasDiskPressure" : "NodeHasNoDiskPressure",
      pressed ? registration_.disk_pressure
              : fmt::format("Node {} status is now: NodeHasNoDiskPressure", options_.name),
      "Report"};
  if (const kube::Reply<model::Value> node = client_.get(kube::kNodes, "", options_.name))
    if (const Result<kube::Cached> cached = kube::Cached::from_value(*node))
      events_.record("kubelet", kube::kNodes, *cached, note);
  return true;
}

void LocalNode::send_events(const std::stop_token& stop) {
  const Sleep pause = sleep_until_stopped();
  while (!stop.stop_requested()) {
    const std::optional<MonoTime> due = events_.due();
    if (due && *due <= clock_.mono())
      events_.step();
    else
      pause(kStep, stop);
  }
}

/// Of pods none of whose processes lives.
void LocalNode::forget_secrets(const std::vector<std::string>& uids) const {
  if (!wall_stands("secrets go with the server")) return;
  std::error_code ignored;
  for (const std::string& uid : uids) fs::remove_all(around_.secrets / uid, ignored);
  fs::remove(around_.secrets, ignored);  // unless there are some left
}

void LocalNode::stop() {
  if (std::exchange(stopped_, true)) return;
  std::vector<std::shared_ptr<PodWorker>> workers;
  {
    const Lock lock(mutex_);
    stopping_ = true;
    for (const auto& [uid, worker] : workers_) workers.push_back(worker);
  }
  std::chrono::seconds longest = kStopSlack;
  if (!options_.keep_pods) {
    for (const kube::Cached& pod : pods_ != nullptr ? pods_->list() : std::vector<kube::Cached>())
      longest =
          std::max(longest, read_pod(pod.shared_value()).grace + std::chrono::seconds(kStopSlack));
    for (const std::shared_ptr<PodWorker>& worker : workers) worker->leave();
    const MonoTime end = clock_.mono() + longest;
    const Sleep pause = sleep_until_stopped();
    while (clock_.mono() < end &&
           !std::all_of(workers.begin(), workers.end(),
                        [](const auto& each) { return each->idle() || each->gone(); }))
      pause(20ms, {});
  }
  std::vector<std::string> ended;
  for (const std::shared_ptr<PodWorker>& worker : workers)
    if (worker->idle() || worker->gone()) ended.push_back(worker->uid());
  if (beat_.joinable()) static_cast<void>(report_stopped(client_, registration_, clock_.now()));
  beat_.request_stop();
  event_thread_.request_stop();
  if (beat_.joinable()) beat_.join();
  if (event_thread_.joinable()) event_thread_.join();
  informers_.stop();
  workers.clear();
  {
    std::map<std::string, std::shared_ptr<PodWorker>> last;
    const Lock lock(mutex_);
    last.swap(workers_);
    for (auto& [uid, worker] : last) workers.push_back(std::move(worker));
  }
  workers.clear();
  forget_secrets(ended);
  if (server_) server_->stop(1s);
}

}  // namespace

Result<std::unique_ptr<Node>> Node::start(NodeOptions options, net::Client& transport,
                                          const Clock& clock, Random& random) {
  auto node = std::make_unique<LocalNode>(std::move(options), transport, clock, random);
  HF_TRY(node->begin());
  return std::unique_ptr<Node>(std::move(node));
}

}  // namespace holdfast::node
