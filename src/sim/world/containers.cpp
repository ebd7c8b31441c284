#include "world/containers.h"

#include <holdfast/base/text.h>

#include <fmt/format.h>

#include <charconv>

namespace holdfast::sim {
namespace {

using namespace std::chrono_literals;
using model::string_at;
using model::Value;

/// Longer than this no application of a scenario may hold still: their deadline is 10 s. Where no
/// guard can stand it takes an operator, and as long as that takes.
constexpr MonoTime kLongestLock = 12s, kLongestUnguarded = 10min;
/// START WAL LOCATION: 0/1000028 (file 000000010000000000000001)
constexpr const char* kLabel =
    "LABEL backup_label "
    "U1RBUlQgV0FMIExPQ0FUSU9OOiAwLzEwMDAwMjggKGZpbGUgMDAwMDAwMDEwMDAwMDAwMDAwMDAwMDAxKQo="
    " .";
/// So long a database leaves the segments of its log alone.
constexpr MonoTime kLogLasts = 60s;

int number(std::string_view text) {
  int out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

/// Whether the run has written down that a window, or a release, is under way.
bool says_intent(const Value& action) {
  for (const Value& each : model::array_at(action, {"status", "operations"}))
    if (string_at(each, {"finishedAt"}).empty()) return true;
  return false;
}

}  // namespace

/// The operator's end of a command.
class SimulatedSession final : public kube::ExecSession {
 public:
  SimulatedSession(Containers& world, Life& life, Containers::CommandPtr command)
      : world_(world), life_(life), command_(std::move(command)) {}
  SimulatedSession(const SimulatedSession&) = delete;
  SimulatedSession& operator=(const SimulatedSession&) = delete;
  ~SimulatedSession() override { close(); }

  std::optional<Event> next(MonoTime until) override {
    for (auto pause = MonoTime(5ms);; pause = std::min<MonoTime>(pause * 2, 500ms)) {
      if (life_.dead || closed_) return Event{Event::Kind::End, ""};
      if (!command_->lines.empty()) {
        Event out{Event::Kind::Output, command_->lines.front() + "\n"};
        command_->lines.pop_front();
        return out;
      }
      if (command_->ended) {
        end_.code = command_->code;
        return Event{Event::Kind::End, ""};
      }
      const MonoTime now = world_.schedule_.now();
      if (now >= until) return std::nullopt;
      world_.schedule_.wait_until(std::min(until, now + pause));
    }
  }
  const kube::ExecEnd& end() const override { return end_; }
  Result<void> write(std::string_view bytes) override {
    return world_.network_.act(life_, "tell a command", [&] {
      if (trim(bytes) == "done") command_->dismissed = true;
      if (trim(bytes) == "lock" && command_->kind == Containers::Kind::Profile)
        command_->acts_at = world_.soon();
    });
  }
  Result<void> end_input() override {
    return world_.network_.act(life_, "end a command's input",
                               [&] { command_->input_ended = true; });
  }
  bool can_end_input() const override { return true; }
  Result<void> resize(int, int) override { return {}; }
  void close() override {
    closed_ = true;
    command_->life = nullptr;
    command_->input_ended = true;
  }

