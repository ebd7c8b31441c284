// The controller of VolumeGroups, and the definitions of the kinds of this driver.
#include <holdfast/control/asked.h>
#include <holdfast/kube/typed.h>
#include <holdfast/model/selector.h>
#include <holdfast/model/time.h>

#include "action/observe.h"
#include "action/run_plan.h"
#include "controllers.h"
#include "group/plan.h"

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

using control::Outcome;

class Grouping final : public control::Reconciler {
 public:
  Result<Outcome> reconcile(control::Pass& pass) override {
    const kube::Cached object = control::find_subject<VolumeGroup>(pass);
    if (!object) return Outcome::done();
    GroupSeen seen;
    HF_TRY(control::read_subject(pass, object, seen, seen.group));
    std::tie(seen.label_key, seen.label) = trigger_of(object);
    seen.request_id =
        model::string_at(*object.shared_value(), {"metadata", "annotations", kRequestId});
    if (!seen.group.status.running.empty())
      HF_TRY(look_at_action(pass, seen));
    else
      HF_TRY(look_at_points(pass, seen));
    return plan_group(seen);
  }

 private:
  static Result<void> look_at_points(control::Pass& pass, GroupSeen& seen) {
    const kube::Resource& actions = kube::resource_of<VolumeGroupAction>();
    const auto of = model::LabelSelector::parse(fmt::format("{}={}", kGroupLabel, seen.name));
    if (!of) return {};
    for (const kube::Cached& each : pass.list(actions, seen.ns, *of)) {
      Result<VolumeGroupAction> action =
          model::decode_object<VolumeGroupAction>(*each.shared_value());
      if (!action) continue;
      control::keep_to_asked(*action);
      if (action->spec.dry_run || action->spec.source || each.being_deleted()) continue;
      const std::optional<State>& state = action->status.state;
      const bool over = state == State::Completed || state == State::Error;
      protect::PointSeen point = protect::point_of(each, action->status.conditions, over, seen.now);
      const bool snapshot = action->spec.action == GroupAction::Snapshot;
      point.forgets =
          snapshot || action->spec.deletion_policy == VolumeGroupAction::Deletion::Delete;
      if (!snapshot) point.held = held(pass, seen, *action);
      (snapshot ? seen.snapshots : seen.backups).push_back(std::move(point));
    }
    const VolumeGroup::Retention& wish = seen.group.spec.retention;
    HF_TRY(protect::confirm_newest(pass, actions, seen.snapshots, wish.snapshot, seen.now));
    return protect::confirm_newest(pass, actions, seen.backups, wish.backup, seen.now);
  }

  /// By the location that its backup is in.
  static control::Refusal held(control::Pass& pass, const GroupSeen& seen,
                               const VolumeGroupAction& action) {
    const VolumeGroupAction::Status& status = action.status;
    if (!holds_backup(status) || !status.inputs->location) return {};
    protect::Reference location = *status.inputs->location;
    if (location.ns.empty()) location.ns = status.inputs->ns;
    const protect::ForgetRule rule =
        protect::forget_rule(pass, seen.ns, location, status.inputs->ns);
    return protect::held_by(rule, model::parse_rfc3339(status.stopped).value_or(seen.now),
                            seen.now);
  }

  static Result<void> look_at_action(control::Pass& pass, GroupSeen& seen) {
    const kube::Cached object = HF_TRY(control::read_cached(
        pass, kube::resource_of<VolumeGroupAction>(), seen.ns, seen.group.status.running));
    if (!object) return {};
    seen.action_there = true;
    seen.action = HF_TRY(model::decode_object<VolumeGroupAction>(*object.shared_value()));
    return {};
  }
};

/// All of them: what a location lets go of may be any group's.
control::Lookup all_groups() {
  return [](const kube::Change&, kube::Informers& informers) {
    control::Keys keys;
    if (const kube::Informer* all = informers.covering(kube::resource_of<VolumeGroup>(), ""))
      for (const kube::Cached& each : all->list()) keys.push_back(kube::key_of(each));
    return keys;
  };
}

control::Keys group_of(const kube::Change& change) {
  for (const auto& [key, value] : change.object().labels())
    if (key == kGroupLabel) return {kube::Key{std::string(change.object().ns()), value}};
  return {};
}

}  // namespace

control::ControllerSpec group_controller(const GroupSettings&) {
  control::ControllerSpec spec;
  spec.name = "volumegroup-controller";
  spec.refused_condition = control::kRefused;
  spec.watch(kube::resource_of<VolumeGroup>());
  spec.watch(kube::resource_of<VolumeGroupAction>()).map = group_of;
  control::Watch& locations = spec.watch(kube::resource_of<protect::BackupLocation>());
  locations.lookup = all_groups();
  // Its status is written every minute.
  locations.when = control::generation_changed();
  spec.make = [] { return std::make_unique<Grouping>(); };
  spec.rights = {{"longhorn.io", {"volumegroups", "volumegroups/status"}, {"patch"}},
                 {"longhorn.io", {"volumegroupactions"}, {"create", "get", "patch", "delete"}}};
  spec.workers = 2;
  return spec;
}

std::vector<model::Value> definitions() {
  const model::Definition::Column age{"Age", "date", ".metadata.creationTimestamp"};
  return {
      model::definition_manifest<VolumeGroupAction>(
          {.doc = "Snapshot or backup of a VolumeGroup: its steps, the objects that it made, and "
                  "its consistency.",
           .short_names = {"vga"},
           .categories = {"holdfast"},
           .columns = {{"Group", "string", ".spec.volumeGroup"},
                       {"Action", "string", ".spec.action"},
                       {"State", "string", ".status.state"},
                       {"Result", "string", R"(.status.conditions[?(@.type=="Completed")].reason)",
                        "result of the run itself; State also covers a later restore"},
                       {"Consistency", "string", ".status.consistency"},
                       {"Reason", "string", ".status.consistencyReason", "", 1},
                       age}}),
      model::definition_manifest<VolumeGroup>(
          {.doc = "Volumes that belong to one application, and how the application is quiesced "
                  "while they are cut.",
           .short_names = {"vg"},
           .categories = {"holdfast"},
           .columns = {{"Kind", "string", ".spec.group.kind"},
                       {"State", "string", ".status.state"},
                       {"Running", "string", ".status.running"},
                       {"Last", "string", ".status.last"},
                       age}})};
}

}  // namespace holdfast::drivers::volumegroup
