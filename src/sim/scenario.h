/// A scenario, as tests/scenarios/NAME.yaml says it:
///
///   why: what would be lost if this broke, in one sentence
///   seed: 7                          of the schedule without faults and of the first storm
///   controllers: replicaset,deployment    those that run: of `workloads` and `protect` by name, of
///                                    drivers by the driver's; `ledger` is the simulation's own
///   operators: 2                     default 1; more than one elect a leader
///   restart: 1s                      so long after its death an operator is started again
///   workload:                        what a user does, one after the other
///   - create: {…}                    an object; of the namespace `admins` if it says so
///   - patch: statefulsets/db         a merge patch
///     with: {…}
///   - delete: statefulsets/db        in the background; `cascade: Orphan` or Foreground
///     as: alice                      of these three: by a user who is no administrator, with the
///                                    rights of Roles and RoleBindings that the workload creates
///     refused: true                  and the server is to forbid it
///   - await: rolled-out statefulsets/db     a goal (oracles/goals.h)
///   - wait: 5s                       with `requests: 12`: a budget for this time, as below
///   - bucket: away                   no request to it arrives any more; `bucket: back`: again
///   edits: [{patch: …, with: …}]     what the fault user-edit does
///   faults:
///   - {crash: every-write}           two runs for each write of the run without faults: dead
///                                    before its reply, dead after it; around-every-write: also
///                                    dead before the server gets it
///   - {cut: every-stream}            two runs for each command that is run in a pod: its stream
///                                    ends early, before its first line of output and after it
///   - {storm: 20, of: [pause, …], among: [pods], recreate: [statefulsets/db]}
///                                    so many runs with random faults of these kinds; whose
///                                    watches and lists suffer; what is made again
///   - {at: 3s, do: …}                in every run but the first (faults/faults.h)
///   always: [no-extra-pods]          after each commit (oracles/invariants.h)
///   finally: [same-end-state, …]     goals, and comparisons with the run without faults;
///                                    `requests <= 900`: a budget of what operators send until all
///                                    is quiet, watches and leases not counted. Exceeding it is a
///                                    violation of the run without faults.
///
/// An element {repeat: N, each: X} of any list stands for N elements X, with $i in their strings
/// being 1 … N.
#pragma once

#include <holdfast/base/result.h>
#include <holdfast/model/json.h>
#include <holdfast/sim/model.h>

#include "faults/faults.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::sim {

struct Step {
  enum class Kind { Create, Patch, Delete, Await, Wait, Bucket };
  Kind kind = Kind::Create;
  std::string subject{};  ///< PLURAL/NAME, or the goal of Await
  model::Value object{};  ///< of Create and Patch
  std::string cascade = "Background";
  std::string as{};      ///< "" = an administrator
  bool refused = false;  ///< Forbidden is what is expected
  bool away = false;     ///< of Bucket
  MonoTime lasts{};
  std::optional<uint64_t> most_requests{};  ///< of Wait
};

struct Scenario {
  std::string name{}, why{};
  uint64_t seed = 1;
  std::string controllers{};
  uint64_t operators = 1;
  MonoTime restart = std::chrono::seconds(1);
  std::vector<Step> workload{}, edits{};
  std::vector<Mishap> faults{};  ///< of every run
  bool crash_at_every_write = false, crash_before_writes = false, cut_every_stream = false;
  uint64_t storms = 0;
  std::vector<Do> storm_of{};
  std::vector<std::string> always{}, goals{};
  /// What storms may pick from: resources that the workload touches, and what it creates.
  std::vector<std::string> watched{}, recreatable{};
  bool same_end_state = false, same_counts = false;
  std::optional<uint64_t> most_requests{};

  /// Whether that name stands in `controllers`.
  bool runs(std::string_view controller) const;
};

/// Invalid names the file's member. Unknown members, goals, faults and invariants are refused.
Result<Scenario> scenario_from_yaml(const std::string& name, std::string_view text,
                                    const Models& models);

}  // namespace holdfast::sim
