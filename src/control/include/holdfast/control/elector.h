/// One leader at a time, by a Lease, and the fence that keeps a leader who lost it from writing.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/mutex.h>
#include <holdfast/base/random.h>
#include <holdfast/kube/client.h>

#include <optional>
#include <string>

namespace holdfast::control {

/// Until when writes may start. Read on the monotonic clock just before each send: others take
/// over no earlier than the lease's length after they saw our last renewal, which is after we sent it. Safe to use
/// from many threads.
class Fence {
 public:
  /// Without leader election: always open, epoch 0.
  static Fence open();
  Fence();  ///< closed until moved

  struct Permit {
    bool granted = false;
    int64_t epoch = 0;  ///< leaseTransitions of our term
  };
  /// Granted if a request that begins now and lasts `limit` ends before the lease does.
  Permit ask(MonoTime now, std::chrono::microseconds limit) const;
  void move(MonoTime until, int64_t epoch);
  void close();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

struct ElectorSettings {
  std::string ns{}, name = "holdfast-operator";
  std::string identity{};  ///< hostname_uuid
  std::chrono::milliseconds lease{15000}, renew_within{10000}, retry{2000};
};

/// Passive: step() makes at most one get and one write, when due.
class Elector {
 public:
  Elector(ElectorSettings settings, kube::Client& client, const Clock& clock, Random& random);
  MonoTime due() const;
  void step();
  enum class State { Following, Leading, Lost };
  /// Lost is final: the process must end, and another incarnation may try again.
  State state() const;
  std::string leader() const;  ///< identity last seen in the lease
  Fence& fence();
  /// Gives the lease up, so that the next one need not wait for its end.
  void release();

 private:
  struct Seen;
  ElectorSettings settings_;
  kube::Client& client_;
  const Clock& clock_;
  Random& random_;
  Fence fence_;
  // … chosen by the implementation
};

}  // namespace holdfast::control
