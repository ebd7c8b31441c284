/// The containers of the world's pods: commands that run in them, the locks that quiesce their
/// applications, and what becomes of both when a pod, or the operator outside, dies. Which program
/// a command stands for is said by the models of drivers and by world/commands.h.
///
/// Annotations of a pod: sim.holdfast.dev/no-shell (no guard can stand there),
/// sim.holdfast.dev/no-eof (what dies outside is not noticed inside: only deadlines help),
/// sim.holdfast.dev/stubborn: N (the first N unlocks fail).
#pragma once

#include <holdfast/protect/cut/quiesce.h>
#include <holdfast/sim/model.h>

#include "operators/network.h"
#include "world/schedule.h"

#include <deque>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::sim {

using Parts = std::vector<std::unique_ptr<DriverPart>>;

class Containers final : public Actor {
 public:
  using Report = std::function<void(std::string oracle, std::string text)>;
  /// `parts` may be filled later.
  Containers(History& history, Schedule& schedule, Network& network, Random& random,
             const Parts& parts);
  ~Containers() override;

  /// Commands of one process; they are over with it.
  std::unique_ptr<protect::PodExec> exec_of(Life& life);
  void set_report(Report report) { report_ = std::move(report); }
  /// Since when the pod's application is held still, if it is.
  std::optional<MonoTime> held_since(const std::string& pod_uid) const {
    const auto found = locks_.find(pod_uid);
    return found == locks_.end() ? std::nullopt : std::optional(found->second.since);
  }
  bool any_locked() const { return !locks_.empty(); }

  std::string_view name() const override { return "containers"; }
  std::optional<MonoTime> due() override;
  void step() override;

 private:
  class Running;
  class Session;
  using RunningPtr = std::shared_ptr<Running>;

  kube::Reply<std::unique_ptr<kube::ExecSession>> open(Life& life,
                                                       const protect::ExecTarget& target,
                                                       const std::vector<std::string>& words);
  RunningPtr begin(Life& life, const protect::ExecTarget& target,
                   const std::vector<std::string>& words);
  std::unique_ptr<Program> program_of(const Command& command) const;
  void check_intent(const Life& life, const std::vector<std::string>& words);
  bool unlock(const std::string& pod_uid, const std::string& owner);
  /// No object's command touches the lock of another's.
  void check_owner(const std::string& pod_uid, const std::string& owner, std::string_view what);
  void look_at_pods();
  std::string annotation(const kube::Key& pod, std::string_view name) const;
  MonoTime soon() const;
  MonoTime longest(const std::string& pod_uid) const;

  History& history_;
  Schedule& schedule_;
  Network& network_;
  Random& random_;
  const Parts& parts_;
  Report report_{};
  std::list<RunningPtr> commands_{};
  struct Locked {
    MonoTime since{};
    std::string owner{};  ///< the object for which
  };
  std::map<std::string, Locked> locks_{};  ///< by pod uid
  std::map<std::string, int> unlocks_{};   ///< tried, by pod uid
  size_t seen_ = 0;
  uint64_t nonces_ = 0;
};

}  // namespace holdfast::sim
