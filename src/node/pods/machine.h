/// State machine of one pod: its next action, decided from its definition and from what has
/// happened to its containers so far. Pure: it is told of events and the time, and hands out
/// actions. The rules are kubelet's.
///
///   Prepare → init containers, one after the other (sidecars stay) → containers → restarts …
///                        asked to go, past its deadline, all done → stop → Finish
#pragma once

#include "pods/pod.h"
#include "shim/records.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::node {

struct Action {
  enum class Kind { Prepare, Start, PostStart, PreStop, Signal, Finish };
  Kind kind = Kind::Prepare;
  std::string container{};
  int64_t attempt = 0;  ///< Start
  int signal = 0;       ///< Signal
  std::string why{};    ///< Signal, PreStop: for the event
};

/// Of one container; `record` is its latest run.
struct ContainerState {
  enum class Hook { None, Running, Done };

  std::optional<ContainerRecord> record{}, previous{};
  bool starting = false;  ///< asked for, not yet answered
  std::string waiting_reason{}, waiting_message{};
  MonoTime retry_at{0};  ///< not before, after a refusal
  MonoTime pull_at{0};   ///< the image is not pulled before
  std::chrono::seconds pull_pause{0};

  std::chrono::seconds crash_pause{0};  ///< kubelet's back-off of this container
  MonoTime crash_updated{0};
  MonoTime exited_at{0}, started_at{0};

  Hook post_start = Hook::None, pre_stop = Hook::None;
  bool stopping = false;
  std::string stop_why{};
  MonoTime stop_began{0};
  std::chrono::milliseconds stop_grace{0};
  bool term_sent = false, kill_sent = false;

  bool started = false, ready = false;  ///< what its probes say, or their absence
  std::string termination_message{}, previous_message{};

  bool running() const { return record && record->running(); }
  bool exited() const { return record && record->exited(); }
  bool succeeded() const { return exited() && record->exit_code == 0; }
  int64_t restarts() const { return record ? record->attempt : 0; }
};

class PodMachine {
 public:
  PodMachine(Pod pod, MonoTime now);

  /// A newer version of the same pod.
  void update(Pod pod);
  /// The object is gone from the server: everything ends.
  void removed(MonoTime now);
  /// The pod's start, as first reported: what its deadline counts from.
  void started_before(std::chrono::seconds ago, MonoTime now);
  /// The machine itself goes down: as a deletion, but the pod stays.
  void leave(std::chrono::seconds grace, MonoTime now);

  std::optional<Action> next(MonoTime now);
  /// When next() may say more without an event.
  std::optional<MonoTime> wake(MonoTime now) const;

  // What has happened.
  void prepared();
  void not_prepared(std::string reason, std::string message, MonoTime retry_at);
  void on_record(const ContainerRecord& record, MonoTime now);
  /// The container could not be asked for. `pull`: its image is not there.
  void refused(const std::string& container, std::string reason, std::string message, bool pull,
               MonoTime now);
  /// Still within the pause after a pull that failed.
  void pull_later(const std::string& container, std::string message);
  void hook_done(const std::string& container, Action::Kind which, bool well, MonoTime now);
  void probed(const std::string& container, bool started, bool ready);
  /// A probe gave the container up.
  void unhealthy(const std::string& container, const std::string& why,
                 std::optional<std::chrono::seconds> grace, MonoTime now);
  /// Runs found from before; those whose end nobody saw count as ended, and all begins anew.
  void adopt(const std::vector<ContainerRecord>& records, bool alive, MonoTime now);
  void ended(std::string reason, std::string message);
  void finished() { finished_ = true; }

  const Pod& pod() const { return pod_; }
  const ContainerState& of(const std::string& container) const;
  ContainerState& of(const std::string& container);
  bool is_prepared() const { return prepared_; }
  bool is_stopping() const { return stopping_; }
  bool is_finished() const { return finished_; }
  bool initialized() const;
  /// Why the pod as a whole was ended by the node: DeadlineExceeded, …; "" otherwise.
  const std::string& end_reason() const { return end_reason_; }
  const std::string& end_message() const { return end_message_; }
  const std::string& waiting_reason() const { return waiting_reason_; }
  const std::string& waiting_message() const { return waiting_message_; }
  /// Pending, Running, Succeeded or Failed. The last two only when no container runs any more:
  /// others take a pod that ended for one whose volumes are free.
  std::string phase() const;
  /// Runs, but its postStart hook has not ended: kubelet does not report it before.
  bool in_post_start(const ContainerDef& def) const;
  /// Whether it is started again after the end that its state tells of.
  bool restarts(const ContainerDef& def, const ContainerState& state) const;
  bool crash_looping(const std::string& container, MonoTime now) const;

 private:
  std::string phase_reached() const;
  std::optional<Action> next_start(MonoTime now);
  std::optional<Action> start(const ContainerDef& def, ContainerState& state, MonoTime now);
  std::optional<Action> next_stop(MonoTime now);
  std::optional<Action> stop(const ContainerDef& def, ContainerState& state, MonoTime now);
  std::optional<Action> hooks(MonoTime now);
  bool mains_over() const;
  void begin_stop(ContainerState& state, std::string why, std::chrono::milliseconds grace,
                  MonoTime now) const;
  MonoTime pause_end(const ContainerState& state) const;
  void stop_pod(std::chrono::seconds grace, MonoTime now);

  Pod pod_;
  std::map<std::string, ContainerState> states_;
  bool preparing_ = false, prepared_ = false, stopping_ = false, finishing_ = false,
       finished_ = false;
  MonoTime prepare_at_{0};
  MonoTime began_{0}, stop_began_{0};
  std::chrono::seconds stop_grace_{0};
  std::string end_reason_, end_message_, waiting_reason_, waiting_message_;
};

}  // namespace holdfast::node
