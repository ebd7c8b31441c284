/// For tests: containers in which commands go as a script says, by the last of their words.
#pragma once

#include <holdfast/base/text.h>
#include <holdfast/protect/cut/quiesce.h>

#include <deque>
#include <map>

namespace holdfast::protect {

/// How one command goes. A guard is known as "guard", the first look for a shell as "presync".
struct Scripted {
  bool refused = false;    ///< it is never begun
  bool ambiguous = false;  ///< and whether it was nobody knows
  bool listens = false;    ///< it runs until its input ends
  bool lost = false;       ///< the session ends after its lines, and nobody tells how
  bool cut = false;        ///< or the server tells that it ended well
  bool no_shell = false;   ///< the container has none
  int code = 0;
  std::chrono::milliseconds takes{0};
  std::vector<std::string> lines{};  ///< at its beginning
};

class ScriptedExec final : public PodExec {
 public:
  explicit ScriptedExec(ManualClock& clock) : clock_(clock) {
    play("guard", {.listens = true, .lines = {"HOLDFAST ARMED"}});
  }

  /// In that container, or in all.
  void play(const std::string& word, Scripted how, const std::string& container = "") {
    script_[container + "/" + word] = std::move(how);
  }
  /// CONTAINER/WORD of what was begun, and " bare" if it was without a trailer; of guards
  /// "CONTAINER/guard done", or "ran" if they were not sent home.
  const std::vector<std::string>& told() const { return told_; }

  kube::Reply<std::unique_ptr<kube::ExecSession>> open_bare(const ExecTarget& target,
                                                            const std::vector<std::string>& argv,
                                                            std::chrono::milliseconds) override {
    const auto trailed = trailed_command(argv);
    const std::vector<std::string>& command = trailed ? trailed->words : argv;
    const bool ours = command.size() > 3 && command[0] == "/bin/sh";
    std::string word = command.back();
    if (ours && command[3] == "holdfast-guard") word = "guard";
    if (ours && command[3] == "holdfast-presync") word = "presync";
    const Scripted how = how_goes(target.container, word);
    const std::string name = target.container + "/" + word;
    told_.push_back(name + (trailed ? "" : " bare"));
    if (how.refused)
      return kube::Failure{
          Error(Fault::Unavailable, "no such container"), 0, "", nullptr, {}, how.ambiguous};
    return std::unique_ptr<kube::ExecSession>(
        std::make_unique<Session>(*this, name, how, trailed ? trailed->nonce : ""));
  }

 private:
  std::string nonce() override { return std::to_string(told_.size()); }

  class Session final : public kube::ExecSession {
   public:
    Session(ScriptedExec& world, std::string name, const Scripted& how, std::string nonce)
        : world_(world), name_(std::move(name)), how_(how), nonce_(std::move(nonce)) {
      if (how.lost || how.cut) close();
      if (how.no_shell && !nonce_.empty()) end_without_shell();
      if (!how.listens) ends_ = world.clock_.mono() + how.takes;
      for (const std::string& each : how.lines) lines_.push_back(each + "\n");
    }
    std::optional<Event> next(MonoTime until) override {
      if (!lines_.empty()) {
        Event out{Event::Kind::Output, lines_.front()};
        lines_.pop_front();
        return out;
      }
      const MonoTime now = world_.clock_.mono();
      const MonoTime end = std::max(ends_.value_or(MonoTime::max()), now);
      if (end <= until || end == now) {
        world_.clock_.advance(end - now);
        if (how_.cut) end_.code = 0;
        if (closed_) return Event{Event::Kind::End, ""};
        end_.code = how_.code;
        if (nonce_.empty()) return Event{Event::Kind::End, ""};
        return Event{Event::Kind::Output,
                     trailer_line(std::exchange(nonce_, ""), how_.code, std::nullopt)};
      }
      if (until > now) world_.clock_.advance(until - now);
      return std::nullopt;
    }
    const kube::ExecEnd& end() const override { return end_; }
    Result<void> write(std::string_view bytes) override {
      if (trim(bytes) == "done") world_.told_.push_back(name_ + " done"), done_ = true;
      return {};
    }
    Result<void> end_input() override {
      if (!how_.listens) return {};
      if (!done_ && name_.ends_with("/guard")) world_.told_.push_back(name_ + " ran");
      ends_ = world_.clock_.mono();
      return {};
    }
    bool can_end_input() const override { return true; }
    Result<void> resize(int, int) override { return {}; }
    void close() override {
      closed_ = true;
      ends_ = MonoTime(0);
    }

   private:
    void end_without_shell() {
      using model::Object;
      close();
      end_.status =
          Object{{"status", "Failure"},
                 {"reason", "InternalError"},
                 {"message", "exec: \"/bin/sh\": stat /bin/sh: no such file or directory"}};
    }

    ScriptedExec& world_;
    const std::string name_;
    const Scripted how_;
    std::string nonce_;  ///< of its trailer, until that is said
    std::deque<std::string> lines_{};
    std::optional<MonoTime> ends_{};
    kube::ExecEnd end_{};
    bool done_ = false, closed_ = false;
  };

  Scripted how_goes(const std::string& container, const std::string& word) const {
    for (const std::string& name : {container + "/" + word, "/" + word})
      if (const auto found = script_.find(name); found != script_.end()) return found->second;
    return {};
  }

  ManualClock& clock_;
  std::map<std::string, Scripted> script_{};
  std::vector<std::string> told_{};
};

}  // namespace holdfast::protect
