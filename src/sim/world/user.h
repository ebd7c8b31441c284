/// The user of the world: carries out a scenario's workload one step after the other, and the
/// edits and deletions that faults ask for.
#pragma once

#include <holdfast/sim/history.h>

#include "scenario.h"
#include "world/schedule.h"
#include "world/server.h"

namespace holdfast::sim {

class User final : public Actor {
 public:
  User(Server& server, History& history, const ManualClock& clock, const Scenario& scenario,
       const Models& models);

  std::string_view name() const override { return "user"; }
  std::optional<MonoTime> due() override;
  void step() override;

  /// Told of each step of the workload that is over, by its number from 0.
  void set_observer(std::function<void(size_t)> observer) { observer_ = std::move(observer); }
  /// Told when the bucket goes away, and when it comes back.
  void set_bucket(std::function<void(bool away)> bucket) { bucket_ = std::move(bucket); }
  bool done() const { return at_ == scenario_.workload.size(); }
  /// "step 3, await rolled-out statefulsets/db: 2 of 3 replicas"; the world is stuck there.
  std::string waits_for() const;
  /// A step that the server refused in a way that no fault explains: the scenario is wrong.
  const std::string& trouble() const { return trouble_; }

  void edit(uint64_t pick);
  /// Deletes PLURAL/NAME and creates it again as the workload did, with a new UID.
  void recreate(const std::string& subject);

 private:
  Result<model::Value> send(const Step& step);
  void carry_out(const Step& step, bool expected);
  void create_again();
  void make(const Step& step);
  bool ready_for(const Step& step);

  Server& server_;
  History& history_;
  const ManualClock& clock_;
  const Scenario& scenario_;
  const Models& models_;
  Caller caller_;
  size_t at_ = 0;
  MonoTime since_{};  ///< when the step began
  size_t seen_ = 0;   ///< commits at the last look at the goal
  bool met_ = false;
  std::vector<model::Value> again_;  ///< to be created once the name is free
  std::string trouble_;
  std::function<void(size_t)> observer_;
  std::function<void(bool)> bucket_;
};

}  // namespace holdfast::sim
