/// What a pass came to: exactly four ways out. Read by the controller loop, compared in tests.
#pragma once

#include <holdfast/control/operation.h>
#include <holdfast/control/write.h>

#include <chrono>
#include <string>
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
};

}  // namespace holdfast::control
