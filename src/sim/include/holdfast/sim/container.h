/// The inside of a container, as far as commands can tell. A model plays with a Program what would
/// really run there.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/kube/cached.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::sim {

/// A command as it was begun in a container.
struct Command {
  kube::Key pod{};
  std::string pod_uid{}, container{};
  std::vector<std::string> words{};
  /// NAME of "/bin/sh -c SCRIPT NAME ARGUMENTS…"; "" of anything else.
  std::string script{};
};

/// What a running command sees and does. It acts when the moment that it asked for has come, and
/// while it listens also when its input ends; act() may come earlier, with neither.
class Inside {
 public:
  virtual ~Inside() = default;
  virtual const Command& command() const = 0;
  virtual MonoTime now() const = 0;
  /// A moment within the next 20 ms, by chance.
  virtual MonoTime soon() = 0;
  /// A pod's annotation sim.holdfast.dev/NAME.
  virtual std::string annotation(std::string_view name) const = 0;

  /// The moment asked for; at first one that is soon.
  virtual void act_at(MonoTime when) = 0;
  virtual bool act_due() const = 0;
  virtual void set_deadline(MonoTime when) = 0;
  virtual bool deadline_passed() const = 0;
  /// The caller ended the input or died, where the network tells.
  virtual bool input_ended() const = 0;

  virtual void say(std::string line) = 0;
  virtual void end(int code) = 0;

  /// Holds the pod's application still: one lock per pod, whoever takes it.
  virtual void lock() = 0;
  virtual void let_go() = 0;
  /// As let_go, by a command that the pod's annotation `stubborn` makes fail. True if it worked.
  virtual bool unlock() = 0;
};

class Program {
 public:
  Program() = default;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  virtual ~Program() = default;
  virtual void begin(Inside&) {}
  virtual void act(Inside& inside) = 0;
  /// What its caller wrote, without white space around it.
  virtual void told(Inside&, std::string_view) {}
  virtual bool listens() const { return false; }
};

}  // namespace holdfast::sim
