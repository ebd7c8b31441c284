/// A command in the pod that a move is about, run for its output or on our input. Its end is that
/// of its trailer: half an output cannot be told from a whole one by anything else.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>
#include <holdfast/kube/streams.h>
#include <holdfast/protect/mover.h>
#include <holdfast/protect/trailer.h>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

namespace holdfast::protect {

class PodCommand {
 public:
  /// By the mover's own account. NotFound names the pod or container that is not there.
  static Result<std::unique_ptr<PodCommand>> start(const MoveTask& task,
                                                   const std::vector<std::string>& command,
                                                   bool input, const Clock& clock, Random& random,
                                                   const std::stop_token& stop);
  PodCommand(const PodCommand&) = delete;
  PodCommand& operator=(const PodCommand&) = delete;

  /// Its output; 0 at the end. An error unless it was then seen to have ended with 0.
  Result<size_t> read(char* into, size_t most);
  Result<void> write(std::string_view bytes);
  /// The end of its input; waits for its own, and that all of the input reached it.
  Result<void> finish();
  /// At its end: it was never run, since the container has no shell.
  bool found_no_shell() const { return lacks_shell(session_->end()); }

 private:
  PodCommand(std::string name, std::unique_ptr<net::Client> transport)
      : name_(std::move(name)), transport_(std::move(transport)) {}
  Result<void> ended() const;
  bool take_event();
  void keep_words(std::string_view said);

  const std::string name_;
  const std::unique_ptr<net::Client> transport_;
  std::unique_ptr<kube::Client> client_;
  std::unique_ptr<kube::ExecSession> session_;
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
  std::string output_;  ///< received and not yet read
  size_t read_ = 0;     ///< of it
  std::string errors_;  ///< the last of what it said
};

}  // namespace holdfast::protect
