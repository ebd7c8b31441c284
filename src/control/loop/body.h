/// The parts of a controller and the walk of one pass through them.
#pragma once

#include <holdfast/control/controller.h>

#include "loop/gate.h"
#include "loop/journal.h"
#include "loop/pass.h"
#include "loop/restlessness.h"
#include "loop/sender.h"
#include "loop/waits.h"

#include <atomic>
#include <map>
#include <memory>

namespace holdfast::control {

/// The object's resourceVersion as a number, 0 if it has none.
uint64_t version_of(const model::Value& object);

struct Controller::Body {
  Body(ControllerSpec chosen, Shared parts);

  /// Changes of the watches, into the queue. Not the constructor's: they hold a weak reference.
  static void listen(const std::shared_ptr<Body>& self);
  void changed(const Watch& watch, const kube::Change& change);
  void enqueue(const kube::Key& key, int priority);
  bool synced() const;
  std::vector<Unheard> unheard() const;
  /// One key from the queue and back: gate, pass, outcome.
  void work(const Queue::Work& work);

  const ControllerSpec spec;
  Shared shared;
  Queue queue{};

 private:
  using Ended = Metrics::Ended;
  /// Why a key may not be looked at yet: it has been queued again.
  bool held_back(const Queue::Work& work);
  bool learn_what_is_there(const kube::Key& key, const Gate::Unanswered& what);
  /// Until the caches hold what the server has now: the object `there`, or none of it.
  void hold_until_told(const kube::Key& key, const Gate::Unanswered& what,
                       const kube::Reply<model::Value>& there);
  Ended pass(const kube::Key& key);
  Ended conclude(const kube::Key& key, Outcome outcome, const Decided& by);
  Ended failed(const kube::Key& key, const Error& error);
  Ended act(const kube::Key& key, const Outcome& outcome, const Decided& by);
  Ended write(const kube::Key& key, const Write& write, const Decided& by);
  Ended operate(const kube::Key& key, const Operation& operation, const Decided& by);
  /// Asks the server whether the owner, with an intent that this process did not write, is still as
  /// it was seen. False: the key comes back once the caches have caught up.
  bool stands_as_seen(const kube::Key& key, const Operation& operation);
  Ended run(const kube::Key& key, const Operation& operation, const Decided& by);
  Ended record_outcome(const kube::Key& key, const Operation& operation, const Decided& by);
  Ended after_write(const kube::Key& key, const Write& write, Sent sent);
  Ended acted(const kube::Key& key, const Write& write, const model::Value& answer);
  Ended refused(const kube::Key& key, const Write& write, kube::Failure failure);
  Ended unavailable(const kube::Key& key, const Write& write, const kube::Failure& failure);
  std::vector<Barrier> barriers(const Write& write, const model::Value& answer) const;
  void come_back(const kube::Key& key);
  void rest(const kube::Key& key);
  /// Into the log and the metrics, if it is news.
  void tell_wait(const kube::Key& key, const Outcome& outcome);
  void note(const kube::Key& key, const Note& note);
  std::string text(const kube::Key& key) const;

  Caches caches_;
  std::unique_ptr<Reconciler> reconciler_;
  Gate gate_{};
  Journal journal_{};
  Restlessness restlessness_{};
  Waits waits_;
  mutable std::atomic<bool> synced_{false};  ///< once is for good
  std::atomic<uint64_t> passes_{0};
  std::atomic<int> active_{0};
  Mutex mutex_;
  /// Of keys that are not well: other writes of theirs do not end their back-off.
  struct Trouble {
    std::shared_ptr<const kube::Failure> refusal{};  ///< of the last write
    bool operation_failed = false;
  };
  std::map<kube::Key, Trouble> troubles_ HF_GUARDED_BY(mutex_);
};

}  // namespace holdfast::control