 private:
  Containers& world_;
  Life& life_;
  Containers::CommandPtr command_;
  kube::ExecEnd end_{};
  bool closed_ = false;
};

Containers::Containers(History& history, Schedule& schedule, Network& network, Random& random)
    : history_(history), schedule_(schedule), network_(network), random_(random) {}

std::unique_ptr<protect::PodExec> Containers::exec_of(Life& life) {
  class Exec final : public protect::PodExec {
   public:
    Exec(Containers& world, Life& life) : world_(world), life_(life) {}
    kube::Reply<std::unique_ptr<kube::ExecSession>> open(const protect::ExecTarget& target,
                                                         const std::vector<std::string>& command,
                                                         std::chrono::milliseconds) override {
      return world_.open(life_, target, command);
    }

   private:
    Containers& world_;
    Life& life_;
  };
  return std::make_unique<Exec>(*this, life);
}

std::string Containers::annotation(const kube::Key& pod, std::string_view name) const {
  const ObjectPtr object = history_.get("pods", pod.ns, pod.name);
  if (object == nullptr) return "";
  return std::string(
      string_at(*object, {"metadata", "annotations", fmt::format("sim.holdfast.dev/{}", name)}));
}

MonoTime Containers::soon() const {
  return schedule_.now() + MonoTime(int64_t(1 + random_.below(20)) * 1000);
}

kube::Reply<std::unique_ptr<kube::ExecSession>> Containers::open(
    Life& life, const protect::ExecTarget& target, const std::vector<std::string>& words) {
  CommandPtr made;
  const Result<void> sent = network_.act(life, "exec in " + target.pod, [&] {
    check_intent(words);
    made = begin(life, target, words);
  });
  if (!sent) {
    // The command runs; who began it is gone.
    if (made != nullptr) made->life = nullptr;
    return kube::Failure{sent.error().copy(), 0, "", nullptr, 0s, true};
  }
  if (made == nullptr)
    return kube::Failure{Error(Fault::NotFound, fmt::format("pods \"{}\" not found", target.pod)),
                         404, "NotFound"};
  return std::unique_ptr<kube::ExecSession>(
      std::make_unique<SimulatedSession>(*this, life, std::move(made)));
}

void Containers::check_intent(const std::vector<std::string>& words) {
  for (const auto& [key, action] : history_.now("volumegroupactions"))
    if (says_intent(*action)) return;
  if (report_)
    report_("effect-unrecorded",
            fmt::format("a command ({}) was run that no status tells of", words.back()));
}

Containers::CommandPtr Containers::begin(Life& life, const protect::ExecTarget& target,
                                         const std::vector<std::string>& words) {
  look_at_pods();
  const kube::Key key{target.ns, target.pod};
  const ObjectPtr pod = history_.get("pods", key.ns, key.name);
  if (pod == nullptr || string_at(*pod, {"status", "phase"}) != "Running") return nullptr;
  auto made = std::make_shared<Command>();
  made->pod = key;
  made->pod_uid = string_at(*pod, {"metadata", "uid"});
  made->life = &life;
  made->acts_at = soon();
  // /bin/sh -c SCRIPT holdfast-NAME DEADLINE …
  const std::string script = words.size() > 3 && words[0] == "/bin/sh" ? words[3] : "";
  if (!script.empty() && !annotation(key, "no-shell").empty()) {
    made->code = 127;
    made->ended = true;
    commands_.push_back(made);
    return made;
  }
  if (script == "holdfast-guard" || script == "holdfast-session")
    made->deadline = schedule_.now() + std::chrono::seconds(number(words[4]));
  if (script == "holdfast-postgresql") {
    made->kind = Kind::Profile;
    made->seconds = number(words[6]);
  } else if (script == "holdfast-log") {
    made->kind = Kind::LogCheck;
  } else if (script == "holdfast-guard") {
    made->kind = Kind::Guard;
    made->posts = int(std::count(words.begin(), words.end(), "unlock"));
  } else if (words.back() == "hold") {
    made->kind = Kind::Hold;
  } else if (words.back() == "lock") {
    made->kind = Kind::Lock;
  } else if (words.back() == "lock-hang") {
    made->kind = Kind::LockHang;
  } else if (words.back() == "lock-late") {
    made->kind = Kind::Lock;
    made->acts_at = schedule_.now() + 3s;
  } else if (words.back() == "unlock") {
    made->kind = Kind::Unlock;
  }
  commands_.push_back(made);
  return made;
}

void Containers::lock(const Command& command) {
  locks_.try_emplace(command.pod_uid, schedule_.now());
}

bool Containers::unlock(const std::string& pod_uid) {
  kube::Key pod;
  for (const auto& [key, object] : history_.now("pods"))
    if (string_at(*object, {"metadata", "uid"}) == pod_uid) pod = key;
  if (unlocks_[pod_uid]++ < number(annotation(pod, "stubborn"))) return false;
  locks_.erase(pod_uid);
  return true;
}

MonoTime Containers::longest(const std::string& pod_uid) const {
  for (const auto& [key, object] : history_.now("pods"))
    if (string_at(*object, {"metadata", "uid"}) == pod_uid)
      return annotation(key, "no-shell").empty() ? kLongestLock : kLongestUnguarded;
  return kLongestLock;
}

void Containers::end(Command& command, int code) {
  command.ended = true;
  command.code = code;
  command.acts_at = MonoTime::max();
}

/// What is outside died, or ended the input; where the network is lost nobody tells.
bool Containers::reads_end(const Command& command) const {
  if (!annotation(command.pod, "no-eof").empty())
    return command.input_ended && command.life != nullptr && !command.life->dead;
  return command.input_ended || command.life == nullptr || command.life->dead;
}

void Containers::act(Command& command) {
  const bool first = schedule_.now() >= command.acts_at;
  const bool over = reads_end(command) || schedule_.now() >= command.deadline;
  switch (command.kind) {
    case Kind::Other:
      return end(command, 0);
    case Kind::Lock:
      if (first) lock(command);
      return end(command, 0);
    case Kind::LockHang:
      if (first) lock(command);
      command.acts_at = MonoTime::max();
      return;
    case Kind::Unlock:
      return end(command, unlock(command.pod_uid) ? 0 : 1);
    case Kind::Hold:
      if (first && !command.holds) {
        command.holds = true;
        lock(command);
        command.lines.emplace_back("READY");
        command.acts_at = MonoTime::max();
      }
      if (!over) return;
      if (command.holds) locks_.erase(command.pod_uid);
      return end(command, schedule_.now() >= command.deadline ? 3 : 0);
    case Kind::Profile:
      return act_profile(command, first, over);
    case Kind::LogCheck:
      return end(command, schedule_.now() < released_[command.pod_uid] + kLogLasts ? 0 : 1);
    case Kind::Guard: {
      if (first) command.lines.emplace_back("HOLDFAST ARMED");
      command.acts_at = MonoTime::max();
      if (command.dismissed) return end(command, 0);
      // Once when its input ends, and once more at the deadline.
      const bool last = schedule_.now() >= command.deadline;
      if (!over || (command.holds && !last)) return;
      bool well = true;
      for (int i = 0; i < command.posts; ++i) well = unlock(command.pod_uid) && well;
      command.holds = true;
      if (last) end(command, well ? 0 : 1);
      return;
    }
  }
}

/// A base backup: connected, held from `lock` to the end of its input, and then what a restore
/// needs.
void Containers::act_profile(Command& command, bool first, bool over) {
  if (first && !command.connected) {
    command.connected = true;
    command.lines.emplace_back("HOLDFAST CONNECTED");
    command.acts_at = MonoTime::max();
  } else if (first && !command.holds) {
    command.holds = true;
    lock(command);
    command.lines.emplace_back("READY");
    command.acts_at = MonoTime::max();
    command.deadline = schedule_.now() + std::chrono::seconds(command.seconds);
  }
  if (!over) return;
  if (command.holds) {
    locks_.erase(command.pod_uid);
    released_[command.pod_uid] = schedule_.now();
  }
  if (schedule_.now() >= command.deadline) return end(command, 3);
  if (command.holds)
    for (const char* line : {kLabel, "WAL 000000010000000000000001 000000010000000000000002 .",
                             "AT data /data/db", "AT log /data/db/log", "RELEASED"})
      command.lines.push_back(fmt::format("HOLDFAST {}", line));
  end(command, 0);
}

/// With a pod goes all that ran in it.
void Containers::look_at_pods() {
  for (; seen_ < history_.commits().size(); ++seen_) {
    const Commit& commit = history_.commits()[seen_];
    if (history_.resources()[commit.resource].plural != "pods") continue;
    const bool over = commit.kind == Commit::Kind::Deleted ||
                      string_at(*commit.object, {"status", "phase"}) == "Failed";
    if (!over) continue;
    locks_.erase(commit.uid);
    for (const CommandPtr& each : commands_)
      if (each->pod_uid == commit.uid) each->ended = true;
  }
}

std::optional<MonoTime> Containers::due() {
  look_at_pods();
  std::optional<MonoTime> first;
  const auto consider = [&](MonoTime when) {
    if (!first || when < *first) first = when;
  };
  for (const CommandPtr& each : commands_) {
    if (each->ended) continue;
    if (each->acts_at != MonoTime::max()) consider(each->acts_at);
    if (each->deadline != MonoTime::max()) consider(each->deadline);
    const bool waits =
        each->kind == Kind::Hold || each->kind == Kind::Guard || each->kind == Kind::Profile;
    const bool again = each->kind == Kind::Guard && each->holds;
    if (waits && !again && (each->dismissed || reads_end(*each))) consider(schedule_.now());
  }
  for (const auto& [pod, since] : locks_) consider(since + longest(pod));
  return first;
}

void Containers::step() {
  const MonoTime now = schedule_.now();
  for (const CommandPtr& each : std::list<CommandPtr>(commands_))
    if (!each->ended &&
        (each->acts_at <= now || each->deadline <= now || each->dismissed ||
         each->kind == Kind::Hold || each->kind == Kind::Guard || each->kind == Kind::Profile))
      act(*each);
  commands_.remove_if([](const CommandPtr& each) { return each->ended && each.use_count() == 1; });
  for (auto each = locks_.begin(); each != locks_.end();) {
    const bool overdue = now >= each->second + longest(each->first);
    if (overdue && report_)
      report_("frozen", fmt::format("pod {} has held still for {} s", each->first,
                                    (now - each->second).count() / 1000000));
    each = overdue ? locks_.erase(each) : std::next(each);
  }
}

void Containers::note_cut(const std::string& action_uid, const kube::Key& claim) {
  for (const auto& [key, pod] : history_.now("pods"))
    for (const Value& volume : model::array_at(*pod, {"spec", "volumes"}))
      if (key.ns == claim.ns &&
          string_at(volume, {"persistentVolumeClaim", "claimName"}) == claim.name &&
          !locks_.contains(std::string(string_at(*pod, {"metadata", "uid"}))))
        loose_.insert(action_uid);
}

}  // namespace holdfast::sim
