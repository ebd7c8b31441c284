#include "volumegroup/group/plan.h"

#include <holdfast/model/time.h>
#include <holdfast/protect/schedule.h>

#include "volumegroup/group/act.h"

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

/// Written down before the action is made, so that it is made once.
Outcome trigger(const GroupSeen& seen, const std::string& request, GroupAction action,
                const std::string& scheduled) {
  VolumeGroup::Status status = seen.group.status;
  status.runs = status.runs.value_or(0) + 1;
  status.state = State::Pending;
  status.request = request;
  status.started = model::to_rfc3339(seen.now);
  status.stopped.clear();
  if (!scheduled.empty()) status.last_scheduled = scheduled;
  status.running = control::child_name(fmt::format("{}-{}", seen.name, model::word(action)),
                                       seen.uid, fmt::format("run-{}", *status.runs));
  return report(seen, std::move(status));
}

Outcome follow(const GroupSeen& seen) {
  const VolumeGroup::Status& status = seen.group.status;
  if (status.state == State::Pending) {
    if (!seen.action_there) return create_action(seen);
    VolumeGroup::Status next = status;
    next.state = State::Started;
    return report(seen, std::move(next));
  }
  const std::optional<State> state = seen.action.status.state;
  const bool over = !seen.action_there || state == State::Completed || state == State::Error ||
                    state == State::Restoring;
  if (!over) return Outcome::wait(30s, "ActionRuns");
  // The label goes before the state says that all is over: a wish is heard once.
  if (!seen.label.empty() && wish_of(seen) == status.request) return remove_label(seen);
  VolumeGroup::Status next = status;
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
  model::set_condition(
      next.conditions,
      {"LastActionCompleted", well ? "True" : "False", reason, message, "", seen.generation},
      model::to_rfc3339(seen.now));
  return report(seen, std::move(next), Note{!well, reason, message, "VolumeGroupAction"});
}

/// The last time before now at which a schedule was due since it was last seen to, and the next.
struct Due {
  std::optional<WallTime> missed{}, next{};
  GroupAction action = GroupAction::Snapshot;
  std::string error{};
};

Due next_due(const GroupSeen& seen) {
  Due out;
  const auto since = model::parse_rfc3339(seen.group.status.last_scheduled).value_or(seen.now);
  for (const VolumeGroup::Schedule& each : seen.group.spec.schedules) {
    if (each.suspend) continue;
    const auto schedule = protect::Schedule::parse(each.cron, each.time_zone);
    if (!schedule) {
      out.error = schedule.error().what();
      continue;
    }
    std::optional<WallTime> at = schedule->next(since), last;
    // What was missed is done once, however often it was missed.
    for (int i = 0; at && *at <= seen.now && i < 100000; ++i) {
      last = at;
      at = schedule->next(*at);
    }
    const bool late = last && each.starting_deadline_seconds &&
                      seen.now - *last > std::chrono::seconds(*each.starting_deadline_seconds);
    if (last && !late && (!out.missed || *last > *out.missed)) {
      out.missed = last;
      out.action = each.action;
    }
    if (at && (!out.next || *at < *out.next)) out.next = at;
  }
  return out;
}

Outcome keep_schedules(const GroupSeen& seen) {
  if (seen.group.spec.schedules.empty()) return Outcome::done("AtRest");
  const Due due = next_due(seen);
  VolumeGroup::Status status = seen.group.status;
  const bool changed = model::set_condition(
      status.conditions,
      {"Scheduled", due.error.empty() ? "True" : "False",
       due.error.empty() ? "Waiting" : "InvalidSchedule", due.error, "", seen.generation},
      model::to_rfc3339(seen.now));
  if (changed || status.last_scheduled.empty()) {
    if (status.last_scheduled.empty()) status.last_scheduled = model::to_rfc3339(seen.now);
    return report(seen, std::move(status));
  }
  if (due.missed)
    return trigger(seen, fmt::format("{}@schedule", model::word(due.action)), due.action,
                   model::to_rfc3339(seen.now));
  if (!due.next) return Outcome::done("NeverDue");
  return Outcome::wait(std::min<std::chrono::milliseconds>(
                           std::chrono::ceil<std::chrono::milliseconds>(*due.next - seen.now), 1h),
                       "Scheduled");
}

/// Nothing when every action that is there may stay.
std::optional<Outcome> keep_retention(const GroupSeen& seen) {
  for (const GroupAction action : {GroupAction::Snapshot, GroupAction::Backup}) {
    const VolumeGroup::Retention& wish = seen.group.spec.retention;
    std::vector<const PointSeen*> of;
    std::vector<protect::RetainedPoint> points;
    for (const PointSeen& each : seen.points) {
      if (each.action != action) continue;
      of.push_back(&each);
      points.push_back(each.point);
    }
    const auto gone = protect::expired(
        points, action == GroupAction::Snapshot ? wish.snapshot : wish.backup, seen.now);
    if (!gone.empty()) return retire(*of[gone.front()]);
  }
  return std::nullopt;
}

}  // namespace

Outcome plan_group(const GroupSeen& seen) {
  const VolumeGroup::Status& status = seen.group.status;
  if (seen.deleting) return Outcome::done("Deleting");
  if (!status.state) {
    VolumeGroup::Status first = status;
    first.state = State::Pending;
    return report(seen, std::move(first));
  }
  if (!status.running.empty()) return follow(seen);
  if (std::optional<Outcome> step = keep_retention(seen)) return std::move(*step);
  if (seen.label.empty()) return keep_schedules(seen);
  const auto action = model::from_word<GroupAction>(seen.label);
  if (!action)
    return remove_label(seen, Note{true, "UnknownAction",
                                   fmt::format("{} = {}: a VolumeGroup takes snapshot and backup",
                                               seen.label_key, seen.label),
                                   "Trigger"});
  return trigger(seen, wish_of(seen), *action, "");
}

}  // namespace holdfast::drivers::volumegroup
