/// A status of an action to be written: what changed since it was seen, and why.
#pragma once

#include <holdfast/control/outcome.h>

#include "volumegroup/action/seen.h"

namespace holdfast::drivers::volumegroup {

class ActionReport {
 public:
  explicit ActionReport(const ActionSeen& seen) : seen_(seen), status_(seen.action.status) {
    if (!status_.asked) status_.asked = seen.action.spec;
  }
  VolumeGroupAction::Status& status() { return status_; }
  ActionReport& state(State state) {
    status_.state = state;
    return *this;
  }
  ActionReport& condition(std::string_view type, bool value, std::string reason,
                          std::string message);
  ActionReport& drop_condition(std::string_view type);
  /// The step of that name of the run under way, or of the restore.
  ActionReport& step(std::string_view name, State state, const std::string& error = "");
  /// The run, or the restore, is over: its steps move to `last`.
  ActionReport& end(State state, const std::string& reason, const std::string& message);
  control::Outcome outcome() const;
  ActionReport& note(bool warning, std::string reason, std::string message);

 private:
  RunStatus& run() {
    std::optional<RunStatus>& out =
        status_.restoring.empty() ? status_.triggered : status_.restored;
    if (!out) out.emplace();
    return *out;
  }
  const ActionSeen& seen_;
  VolumeGroupAction::Status status_;
  std::optional<control::Note> note_{};
};

}  // namespace holdfast::drivers::volumegroup
