#include "world/containers.h"

#include <holdfast/base/text.h>
#include <holdfast/protect/trailer.h>

#include "world/commands.h"

#include <fmt/format.h>

namespace holdfast::sim {
namespace {

using namespace std::chrono_literals;
using model::Array;
using model::Object;
using model::string_at;
using model::Value;

/// Longer than this no application of a scenario may hold still: their deadline is 10 s. Where no
/// guard can stand it takes an operator, and as long as that takes.
constexpr MonoTime kLongestLock = 12s, kLongestUnguarded = 10min;

/// What the server says of a command's end.
Value status_of(int code) {
  if (code == 0) return Object{{"status", "Success"}};
  return Object{{"status", "Failure"},
                {"reason", "NonZeroExitCode"},
                {"details", Object{{"causes", Array{Object{{"reason", "ExitCode"},
                                                           {"message", fmt::to_string(code)}}}}}}};
}

/// Whether the object's status says that an operation is under way (control/operation.h).
bool says_intent(const Value& object) {
  for (const Value& each : model::array_at(object, {"status", "operations"}))
    if (string_at(each, {"finishedAt"}).empty()) return true;
  return false;
}

}  // namespace

/// One command, from its beginning to its end.
class Containers::Running final : public Inside {
 public:
  Running(Containers& world, Life& whose, Command command, std::string nonce)
      : world_(world),
        command_(std::move(command)),
        nonce_(std::move(nonce)),
        owner_(whose.pass ? whose.pass->text() : ""),
        life(&whose),
        acts_at(world.soon()) {}

  const Command& command() const override { return command_; }
  MonoTime now() const override { return world_.schedule_.now(); }
  MonoTime soon() override { return world_.soon(); }
  std::string annotation(std::string_view name) const override {
    return world_.annotation(command_.pod, name);
  }
  void act_at(MonoTime when) override { acts_at = when; }
  bool act_due() const override { return now() >= acts_at; }
  void set_deadline(MonoTime when) override { deadline = when; }
  bool deadline_passed() const override { return now() >= deadline; }
  /// What is outside died, or ended the input; where the network is lost nobody tells.
  bool input_ended() const override {
    const bool outside = life != nullptr && !life->dead;
    if (!annotation("no-eof").empty()) return end_of_input && outside;
    return end_of_input || !outside;
  }
  void say(std::string line) override { lines.push_back(std::move(line)); }
  void end(int with) override {
    if (!nonce_.empty()) say(std::string(trim(protect::trailer_line(nonce_, with, {}))));
    end_unsaid(with);
  }
  /// No shell was there to print a trailer.
  void end_unsaid(int with) {
    ended = true;
    code = with;
    acts_at = MonoTime::max();
  }
  void lock() override {
    world_.check_owner(command_.pod_uid, owner_, "quiesced");
    world_.locks_.try_emplace(command_.pod_uid, Locked{now(), owner_});
  }
  void let_go() override {
    world_.check_owner(command_.pod_uid, owner_, "released");
    world_.locks_.erase(command_.pod_uid);
  }
  bool unlock() override { return world_.unlock(command_.pod_uid, owner_); }

 private:
  Containers& world_;
  const Command command_;
  const std::string nonce_;  ///< of its trailer; "": it prints none
  const std::string owner_;  ///< the object whose pass began it

 public:
  Life* life;  ///< null: nobody listens any more
  MonoTime acts_at, deadline = MonoTime::max();
  bool end_of_input = false, ended = false;
  std::optional<int> code{};
  std::deque<std::string> lines{};
  std::unique_ptr<Program> program{};
};

/// The operator's end of a command.
class Containers::Session final : public kube::ExecSession {
 public:
  Session(Containers& world, Life& life, RunningPtr command)
      : world_(world),
        life_(life),
        command_(std::move(command)),
        cut_after_(world.network_.begin_stream()) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() override { close(); }

