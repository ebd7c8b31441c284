#include "group/plan.h"

#include <holdfast/control/report.h>
#include <holdfast/model/time.h>
#include <holdfast/protect/schedule.h>

#include "group/act.h"

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

using namespace std::chrono_literals;
using control::Note;
using control::Outcome;

/// The wish that stands on the object now: two that are alike are one.
std::string wish_of(const GroupSeen& seen) {
  if (seen.label.empty()) return "";
  return seen.request_id.empty() ? seen.label : seen.label + "#" + seen.request_id;
}

control::Report<VolumeGroup> report_on(const GroupSeen& seen) {
  return {seen.group, seen.generation, seen.now, "VolumeGroupAction"};
}

/// Written down before the action is made, so that it is made once.
Outcome trigger(const GroupSeen& seen, const std::string& request, GroupAction action,
                std::vector<protect::ScheduleTime> schedules) {
  auto report = report_on(seen);
  VolumeGroup::Status& status = report.status();
  status.runs = status.runs.value_or(0) + 1;
  status.state = State::Pending;
  status.request = request;
  status.started = model::to_rfc3339(seen.now);
  status.stopped.clear();
  status.schedules = std::move(schedules);
  status.running = control::child_name(fmt::format("{}-{}", seen.name, model::word(action)),
                                       seen.uid, fmt::format("run-{}", *status.runs));
  return report.outcome(seen.object);
}

Outcome follow(const GroupSeen& seen) {
  const VolumeGroup::Status& status = seen.group.status;
  if (status.state == State::Pending) {
    if (!seen.action_there) return create_action(seen);
    auto report = report_on(seen);
    report.status().state = State::Started;
    return report.outcome(seen.object);
  }
  const std::optional<State> state = seen.action.status.state;
  const bool over = !seen.action_there || state == State::Completed || state == State::Error ||
                    state == State::Restoring;
  if (!over) return Outcome::wait(30s, "ActionRuns");
  // The label goes before the state says that all is over: a wish is heard once.
  if (!seen.label.empty() && wish_of(seen) == status.request) return remove_label(seen);
  auto report = report_on(seen);
  VolumeGroup::Status& next = report.status();
  bool well = seen.action_there && state == State::Completed;
  std::string reason = "ActionDeleted", message = "the action was deleted while it ran";
  for (const model::Condition& each : seen.action.status.conditions)
    if (seen.action_there && each.type == "Completed") {
      reason = each.reason;
      message = each.message;
      well = each.status == "True";
    }
  next.state = well ? State::Completed : State::Error;
  next.last = next.running;
  next.running.clear();
  next.request.clear();
  next.stopped = model::to_rfc3339(seen.now);
  return report.condition("LastActionCompleted", well, reason, message)
      .note(!well, reason, message)
      .outcome(seen.object);
}

Outcome keep_schedules(const GroupSeen& seen) {
  if (seen.group.spec.schedules.empty()) return Outcome::done("AtRest");
  std::vector<protect::ScheduleWish> wishes;
  for (const VolumeGroup::Schedule& each : seen.group.spec.schedules)
    wishes.push_back(each.wish(model::word(each.action)));
  auto times = protect::times_of(wishes, seen.group.status.schedules, seen.now);
  const protect::Due due = protect::due(wishes, seen.now);
  auto report = report_on(seen);
  const bool changed = due.error
                           ? report.set("Scheduled", "False", "InvalidSchedule", due.error->what())
                           : report.set("Scheduled", "True", "Waiting", "");
  if (due.missed) {
    const GroupAction action = seen.group.spec.schedules[due.which].action;
    times[due.which].last_scheduled = model::to_rfc3339(seen.now);
    return trigger(seen, fmt::format("{}@schedule", model::word(action)), action, std::move(times));
  }
  if (changed || times != seen.group.status.schedules) {
    report.status().schedules = std::move(times);
    return report.outcome(seen.object);
  }
  if (!due.next) return Outcome::done("NeverDue");
  return Outcome::wait(std::min<std::chrono::milliseconds>(
                           std::chrono::ceil<std::chrono::milliseconds>(*due.next - seen.now), 1h),
                       "Scheduled");
}

bool is_held(const GroupSeen& seen) {
  return control::find_condition(seen.group.status.conditions, protect::kRetentionHeld) != nullptr;
}

/// What the policy lets go and the location does not stays, and the group says so.
std::optional<Outcome> tell_held(const GroupSeen& seen) {
  auto report = report_on(seen);
  if (!protect::tell_held(
          report, protect::held_back(seen.backups, seen.group.spec.retention.backup, seen.now)))
    return std::nullopt;
  return report.outcome(seen.object);
}

/// Nothing when every action that is there may stay.
std::optional<Outcome> keep_retention(const GroupSeen& seen) {
  const kube::Resource& actions = kube::resource_of<VolumeGroupAction>();
  const VolumeGroup::Retention& wish = seen.group.spec.retention;
  auto write = protect::retire_one(actions, seen.snapshots, wish.snapshot, seen.now);
  // A backup is to leave the repository with its action.
  if (!write) write = protect::retire_one(actions, seen.backups, wish.backup, seen.now);
  if (!write) return tell_held(seen);
  return Outcome::act(std::move(*write));
}

}  // namespace

Outcome plan_group(const GroupSeen& seen) {
  const VolumeGroup::Status& status = seen.group.status;
  if (seen.deleting) return Outcome::done("Deleting");
  if (!status.state) {
    auto report = report_on(seen);
    report.status().state = State::Pending;
    return report.outcome(seen.object);
  }
  if (!status.running.empty()) return follow(seen);
  if (std::optional<Outcome> step = keep_retention(seen)) return std::move(*step);
  if (seen.label.empty()) {
    Outcome next = keep_schedules(seen);
    // Nobody tells when the time of what is held has come.
    if (next.kind == Outcome::Kind::Done && is_held(seen))
      return Outcome::wait(1h, protect::kRetentionHeld);
    return next;
  }
  const auto action = model::from_word<GroupAction>(seen.label);
  if (!action)
    return remove_label(seen, Note{true, "UnknownAction",
                                   fmt::format("{} = {}: a VolumeGroup takes snapshot and backup",
                                               seen.label_key, seen.label),
                                   "Trigger"});
  return trigger(seen, wish_of(seen), *action, status.schedules);
}

}  // namespace holdfast::drivers::volumegroup
