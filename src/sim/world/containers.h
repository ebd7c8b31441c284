/// The insides of the world's containers, as far as commands that hold an application still can
/// tell: locks, sessions that keep them, guards. What they do when their input ends or their
/// deadline passes is what the scripts of `protect` do.
///
///   sim lock, sim unlock     take the pod's lock, let it go
///   sim lock-hang            takes it and never ends
///   sim lock-late            takes it after three seconds
///   sim hold                 a session: holds it while its input lasts
///
/// Annotations of a pod: sim.holdfast.dev/no-shell (no guard can stand there),
/// sim.holdfast.dev/no-eof (what dies outside is not noticed inside: only deadlines help),
/// sim.holdfast.dev/stubborn: N (the first N unlocks fail).
#pragma once

#include <holdfast/protect/quiesce.h>

#include "operators/network.h"
#include "world/history.h"
#include "world/schedule.h"

#include <deque>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace holdfast::sim {

class Containers final : public Actor {
 public:
  using Report = std::function<void(std::string oracle, std::string text)>;
  Containers(History& history, Schedule& schedule, Network& network, Random& random);

  /// Commands of one process; they are over with it.
  std::unique_ptr<protect::PodExec> exec_of(Life& life);
  void set_report(Report report) { report_ = std::move(report); }
  /// A snapshot of the claim is cut for that action at this moment.
  void note_cut(const std::string& action_uid, const kube::Key& claim);
  /// Whether every cut of the action was made while the pods of its claims held still.
  bool cut_truly(const std::string& action_uid) const { return !loose_.contains(action_uid); }
  bool any_locked() const { return !locks_.empty(); }

  std::string_view name() const override { return "containers"; }
  std::optional<MonoTime> due() override;
  void step() override;

 private:
  friend class SimulatedSession;
  enum class Kind { Other, Lock, Unlock, LockHang, Hold, Guard, Profile, LogCheck };
  struct Command {
    Kind kind = Kind::Other;
    kube::Key pod{};
    std::string pod_uid{};
    Life* life = nullptr;  ///< null: nobody listens any more
    MonoTime acts_at = MonoTime::max(), deadline = MonoTime::max();
    bool input_ended = false, dismissed = false, ended = false;
    bool holds = false;  ///< the lock; of a guard: it has run its posts once
    std::optional<int> code{};
    std::deque<std::string> lines{};
    int posts = 0;           ///< of a guard: unlocks that it would do
    int seconds = 0;         ///< of a profile: its deadline, from its lock on
    bool connected = false;  ///< of a profile
  };
  using CommandPtr = std::shared_ptr<Command>;

  kube::Reply<std::unique_ptr<kube::ExecSession>> open(Life& life,
                                                       const protect::ExecTarget& target,
                                                       const std::vector<std::string>& words);
  CommandPtr begin(Life& life, const protect::ExecTarget& target,
                   const std::vector<std::string>& words);
  void check_intent(const std::vector<std::string>& words);
  void act(Command& command);
  void act_profile(Command& command, bool first, bool over);
  void end(Command& command, int code);
  void lock(const Command& command);
  bool unlock(const std::string& pod_uid);
  bool reads_end(const Command& command) const;
  void look_at_pods();
  std::string annotation(const kube::Key& pod, std::string_view name) const;
  MonoTime soon() const;
  MonoTime longest(const std::string& pod_uid) const;

  History& history_;
  Schedule& schedule_;
  Network& network_;
  Random& random_;
  Report report_{};
  std::list<CommandPtr> commands_{};
  std::map<std::string, MonoTime> locks_{};     ///< by pod uid: since when
  std::map<std::string, MonoTime> released_{};  ///< by pod uid: when a base backup ended
  std::map<std::string, int> unlocks_{};        ///< tried, by pod uid
  std::set<std::string> loose_{};               ///< actions with a cut outside of any lock
  size_t seen_ = 0;
};

}  // namespace holdfast::sim