  std::optional<Event> next(MonoTime until) override {
    for (auto pause = MonoTime(5ms);; pause = std::min<MonoTime>(pause * 2, 500ms)) {
      if (life_.dead || closed_) return Event{Event::Kind::End, ""};
      if (cut_after_ == given_) return cut();
      if (!command_->lines.empty()) {
        ++given_;
        Event out{Event::Kind::Output, command_->lines.front() + "\n"};
        command_->lines.pop_front();
        return out;
      }
      if (command_->ended) {
        end_.code = command_->code;
        if (end_.code) end_.status = status_of(*end_.code);
        return Event{Event::Kind::End, ""};
      }
      const MonoTime now = world_.schedule_.now();
      if (now >= until) return std::nullopt;
      world_.schedule_.wait_until(std::min(until, now + pause));
    }
  }
  const kube::ExecEnd& end() const override { return end_; }
  Result<void> write(std::string_view bytes) override {
    if (closed_) return Error(Fault::Unavailable, "the session is over");
    return world_.network_.act(life_, "tell a command",
                               [&] { command_->program->told(*command_, trim(bytes)); });
  }
  Result<void> end_input() override {
    if (closed_) return Error(Fault::Unavailable, "the session is over");
    return world_.network_.act(life_, "end a command's input",
                               [&] { command_->end_of_input = true; });
  }
  bool can_end_input() const override { return true; }
  Result<void> resize(int, int) override { return {}; }
  void close() override {
    closed_ = true;
    command_->life = nullptr;
    command_->end_of_input = true;
  }

 private:
  /// As a kube-apiserver does it whose node is lost.
  Event cut() {
    close();
    end_.code = 0;
    end_.status = status_of(0);
    return Event{Event::Kind::End, ""};
  }

