#include "clients/rounds.h"

#include <holdfast/base/files.h>
#include <holdfast/base/random.h>

#include "clients/crowd.h"
#include "clients/garbage.h"
#include "clients/good.h"
#include "server_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace holdfast::campaign {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kLongestAnswer{10};
constexpr seconds kCatchUp{30};
constexpr size_t kUsualDescriptors = 1024;  ///< what a login shell gives
constexpr size_t kOwnDescriptors = 500;
constexpr size_t kWoken = 20;
constexpr int kVisits = 3;  ///< of each nuisance

using Defects = std::vector<std::string>;

/// Looks at the server's memory now and then; keeps the most.
class Memory {
 public:
  explicit Memory(const ServerProcess& server)
      : thread_([this, &server](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            most_ = std::max(most_.load(), server.rss_bytes());
            std::this_thread::sleep_for(milliseconds(100));
          }
        }) {}
  int64_t most_mib() const { return most_ >> 20; }

 private:
  std::atomic<int64_t> most_{0};
  std::jthread thread_;
};

class ClientRounds {
 public:
  ClientRounds(const ClientsSettings& settings, const Clock& clock)
      : settings_(settings), clock_(clock), random_(settings.seed) {}

  Result<void> begin();
  bool round(int number);
  void finish(bool good);

 private:
  CrowdSize crowd_size();
  void annoy_all(const TlsTerms& admin, const TlsTerms& nobody, Defects& defects);
  void make_events(GoodWatcher& watcher, Defects& defects);
  size_t drops_told() const;
  void wait_for_drops(Crowd& crowd, Defects& defects);
  template <class Condition>
  bool wait_for(seconds limit, const Condition& condition) {
    const MonoTime end = clock_.mono() + limit;
    while (!condition() && clock_.mono() < end) std::this_thread::sleep_for(milliseconds(20));
    return condition();
  }

  ClientsSettings settings_;
  const Clock& clock_;
  SeededRandom random_;
  ServerSettings server_settings_;
  std::unique_ptr<ServerProcess> server_;
  net::ClientOptions admin_;
  size_t drops_expected_ = 0;  ///< so far, over all rounds
};

Result<void> ClientRounds::begin() {
  std::string folder = settings_.work / "clients-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr)
    return Error(Fault::Internal, "cannot make a folder in " + settings_.work.string());
  const std::filesystem::path mine = folder;
  SystemRandom chance;
  server_settings_ = {settings_.server, mine / "data", mine / "server.log", pick_port(chance),
                      kUsualDescriptors};
  const size_t limit = raise_descriptor_limit();
  if (const size_t most = (limit - kOwnDescriptors) * 4 / 5; settings_.connections > most) {
    fmt::print("only {} connections: this process may open {} files\n", most, limit);
    settings_.connections = most;
  }
  server_ = HF_TRY(ServerProcess::spawn(server_settings_, clock_));
  HF_TRY(server_->wait_ready());
  admin_ = HF_TRY(admin_of(server_settings_.data_dir));
  const auto client = HF_TRY(net::Client::make(admin_));
  HF_TRY(prepare_busy(*client));
  fmt::print("seed {}, data in {}, server's memory {} MiB\n", settings_.seed, folder,
             server_->rss_bytes() >> 20);
  return ok();
}

CrowdSize ClientRounds::crowd_size() {
  return {settings_.connections, settings_.connections / 20, settings_.connections / 10,
          settings_.watchers};
}

void ClientRounds::annoy_all(const TlsTerms& admin, const TlsTerms& nobody, Defects& defects) {
  for (const Nuisance& nuisance : nuisances(random_))
    for (int i = 0; i < kVisits; ++i) {
      const Visit visit = annoy(server_settings_.port, nuisance.admin ? admin : nobody, nuisance);
      if (visit.ok) continue;
      defects.push_back(fmt::format("{}: {}", nuisance.name, visit.got));
      break;
    }
}

