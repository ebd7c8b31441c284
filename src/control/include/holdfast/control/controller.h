/// The loop of one controller: changes in, passes out. Passive; a worker thread or the simulation
/// steps it.
#pragma once

#include <holdfast/control/elector.h>
#include <holdfast/control/events.h>
#include <holdfast/control/metrics.h>
#include <holdfast/control/queue.h>
#include <holdfast/control/reconciler.h>

#include <map>
#include <memory>
#include <vector>

namespace holdfast::control {

/// What every controller of a process shares.
struct Shared {
  kube::Informers& informers;
  kube::Client& client;
  const Clock& clock;
  Fence fence;
  EventRecorder& events;
  Metrics& metrics;
  /// Each write says in a header which pass of which key in which epoch decided it, on which
  /// versions: the simulation judges by the server's log.
  bool say_basis = false;
};

/// A watch without answers, and why: code and text of the last trouble. Both empty: none yet.
struct Unheard {
  kube::Scope scope{};
  kube::Reflector::Trouble trouble{};
};

/// What it takes care of, whatever the reconciler is:
///  (a) a key waits until the caches hold its own last acknowledged write: after each write the
///      versions it must have seen stand in `barriers`, and the key is put back until they have;
///  (b) preconditions of a Write are sent as they are;
///  (c) the fence is asked just before each send; refused = the pass is given up, nothing is sent;
///  (d) an Operation runs only with its intent in the status seen;
///  (e) an exception is one retry.
/// A write without an answer: the key comes back after its back-off with a barrier on what the
/// server holds by then, read live. A name that already exists with our owner is success; with
/// another it is refused, as any write that the server will not have: the event says why, and the
/// key comes back after its back-off. A key that writes the same object a thousand times in a
/// minute without coming to rest is slowed down, with a warning.
class Controller {
 public:
  Controller(ControllerSpec spec, Shared shared);
  ~Controller();

  const std::string& name() const;
  const std::string& part() const;
  std::chrono::milliseconds longest_operation() const;
  Queue& queue();
  /// Whether the first list of everything it watches is there. It must not be stepped before.
  bool synced() const;
  /// What the server does not tell it at present: of caches that are empty still, and of those
  /// whose kind is gone or was forbidden since.
  std::vector<Unheard> unheard() const;
  /// Takes the next ready key and makes one pass; false if none is ready.
  bool step();
  bool step(const kube::Key& key);
  /// From a source that is no watch: a timer, another controller, a person.
  void enqueue(const kube::Key& key);

 private:
  struct Body;
  std::shared_ptr<Body> body_;  ///< watched objects may still change while it ends
};

}  // namespace holdfast::control
