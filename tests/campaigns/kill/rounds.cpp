#include "kill/rounds.h"

#include <holdfast/base/random.h>

#include "kill/history.h"
#include "kill/watcher.h"
#include "kill/writer.h"
#include "server_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <thread>

namespace holdfast::campaign {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kWritersPerKind = 4;
constexpr uint64_t kLongestLoadMs = 1000;
constexpr uint64_t kLongestRecoveryMs = 120;
constexpr seconds kWatchLimit{60};
/// The server promises five minutes of history; reading it takes some of them.
constexpr seconds kOldestResume{270};
constexpr size_t kDefectsTold = 8;

/// One round's part of the history, kept as hashes to compare later reads of it with.
struct Past {
  MonoTime at{};
  int64_t from = 0;
  std::vector<size_t> lines;
};

struct Subject {
  explicit Subject(const Kind& which) : history{which} {}
  History history;
  std::deque<Past> past = {};
};

struct Sum {
  Tally writes;
  size_t events = 0, lists = 0, resumes = 0, double_kills = 0;
  int failed = 0;
  std::vector<milliseconds> ready = {};
};

class Rounds {
 public:
  Rounds(const KillSettings& settings, const Clock& clock)
      : settings_(settings), clock_(clock), random_(settings.seed) {
    for (const Kind& kind : kinds()) subjects_.emplace_back(kind);
  }

  Result<void> begin();
  /// False if the server is beyond playing on.
  bool round(int number);
  int finish();

 private:
  Result<milliseconds> start_server();
  void make_writers();
  void make_watchers();
  void load_and_kill(milliseconds moment);
  void read_lists();
  Result<milliseconds> restart(Defects& defects);
  Result<void> read_back(int number, Defects& defects);
  void judge(Defects& defects);
  void judge_watchers(Defects& defects);
  void judge_revisions(int64_t revision, Defects& defects);
  Result<void> resume_from_the_past(Subject& subject, Defects& defects);
  void begin_next();

