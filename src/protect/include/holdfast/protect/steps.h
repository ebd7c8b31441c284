/// Steps of a run as its status shows them: the state of each, with times and what went wrong; and
/// what the run made.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/model/fields.h>

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::protect {

/// Of a run and of each of its steps. A step is never Restoring, a run never Skipped.
enum class RunState { Pending, Started, Restoring, Completed, Error, Skipped };
constexpr auto words(RunState) {
  return std::array{
      std::pair{RunState::Pending, "Pending"},     std::pair{RunState::Started, "Started"},
      std::pair{RunState::Restoring, "Restoring"}, std::pair{RunState::Completed, "Completed"},
      std::pair{RunState::Error, "Error"},         std::pair{RunState::Skipped, "Skipped"}};
}

struct Step {
  std::string name{}, error{}, started_at{}, finished_at{}, pod{};
  RunState state = RunState::Pending;
  template <class V>
  void fields(V& v) {
    v.required("name", name, "name of the step");
    v.required("state", state, "Pending, Started, Completed, Error or Skipped");
    v.optional("error", error, "reason why the step failed or was skipped");
    v.optional("pod", pod, "pod where the command ran");
    v.optional("startedAt", started_at, "start of the step");
    v.optional("finishedAt", finished_at, "end of the step");
  }
};

struct ReferenceResource {
  std::string kind = "PersistentVolumeClaim", name{}, ns{};
  std::map<std::string, std::vector<std::string>> items{};
  template <class V>
  void fields(V& v) {
    v.required("kind", kind, "kind of the member");
    v.required("name", name, "name of the member");
    v.required("namespace", ns, "namespace of the member");
    v.optional("items", items, "objects made for the member, by kind: volume, snapshot, backup, …");
  }
};

struct References {
  std::vector<ReferenceResource> resources{};
  template <class V>
  void fields(V& v) {
    v.optional("resources", resources, "entries, one per claim");
  }
};

struct RunStatus {
  std::vector<Step> running{}, last{};
  References references{};
  std::string started{}, stopped{};
  template <class V>
  void fields(V& v) {
    v.optional("running", running, "steps of the run under way");
    v.optional("last", last, "steps of the last run");
    v.optional("references", references, "objects that the run made");
    v.optional("started", started, "start of the run", {.format = "date-time"});
    v.optional("stopped", stopped, "end of the run", {.format = "date-time"});
  }
};

/// All steps of that name: what runs in several pods stands there once for each.
void tell_step(std::vector<Step>& steps, std::string_view name, RunState state,
               const std::string& error, WallTime now);
/// Whether the run, or the last one, has begun the step of that name.
bool has_begun(const RunStatus& run, std::string_view name);
/// The run is over: what was under way ends so, what was to come is left out, and these are the
/// last steps now.
void end_run(RunStatus& run, RunState state, const std::string& message, WallTime now);

}  // namespace holdfast::protect
