/// Scheduler, nodes and volumes of the world, as far as controllers can tell: pods are bound,
/// become Ready, end as they were told to, and go once they are being deleted; claims are bound.
///
/// How a pod ends is said by its annotation sim.holdfast.dev/exit: "0" succeeds, "1" fails, "1,1,0"
/// by the number of pods that its owner has started. Without it a pod runs until it is deleted. The
/// claims of pods that say sim.holdfast.dev/volumes get volumes. Of pods that a part plays, a
/// driver's model or the movers of data moves (data/movers.h), it is the part that says all this.
#pragma once

#include <holdfast/sim/history.h>

#include "world/pod_work.h"
#include "world/schedule.h"
#include "world/storage.h"

#include <array>
#include <map>
#include <set>
#include <string>

namespace holdfast::sim {

inline constexpr std::array<std::string_view, 3> kNodes = {"node-a", "node-b", "node-c"};

class Kubelet final : public Actor {
 public:
  Kubelet(Server& server, History& history, const ManualClock& clock, Random& random,
          Storage& storage, const Parts& parts, PodWork& work);

  std::string_view name() const override { return "kubelet"; }
  std::optional<MonoTime> due() override;
  void step() override;

  // What may befall what it runs; `pick` chooses among what is there.
  void lose_pod(uint64_t pick);
  void delete_pod(uint64_t pick);
  void lose_node(uint64_t pick, MonoTime until);

 private:
  enum class Work { Bind, Start, Probe, Exit, Finish, Evict, BindClaim };
  struct Task {
    Work work = Work::Bind;
    MonoTime when{};
    kube::Key key{};
  };
  void look();
  void consider(const Commit& commit);
  void plan(const std::string& uid, Work work, const kube::Key& key, MonoTime within);
  void forget(const std::string& uid);
  void carry_out(const std::string& uid, const Task& task);
  void start(const model::Value& pod, const kube::Key& key);
  void run_init(const model::Value& pod, const kube::Key& key, int code);
  void probe(const model::Value& pod, const kube::Key& key);
  /// Of the model that plays the pod.
  std::optional<PodFate> fate_of(const model::Value& pod) const;
  /// What its annotation says; "" if it has no end.
  std::string exit_codes(const model::Value& pod) const;
  void end(const model::Value& pod, const kube::Key& key);
  void end(const model::Value& pod, const kube::Key& key, const PodExit& exit);
  void begin_work(const ObjectPtr& pod, const kube::Key& key);
  void set_status(const kube::Key& key, const std::string& uid, model::Value status);
  void remove(const kube::Key& key, std::string_view uid, int64_t grace);
  bool lost(std::string_view node) const;
  std::string_view choose_node();
  ObjectPtr choose_pod(uint64_t pick) const;

  Server& server_;
  History& history_;
  const ManualClock& clock_;
  Random& random_;
  Storage& storage_;
  const Parts& parts_;
  PodWork& work_;
  Caller caller_;
  size_t seen_ = 0;
  std::map<std::string, Task> tasks_;  ///< by uid
  std::set<std::pair<MonoTime, std::string>> queue_;
  std::map<std::string, int> started_;  ///< pods started, by the owner's uid
  std::map<std::string, MonoTime, std::less<>> lost_nodes_;
  int addresses_ = 0;
};

}  // namespace holdfast::sim
