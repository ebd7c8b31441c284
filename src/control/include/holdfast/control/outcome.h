/// Outcome of a pass: exactly four ways out. Read by the controller loop, compared in tests.
#pragma once

#include <holdfast/control/operation.h>
#include <holdfast/control/write.h>

#include <chrono>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace holdfast::control {

class Outcome {
 public:
  enum class Kind {
    Act,   ///< one effect; the key comes back once the cache has seen it
    Wait,  ///< look again after a while, or when something watched changes
    Done,  ///< nothing to do until something watched changes
    Stop,  ///< cannot go on until a person changes something; never retried by itself
  };

  static Outcome act(Write write);
  static Outcome act(Operation operation);
  /// An effect outside the server, which a pure plan can only name: an Act whose operation has a
  /// name and no `run`. The controller answers it in the same pass, in one of two ways:
  ///   it fills in `resource`, `owner` and `run`: the effect is journaled (operation.h);
  ///   it carries the effect out at once, adds the result to what was seen, and plans again: only
  ///   for what may be done twice.
  /// The loop accepts no outcome that is still unanswered (HF_CHECK).
  static Outcome ask(std::string name, int64_t attempt = 1);
  /// The reason, one word for what it waits for, is in the metric holdfast_waiting; with a message,
  /// the log says both once, without one only in its debug lines. Not in the object: a write each
  /// time a run waits for something else would double its requests, which scenarios bound, and what
  /// a person has to know a plan reports as a condition of its own.
  static Outcome wait(std::chrono::milliseconds again, std::string reason,
                      std::string message = "");
  static Outcome done(std::string reason = "", std::string message = "");
  static Outcome stop(std::string reason, std::string message);

  Kind kind = Kind::Done;
  std::variant<std::monostate, Write, Operation> effect{};
  std::chrono::milliseconds again{0};
  std::string reason{}, message{};
  std::vector<Note> notes{};  ///< events to record whatever the way out

  const Write* write() const { return std::get_if<Write>(&effect); }
  const Operation* operation() const { return std::get_if<Operation>(&effect); }
  /// The name of what is asked for; "" if nothing is.
  std::string_view asked() const;
};

}  // namespace holdfast::control
