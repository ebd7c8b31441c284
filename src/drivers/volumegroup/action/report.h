/// A status of an action to be written: what changed since it was seen, and why.
#pragma once

#include <holdfast/control/report.h>

#include "action/seen.h"

namespace holdfast::drivers::volumegroup {

class ActionReport : public control::Report<VolumeGroupAction> {
 public:
  explicit ActionReport(const ActionSeen& seen)
      : Report(seen.action, seen.generation, seen.now, "VolumeGroupAction"), object_(seen.object) {
    if (!status().asked) status().asked = seen.action.spec;
  }
  ActionReport& state(State state) {
    status().state = state;
    return *this;
  }
  /// The step of that name of the run under way, or of the restore.
  ActionReport& step(std::string_view name, State state, const std::string& error = "");
  /// The run, or the restore, is over: its steps move to `last`.
  ActionReport& end(State state, const std::string& reason, const std::string& message);
  ActionReport& condition(std::string_view type, bool value, std::string reason,
                          std::string message) {
    Report::condition(type, value, std::move(reason), std::move(message));
    return *this;
  }
  ActionReport& drop_condition(std::string_view type) {
    Report::drop_condition(type);
    return *this;
  }
  ActionReport& note(bool warning, std::string reason, std::string message) {
    Report::note(warning, std::move(reason), std::move(message));
    return *this;
  }
  control::Outcome outcome() const { return Report::outcome(object_); }

 private:
  RunStatus& run() {
    std::optional<RunStatus>& out =
        status().restoring.empty() ? status().triggered : status().restored;
    if (!out) out.emplace();
    return *out;
  }
  const kube::Cached& object_;
};

}  // namespace holdfast::drivers::volumegroup