  Containers& world_;
  Life& life_;
  RunningPtr command_;
  kube::ExecEnd end_{};
  const std::optional<uint64_t> cut_after_;  ///< so many lines
  uint64_t given_ = 0;
  bool closed_ = false;
};

Containers::Containers(History& history, Schedule& schedule, Network& network, Random& random,
                       const Parts& parts)
    : history_(history), schedule_(schedule), network_(network), random_(random), parts_(parts) {}

Containers::~Containers() = default;

std::unique_ptr<protect::PodExec> Containers::exec_of(Life& life) {
  class Exec final : public protect::PodExec {
   public:
    Exec(Containers& world, Life& life) : world_(world), life_(life) {}
    kube::Reply<std::unique_ptr<kube::ExecSession>> open_bare(
        const protect::ExecTarget& target, const std::vector<std::string>& command,
        std::chrono::milliseconds) override {
      return world_.open(life_, target, command);
    }

   private:
    /// Drawing one would change what chance brings after it.
    std::string nonce() override { return fmt::to_string(++world_.nonces_); }

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
  RunningPtr made;
  const Result<void> sent = network_.act(life, "exec in " + target.pod, [&] {
    check_intent(life, words);
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
      std::make_unique<Session>(*this, life, std::move(made)));
}

/// By the object whose pass runs the command: what another object records allows nothing.
void Containers::check_intent(const Life& life, const std::vector<std::string>& words) {
  const ObjectPtr object =
      life.pass ? history_.get(life.pass->resource.plural, life.pass->key.ns, life.pass->key.name)
                : nullptr;
  if (object != nullptr && says_intent(*object)) return;
  if (report_)
    report_("effect-unrecorded",
            fmt::format("a command ({}) was run that the status of {} does not tell of",
                        words.back(), life.pass ? life.pass->text() : "no object"));
}

std::unique_ptr<Program> Containers::program_of(const Command& command) const {
  for (const auto& part : parts_)
    if (std::unique_ptr<Program> own = part->program(command)) return own;
  return command_program(command);
}

Containers::RunningPtr Containers::begin(Life& life, const protect::ExecTarget& target,
                                         const std::vector<std::string>& words) {
  look_at_pods();
  Command command{{target.ns, target.pod}, "", target.container, words, ""};
  const ObjectPtr pod = history_.get("pods", command.pod.ns, command.pod.name);
  if (pod == nullptr || string_at(*pod, {"status", "phase"}) != "Running") return nullptr;
  command.pod_uid = string_at(*pod, {"metadata", "uid"});
  std::string nonce;
  if (auto trailed = protect::trailed_command(words)) {
    nonce = std::move(trailed->nonce);
    command.words = std::move(trailed->words);
  }
  // /bin/sh -c SCRIPT holdfast-NAME DEADLINE …
  const auto& own = command.words;
  if (own.size() > 3 && own[0] == "/bin/sh") command.script = own[3];
  const std::string script = command.script;
  auto made = std::make_shared<Running>(*this, life, std::move(command), std::move(nonce));
  made->program = program_of(made->command());
  commands_.push_back(made);
  if (words[0] == "/bin/sh" && !made->annotation("no-shell").empty()) {
    made->end_unsaid(127);
    return made;
  }
  if (script == "holdfast-guard" || script == "holdfast-session")
    made->deadline = schedule_.now() + std::chrono::seconds(number_in(made->command().words[4]));
  made->program->begin(*made);
  return made;
}

void Containers::check_owner(const std::string& pod_uid, const std::string& owner,
                             std::string_view what) {
  const auto found = locks_.find(pod_uid);
  if (found == locks_.end() || found->second.owner == owner || !report_) return;
  report_("overlap", fmt::format("pod {} was {} for {} while {} held it", pod_uid, what, owner,
                                 found->second.owner));
}

bool Containers::unlock(const std::string& pod_uid, const std::string& owner) {
  kube::Key pod;
  for (const auto& [key, object] : history_.now("pods"))
    if (string_at(*object, {"metadata", "uid"}) == pod_uid) pod = key;
  if (unlocks_[pod_uid]++ < number_in(annotation(pod, "stubborn"))) return false;
  check_owner(pod_uid, owner, "released");
  locks_.erase(pod_uid);
  return true;
}

MonoTime Containers::longest(const std::string& pod_uid) const {
  for (const auto& [key, object] : history_.now("pods"))
    if (string_at(*object, {"metadata", "uid"}) == pod_uid)
      return annotation(key, "no-shell").empty() ? kLongestLock : kLongestUnguarded;
  return kLongestLock;
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
    for (const RunningPtr& each : commands_)
      if (each->command().pod_uid == commit.uid) each->ended = true;
  }
}

std::optional<MonoTime> Containers::due() {
  look_at_pods();
  std::optional<MonoTime> first;
  const auto consider = [&](MonoTime when) {
    if (!first || when < *first) first = when;
  };
  for (const RunningPtr& each : commands_) {
    if (each->ended) continue;
    if (each->acts_at != MonoTime::max()) consider(each->acts_at);
    if (each->deadline != MonoTime::max()) consider(each->deadline);
    if (each->program->listens() && each->input_ended()) consider(schedule_.now());
  }
  for (const auto& [pod, lock] : locks_) consider(lock.since + longest(pod));
  return first;
}

void Containers::step() {
  const MonoTime now = schedule_.now();
  for (const RunningPtr& each : std::list<RunningPtr>(commands_))
    if (!each->ended && (each->acts_at <= now || each->deadline <= now || each->program->listens()))
      each->program->act(*each);
  commands_.remove_if([](const RunningPtr& each) { return each->ended && each.use_count() == 1; });
  for (auto each = locks_.begin(); each != locks_.end();) {
    const bool overdue = now >= each->second.since + longest(each->first);
    if (overdue && report_)
      report_("frozen", fmt::format("pod {} has been quiesced for {} s", each->first,
                                    (now - each->second.since).count() / 1000000));
    each = overdue ? locks_.erase(each) : std::next(each);
  }
}

}  // namespace holdfast::sim
