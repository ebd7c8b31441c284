/// The parts of a controller and the walk of one pass through them.
#pragma once

#include <holdfast/control/controller.h>

#include "loop/gate.h"
#include "loop/journal.h"
#include "loop/pass.h"
#include "loop/refusals.h"
#include "loop/restlessness.h"
#include "loop/sender.h"
#include "loop/waits.h"

#include <atomic>
#include <map>
#include <memory>

namespace holdfast::control {

/// Back-offs at their longest: whoever gave a right back, or a server that is back, is not to wait
/// for long until it is noticed.
inline constexpr std::chrono::microseconds kLongestRefused = std::chrono::minutes(1);
inline constexpr std::chrono::microseconds kLongestAway = std::chrono::seconds(30);

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
  Ended failed(const kube::Key& key, const Error& error, const Decided& by);
  Ended act(const kube::Key& key, const Outcome& outcome, const Decided& by);
  Ended write(const kube::Key& key, const Write& write, const Decided& by);
  Ended operate(const kube::Key& key, const Operation& operation, const Decided& by);
  /// Asks the server whether the owner, with an intent that this process did not write, is still as
  /// it was seen. False: the key comes back once the caches have caught up.
  bool stands_as_seen(const kube::Key& key, const Operation& operation);
  Ended run(const kube::Key& key, const Operation& operation, const Decided& by);
  Ended record_outcome(const kube::Key& key, const Operation& operation, const Decided& by);
  Ended after_write(const kube::Key& key, const Write& write, Sent sent, const Decided& by);
  Ended acted(const kube::Key& key, const Write& write, const model::Value& answer);
  Ended refused(const kube::Key& key, const Write& write, kube::Failure failure, const Decided& by);
  /// Puts what is refused on the object, if that is news; then the key comes back after `delay`,
  /// whatever changes: this write is among what changes.
  void tell_refusal(const kube::Key& key, const Decided& by, std::chrono::microseconds delay);
  Ended unavailable(const kube::Key& key, const Write& write, const kube::Failure& failure);
  std::vector<Barrier> barriers(const Write& write, const model::Value& answer) const;
  void come_back(const kube::Key& key);
  void rest(const kube::Key& key);
  /// Into the log and the metrics, if it is news.
  void tell_wait(const kube::Key& key, const Outcome& outcome);
  void note(const kube::Key& key, const Note& note);
  /// The object that the key names, as the cache has it; nothing if it is not there.
  kube::Cached subject_of(const kube::Key& key) const;
  std::string text(const kube::Key& key) const;

  Caches caches_;
  std::unique_ptr<Reconciler> reconciler_;
  Gate gate_{};
  Journal journal_{};
  Restlessness restlessness_{};
  Waits waits_;
  Refusals refusals_;
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
