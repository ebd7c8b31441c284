/// A driver's model: what the simulation needs of a driver beside its controllers. The simulation
/// names no driver; it plays those whose models it is given.
#pragma once

#include <holdfast/blob/store.h>
#include <holdfast/control/made_for.h>
#include <holdfast/protect/driver.h>
#include <holdfast/sim/container.h>
#include <holdfast/sim/history.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::sim {

/// A promise that was broken: `oracle` names the promise, in one word.
struct Violation {
  std::string oracle{}, text{};
};

/// How a pod fares at this moment: asked, often more than once, when it starts, when it is probed
/// and when it ends.
struct PodFate {
  bool volumes = false;  ///< its claims get volumes before it starts
  int init_code = 0;     ///< how its init containers end; if not 0, they are run again
  bool ready = true;     ///< asked again every few seconds until it is
  /// Exit codes, "1,0" by the number of pods that its owner has started; absent: it runs until it
  /// is deleted.
  std::optional<std::string> exits{};
  std::string message{};  ///< of the container that has ended
  bool works = false;     ///< in place of `exits`: it ends as DriverPart::work says
};

/// How a pod's work ended.
struct PodExit {
  int code = 0;
  std::string message{};  ///< what its container leaves behind
  bool again = false;     ///< it has not ended: the work is begun anew after some seconds
};

/// What a driver's part of a run may look at; it outlives the part.
struct Sight {
  const History& history;
  /// Since when the pod's application is held still, if it is.
  std::function<std::optional<MonoTime>(const std::string& pod_uid)> held_since;
  /// What is on the claim's volume: the claim that it was written on, and a version of data.
  std::function<std::string(const kube::Key& claim)> data_on;
  /// What the bucket holds under the id of a snapshot; "" if it holds none.
  std::function<std::string(const std::string& snapshot_id)> data_saved;
};

/// A driver's part in one run: the state of its containers, its data and its oracles.
class DriverPart {
 public:
  DriverPart() = default;
  DriverPart(const DriverPart&) = delete;
  DriverPart& operator=(const DriverPart&) = delete;
  virtual ~DriverPart() = default;
  /// What the command runs; null: no program of this driver's.
  virtual std::unique_ptr<Program> program(const Command&) { return nullptr; }
  /// Nothing: the pod is not this driver's to play.
  virtual std::optional<PodFate> fate(const model::Value&) { return std::nullopt; }
  /// The real work of a pod, without threads and without waiting but for the bucket's answers.
  /// A pod that is lost or deleted meanwhile gets only errors from the bucket.
  virtual PodExit work(const model::Value&, blob::Store&) { return {}; }
  /// The version of data that the pod's application has written on its claims by now: cuts carry
  /// it on, and what is made of them. Nothing: it writes none.
  virtual std::optional<std::string> written(const model::Value&) { return std::nullopt; }
  /// The claim has got its volume; data that its dataSource names is on it from now on.
  virtual void provided(const model::Value&) {}
  /// The claim is cut at this moment, for that VolumeSnapshot or VolumeGroupSnapshot.
  virtual void cut(const model::Value&, const kube::Key&) {}
  /// Looks at each commit once, in order.
  virtual std::optional<Violation> judge(const Commit&) { return std::nullopt; }
};

/// A word that `await:` and `finally:` understand of the kinds that the model follows: "WORD
/// PLURAL/NAME [ARGUMENT]".
struct Goal {
  struct Asked {
    const model::Value& object;
    std::string_view argument;
    const History& history;
    bool calm;  ///< nothing went wrong in this run, so nothing may have failed
  };
  std::string_view word{};
  bool takes_argument = false;
  std::function<std::optional<std::string>(const Asked&)> unmet{};  ///< what is there instead
};

/// The goals of objects that are asked for something and come to rest with a `status.state`; `busy`
/// says what is still asked of one or under way:
///   settled PLURAL/NAME          nothing is
///   ended PLURAL/NAME REASONS    settled, and Completed unless for one of these reasons (A|B);
///                                where nothing went wrong, Completed
std::vector<Goal> goals_of_runs(std::optional<std::string> (*busy)(const model::Value& object));

/// A word that `always:` understands, checked after each commit.
struct Invariant {
  std::string_view name{};
  std::optional<std::string> (*breach)(const History&, const Commit&) = nullptr;
};

/// How the cuts are known that a driver makes with the windows and hand-overs of `protect`, and
/// what it makes around them. Its pods are played then, its verdicts are judged, and the invariants
/// of cuts (oracles/cuts.h) hold of it too.
struct CutMarks {
  /// A claim of a restore, and the claim whose cut is to be on it.
  struct Restored {
    kube::Key claim{}, of{};
  };
  control::Mark made{};       ///< on all that it makes for an object that cuts
  std::string_view log_of{};  ///< annotation of a claim's second cut, for the log on it
  /// Of an object that has cut, and says now that what it has cut is restored; empty before.
  std::vector<Restored> (*restored)(const model::Value& object) = nullptr;
  /// A claim whose cut is said to be in the bucket, under that id.
  struct Saved {
    kube::Key claim{};
    std::string snapshot_id{};
  };
  /// Of an object that has cut, and says now that what it has cut is backed up; empty before.
  std::vector<Saved> (*saved)(const model::Value& object) = nullptr;
};

struct DriverModel {
  protect::Driver driver{};  ///< `controllers:` of a scenario goes by its name
  /// Kinds whose history is kept, beside those that the simulation keeps of itself. Those that
  /// the driver's controllers are keyed by must be among them: a command in a container is allowed
  /// only while the status of the object that asks for it records an operation under way.
  std::vector<kube::Resource> followed{};
  std::vector<Goal> goals{};
  std::vector<Invariant> invariants{};
  std::optional<CutMarks> cuts{};                                   ///< absent: it makes none
  std::function<std::unique_ptr<DriverPart>(const Sight&)> part{};  ///< absent: it needs none
};

using Models = std::vector<DriverModel>;

}  // namespace holdfast::sim