void ClientRounds::make_events(GoodWatcher& watcher, Defects& defects) {
  Result<std::unique_ptr<net::Client>> client = net::Client::make(admin_);
  if (!wait_for(kCatchUp, [&] { return watcher.seen() == kBusyObjects; }))
    defects.push_back("a good watch did not begin");
  const MonoTime start = clock_.mono();
  const Result<void> written = write_events(**client, settings_.events);
  if (!written) defects.push_back(written.error().what());
  const double took = double((clock_.mono() - start).count()) / 1e6;
  fmt::print("  {} events in {:.1f} s\n", settings_.events, took);
  const size_t expected = kBusyObjects + settings_.events;
  wait_for(kCatchUp, [&] { return watcher.seen() >= expected; });
  if (watcher.seen() != expected || watcher.ended())
    defects.push_back(fmt::format("the good watch saw {} events of {}{}", watcher.seen(), expected,
                                  watcher.ended() ? " and ended" : ""));
}

size_t ClientRounds::drops_told() const {
  const std::string log = read_file(server_settings_.log).take();
  size_t count = 0;
  for (size_t at = 0; (at = log.find("it has not read", at)) != std::string::npos; ++at) ++count;
  return count;
}

// Nothing can be seen from the client's side before it reads: the end waits behind the events.
void ClientRounds::wait_for_drops(Crowd& crowd, Defects& defects) {
  if (settings_.patience.count() == 0) return;
  drops_expected_ += crowd.slow();
  if (!wait_for(settings_.patience, [&] { return drops_told() >= drops_expected_; }))
    defects.push_back("the server's log does not say of each slow watcher why it was dropped");
  const size_t dropped = crowd.dropped();
  fmt::print("  {} of {} watchers that never read were dropped\n", dropped, crowd.slow());
  if (dropped != crowd.slow()) defects.push_back("a watcher that never reads was not dropped");
}

bool ClientRounds::round(int number) {
  Defects defects;
  const TlsTerms admin(admin_, true), nobody(admin_, false);
  Result<std::unique_ptr<net::Client>> asking = net::Client::make(admin_);
  Result<std::unique_ptr<net::Client>> watching = net::Client::make(admin_);
  if (!asking || !watching) return false;
  const Memory memory(*server_);
  GoodClient good(**asking, clock_);
  GoodWatcher watcher(**watching);
  fmt::print("round {}\n", number);
  {
    const MonoTime start = clock_.mono();
    Crowd crowd(server_settings_.port, admin, crowd_size(), std::string(kBusyMaps));
    fmt::print("  {} bad connections open after {:.1f} s, {} refused\n", crowd.open(),
               double((clock_.mono() - start).count()) / 1e6, crowd.refused());
    if (crowd.refused() != 0) defects.push_back("connections were refused");
    Defects annoyed;
    {
      const std::jthread nuisance([&] { annoy_all(admin, nobody, annoyed); });
      make_events(watcher, defects);
    }
    defects.insert(defects.end(), annoyed.begin(), annoyed.end());
    if (const size_t mute = crowd.wake_some(kWoken); mute != 0)
      defects.push_back(fmt::format("{} of {} idle connections did not answer", mute, kWoken));
    wait_for_drops(crowd, defects);
  }
  if (!good.complaint().empty()) defects.push_back("good client: " + good.complaint());
  if (good.longest() > kLongestAnswer) defects.push_back("a good client waited too long");
  if (memory.most_mib() >= settings_.rss_mib) defects.push_back("the server took too much memory");
  fmt::print("  good client: {} answers, the longest took {} ms (limit {} ms)\n", good.answered(),
             good.longest().count(), milliseconds(kLongestAnswer).count());
  fmt::print("  server's memory: at most {} MiB (limit {} MiB), now {} MiB\n", memory.most_mib(),
             settings_.rss_mib, server_->rss_bytes() >> 20);
  for (const std::string& defect : defects) fmt::print("  FAILED: {}\n", defect);
  return defects.empty();
}

void ClientRounds::finish(bool good) {
  server_.reset();
  if (good) std::filesystem::remove_all(server_settings_.log.parent_path());
}

}  // namespace

int run_clients(const ClientsSettings& settings, const Clock& clock) {
  ClientRounds rounds(settings, clock);
  int failed = 0;
  int played = 0;
  if (Result<void> begun = rounds.begin(); !begun) {
    fmt::print("cannot begin: {}\n", begun.error().what());
    failed = 1;
  } else {
    while (played < settings.count) failed += rounds.round(++played) ? 0 : 1;
    rounds.finish(failed == 0);
  }
  fmt::print("campaign clients: {} rounds, {} failed\n", played, failed);
  return failed;
}

}  // namespace holdfast::campaign
