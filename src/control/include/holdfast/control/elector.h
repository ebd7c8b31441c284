/// Leader election by a Lease, and the fence that keeps a leader who lost it from writing.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/mutex.h>
#include <holdfast/base/random.h>
#include <holdfast/kube/client.h>

#include <memory>
#include <optional>
#include <string>

namespace holdfast::control {

/// Until when writes may start. Read on the monotonic clock just before each send: others take
/// over no earlier than the lease's length after they saw our last renewal, which is after we sent
/// it. Copies share one state. Safe to use from many threads.
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

/// No lease is believed for longer, whatever it says: who writes one once would keep all candidates
/// away for as long as he likes. None may be asked for that is longer.
inline constexpr std::chrono::milliseconds kLongestLease = std::chrono::minutes(5);

struct ElectorSettings {
  std::string ns{}, name = "holdfast-operator";
  std::string identity{};  ///< hostname_uuid
  std::chrono::milliseconds lease{15000}, renew_within{10000}, retry{2000};
};

/// Passive: step() makes at most one get and one write, when due. Stepped by one thread; the rest
/// may be asked from any.
///
///   spec.holderIdentity        "" = given up
///   spec.leaseDurationSeconds  others wait this long after they last saw the lease change
///   spec.acquireTime, renewTime   MicroTime, for people; nobody decides by another machine's clock
///   spec.leaseTransitions      grows with each change of holder: the epoch
class Elector {
 public:
  Elector(ElectorSettings settings, kube::Client& client, const Clock& clock, Random& random);
  MonoTime due() const;
  void step();
  enum class State { Following, Leading, Lost };
  /// Lost is final: the process must end, and another incarnation may try again.
  State state() const;
  std::string leader() const;  ///< identity last seen in the lease
  /// Why it is lost: another holds it, and which, or it could not be renewed. Empty until then.
  std::string loss() const;
  Fence& fence();
  /// Gives the lease up, so that the next one need not wait for its end. Only when no write is
  /// under way any more: the next one may write at once. Lost afterwards.
  void release();

 private:
  /// The lease as it stood when it last changed under our eyes.
  struct Seen {
    model::Value lease{};
    MonoTime since{};
  };
  kube::Client once() const;
  /// One try to get or keep the lease; true if we hold it until the fence says otherwise.
  bool hold();
  bool write_lease(const model::Value& lease, bool exists);
  model::Value wanted(const model::Value& lease, bool again) const;
  bool held_by_us(const model::Value& lease) const;
  void observe(model::Value lease, MonoTime when);
  void tell(std::string_view what, const Error& error);
  void lose(const std::string& why);
  void lead(int64_t epoch, MonoTime sent);

  std::string told_{};  ///< why the lease cannot be had
  const ElectorSettings settings_;
  kube::Client& client_;
  const Clock& clock_;
  Random& random_;
  Fence fence_;
  std::optional<Seen> seen_{};  ///< of the stepping thread alone
  bool stale_ = true;           ///< `seen_` may not be what the server holds: get before writing
  MonoTime renewed_{};          ///< when the last renewal that succeeded was sent
  mutable Mutex mutex_;
  State state_ HF_GUARDED_BY(mutex_) = State::Following;
  MonoTime due_ HF_GUARDED_BY(mutex_){};
  std::string leader_ HF_GUARDED_BY(mutex_){}, loss_ HF_GUARDED_BY(mutex_){};
};

}  // namespace holdfast::control