  const KillSettings settings_;
  const Clock& clock_;
  SeededRandom random_;
  ServerSettings server_settings_;
  std::unique_ptr<ServerProcess> server_;
  std::shared_ptr<net::Client> client_;
  std::vector<Subject> subjects_;
  std::vector<std::unique_ptr<Writer>> writers_;
  Link link_;
  std::vector<std::unique_ptr<Watcher>> watchers_;
  std::atomic<bool> killing_{false};
  Tally tally_;
  Sum sum_;
};

Result<milliseconds> Rounds::start_server() {
  server_ = HF_TRY(ServerProcess::spawn(server_settings_, clock_));
  const milliseconds ready = HF_TRY(server_->wait_ready());
  // A new client: connections to the dead process must not be mistaken for ones to this one.
  client_ = HF_TRY(connect(server_settings_.data_dir));
  return ready;
}

Result<void> Rounds::begin() {
  std::string folder = settings_.work / fmt::format("kill-{}-XXXXXX", settings_.seed);
  if (mkdtemp(folder.data()) == nullptr)
    return Error(Fault::Internal, "cannot make a folder in " + settings_.work.string());
  const std::filesystem::path mine = folder;
  SystemRandom chance;
  server_settings_ = {settings_.server, mine / "data", mine / "server.log", pick_port(chance), 0};
  fmt::print("seed {}, data in {}\n", settings_.seed, folder);
  HF_TRY(start_server());
  HF_TRY(prepare(*client_));
  for (Subject& subject : subjects_) {
    const Kind& kind = subject.history.kind;
    subject.history.after = HF_TRY(read_listing(*client_, kind));
  }
  make_writers();
  begin_next();
  make_watchers();
  link_.open(HF_TRY(connect(server_settings_.data_dir)));
  return ok();
}

void Rounds::make_writers() {
  for (const Subject& subject : subjects_)
    for (int i = 0; i < kWritersPerKind; ++i)
      writers_.push_back(
          std::make_unique<Writer>(subject.history.kind, int(writers_.size()), random_.next()));
}

void Rounds::make_watchers() {
  for (const Subject& subject : subjects_) {
    const Kind& kind = subject.history.kind;
    const int64_t from = subject.history.before.revision;
    std::string owner;
    for (const auto& writer : writers_)
      if (&writer->kind() == &kind) owner = writer->owner();
    watchers_.push_back(std::make_unique<Watcher>(link_, Watcher::Settings{kind, from}));
    watchers_.push_back(
        std::make_unique<Watcher>(link_, Watcher::Settings{kind, from, "", true, random_.next()}));
    watchers_.push_back(std::make_unique<Watcher>(link_, Watcher::Settings{kind, from, owner}));
  }
}

void Rounds::read_lists() {
  for (;;)
    for (Subject& subject : subjects_) {
      Result<Listing> listing = read_listing(*client_, subject.history.kind);
      if (!listing) return;
      subject.history.lists.push_back(listing.take());
    }
}

void Rounds::load_and_kill(milliseconds moment) {
  killing_ = false;
  std::vector<std::jthread> threads;
  for (const auto& writer : writers_)
    threads.emplace_back([this, each = writer.get()] { each->run(*client_, killing_); });
  threads.emplace_back([this] { read_lists(); });
  std::this_thread::sleep_for(moment);
  killing_ = true;
  link_.close();
  server_->kill_now();
}

Result<milliseconds> Rounds::restart(Defects& defects) {
  if (random_.below(5) == 0) {
    // Recovery must bear a kill as well.
    ++sum_.double_kills;
    auto doomed = HF_TRY(ServerProcess::spawn(server_settings_, clock_));
    std::this_thread::sleep_for(milliseconds(random_.below(kLongestRecoveryMs)));
    doomed->kill_now();
  }
  const milliseconds ready = HF_TRY(start_server());
  sum_.ready.push_back(ready);
  link_.open(HF_TRY(connect(server_settings_.data_dir)));
  for (Subject& subject : subjects_) {
    const Kind& kind = subject.history.kind;
    Listing first = HF_TRY(read_listing(*client_, kind));
    judge_revisions(first.revision, defects);
    subject.history.lists.push_back(std::move(first));
  }
  return ready;
}

/// The restarted server's revision is at least every one that anybody has seen.
void Rounds::judge_revisions(int64_t revision, Defects& defects) {
  int64_t seen = 0;
  for (const auto& writer : writers_)
    for (const Write& write : writer->acknowledged()) seen = std::max(seen, write.version.revision);
  for (const auto& watcher : watchers_) seen = std::max(seen, watcher->newest());
  for (const Subject& subject : subjects_)
    for (const Listing& list : subject.history.lists) seen = std::max(seen, list.revision);
  if (revision < seen)
    defects.push_back(fmt::format("resourceVersion went back from {} to {}", seen, revision));
}

Result<void> Rounds::read_back(int number, Defects& defects) {
  const bool far_back = random_.below(8) == 0 || number == settings_.count;
  for (Subject& subject : subjects_) {
    History& history = subject.history;
    const int64_t last =
        HF_TRY(touch_sentinel(*client_, history.kind, fmt::format("round.{}", number)));
    history.events = HF_TRY(read_history(*client_, history.kind, history.before.revision, last));
    history.after = HF_TRY(read_listing(*client_, history.kind));
    Past past{clock_.mono(), history.before.revision, {}};
    for (const Event& event : history.events)
      past.lines.push_back(std::hash<std::string>()(event.line));
    subject.past.push_back(std::move(past));
    while (clock_.mono() - subject.past.front().at > kOldestResume) subject.past.pop_front();
    if (far_back) HF_TRY(resume_from_the_past(subject, defects));
  }
  return ok();
}

/// A watch from several restarts ago tells what was told then, and all since.
Result<void> Rounds::resume_from_the_past(Subject& subject, Defects& defects) {
  const size_t first = size_t(random_.below(subject.past.size()));
  const std::vector<Event> events =
      HF_TRY(read_history(*client_, subject.history.kind, subject.past[first].from,
                          subject.history.events.back().version.revision));
  size_t at = 0;
  for (size_t i = first; i < subject.past.size(); ++i)
    for (const size_t line : subject.past[i].lines) {
      if (at < events.size() && std::hash<std::string>()(events[at].line) == line) {
        ++at;
        continue;
      }
      defects.push_back(fmt::format("watch of {} from {}: event {} is not what it was",
                                    subject.history.kind.name, subject.past[first].from, at + 1));
      return ok();
    }
  if (at != events.size()) defects.push_back("a watch from the past tells more than was told");
  ++sum_.resumes;
  return ok();
}

void Rounds::judge(Defects& defects) {
  tally_ = {};
  for (const auto& writer : writers_)
    if (!writer->defect().empty()) defects.push_back(writer->defect());
  for (const Subject& subject : subjects_) {
    check_sequence(subject.history, defects);
    const Tally tally = check_writes(subject.history, writers_, defects);
    tally_.acknowledged += tally.acknowledged;
    tally_.in_doubt += tally.in_doubt;
    tally_.landed += tally.landed;
    sum_.lists += subject.history.lists.size();
  }
  judge_watchers(defects);
}

void Rounds::judge_watchers(Defects& defects) {
  for (const auto& watcher : watchers_) {
    const Watcher::Settings& settings = watcher->settings();
    std::vector<const Event*> expected;
    for (const Subject& subject : subjects_)
      for (const Event& event : subject.history.events)
        if (&subject.history.kind == &settings.kind &&
            (settings.owner.empty() || event.name.starts_with(settings.owner + "-")))
          expected.push_back(&event);
    const std::string who = fmt::format("watch of {}{}{}", settings.kind.name,
                                        settings.owner.empty() ? "" : " owned by " + settings.owner,
                                        settings.restless ? " with hang-ups" : "");
    check_watch(who, expected, watcher->take(expected.size(), kWatchLimit), defects);
    if (auto defect = watcher->take_defect()) defects.push_back(who + ": " + *defect);
    sum_.events += expected.size();
  }
}

void Rounds::begin_next() {
  for (Subject& subject : subjects_) {
    subject.history.before = std::move(subject.history.after);
    subject.history.events.clear();
    subject.history.lists.clear();
    for (const auto& writer : writers_)
      if (&writer->kind() == &subject.history.kind)
        writer->begin_round(subject.history.before.state);
  }
}

bool Rounds::round(int number) {
  const milliseconds moment(random_.below(kLongestLoadMs));
  Defects defects;
  load_and_kill(moment);
  Result<milliseconds> ready = restart(defects);
  Result<void> read = ready ? read_back(number, defects) : Result<void>(ready.take_error());
  tally_ = {};
  if (read)
    judge(defects);
  else
    defects.push_back(read.error().what());
  sum_.writes.acknowledged += tally_.acknowledged;
  sum_.writes.in_doubt += tally_.in_doubt;
  sum_.writes.landed += tally_.landed;
  sum_.failed += defects.empty() ? 0 : 1;
  fmt::print(
      "round {}: killed after {} ms, {} writes acknowledged, {} of {} in doubt landed, "
      "ready in {} ms: {}\n",
      number, moment.count(), tally_.acknowledged, tally_.landed, tally_.in_doubt,
      ready ? ready->count() : -1, defects.empty() ? "ok" : "FAILED");
  for (size_t i = 0; i < std::min(defects.size(), kDefectsTold); ++i)
    fmt::print("  {}\n", defects[i]);
  if (defects.size() > kDefectsTold) fmt::print("  … and {} more\n", defects.size() - kDefectsTold);
  begin_next();
  return bool(read);
}

int Rounds::finish() {
  watchers_.clear();
  server_.reset();
  std::sort(sum_.ready.begin(), sum_.ready.end());
  fmt::print(
      "{} writes acknowledged, {} in doubt of which {} landed; {} events and {} lists "
      "compared; {} watches from restarts ago; {} kills during recovery\n",
      sum_.writes.acknowledged, sum_.writes.in_doubt, sum_.writes.landed, sum_.events, sum_.lists,
      sum_.resumes, sum_.double_kills);
  if (!sum_.ready.empty())
    fmt::print("ready after a kill: median {} ms, longest {} ms\n",
               sum_.ready[sum_.ready.size() / 2].count(), sum_.ready.back().count());
  if (sum_.failed == 0) std::filesystem::remove_all(server_settings_.log.parent_path());
  return sum_.failed;
}

}  // namespace

int run_kill(const KillSettings& settings, const Clock& clock) {
  Rounds rounds(settings, clock);
  int failed = 0;
  int played = 0;
  if (Result<void> begun = rounds.begin(); !begun) {
    fmt::print("cannot begin: {}\n", begun.error().what());
    failed = 1;
  } else {
    bool alive = true;
    while (alive && played < settings.count) alive = rounds.round(++played);
    failed = rounds.finish();
  }
  fmt::print("campaign kill: {} rounds, {} failed\n", played, failed);
  return failed;
}

}  // namespace holdfast::campaign
