/// A running command in a pod: its lines, the tail of its standard error, its end.
#pragma once

#include <holdfast/protect/cut/quiesce.h>

#include <deque>
#include <optional>

namespace holdfast::protect {

class RunningCommand {
 public:
  /// `bare`: without a trailer, by the servers' word.
  explicit RunningCommand(std::unique_ptr<kube::ExecSession> session, bool bare = false)
      : session_(std::move(session)), bare_(bare) {}

  /// The next whole line of its output; nothing if none comes until then, or at its end. What it
  /// prints beyond its lines is let go: nobody's memory grows by what a command says.
  std::optional<std::string> line(MonoTime until);
  /// Waits for its end; false if it has not come until then.
  bool ended(MonoTime until);
  /// Takes note of what came meanwhile, without waiting. False if it has ended.
  bool alive();

  void tell(std::string_view line);
  /// For a command that needs no input: it reads its end, where that can be said.
  void end_input();
  /// Its input ends; where only the session can end, that.
  void release();
  void close() { session_->close(); }

  bool is_over() const { return over_; }
  /// Its end was told, not only that of the session: otherwise it may still run.
  bool end_is_known() const { return over_ && session_->end().code.has_value(); }
  /// And seen, not only told: a server that is lost on the way says 0, and nothing else.
  bool ended_for_certain() const { return end_is_known() && !(bare_ && ended_well()); }
  bool ended_well() const { return over_ && session_->end().code == 0; }
  /// It was never begun.
  bool found_no_shell() const { return over_ && lacks_shell(session_->end()); }
  /// "exit code 3: the last it said", or why its end is not known.
  std::string how_it_ended() const;

 private:
  /// False if nothing came until then.
  bool take(MonoTime until);

  std::unique_ptr<kube::ExecSession> session_;
  const bool bare_;
  std::deque<std::string> lines_{};
  std::string partial_{}, errors_{};
  bool over_ = false;
};

}  // namespace holdfast::protect
