#include "action/observe.h"

#include <holdfast/control/asked.h>
#include <holdfast/control/finalizers.h>
#include <holdfast/kube/typed.h>
#include <holdfast/model/time.h>
#include <holdfast/protect/pods.h>

#include "action/objects.h"
#include "action/source_plan.h"
#include "groupcut/members.h"
#include "members/claims.h"

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

using control::read_live;
using model::string_at;
using model::Value;
using protect::DataMove;

std::string_view annotation(const Value& object, std::string_view key) {
  return string_at(object, {"metadata", "annotations", key});
}

bool is_of(const kube::Cached& object, const ActionSeen& seen) {
  return control::is_made_for(object, kActionMark, seen.uid);
}

std::optional<SnapshotSeen> snapshot_seen(kube::Cached object) {
  if (!object) return std::nullopt;
  const Value value = object.value();
  SnapshotSeen out;
  out.ready = model::bool_at(value, {"status", "readyToUse"}, false);
  out.cut = !string_at(value, {"status", "creationTime"}).empty();
  if (!out.cut) out.error = string_at(value, {"status", "error", "message"});
  out.deleting = object.being_deleted();
  out.object = std::move(object);
  return out;
}

std::optional<ClaimSeen> claim_seen(kube::Cached object) {
  if (!object) return std::nullopt;
  const Value value = object.value();
  ClaimSeen out;
  out.volume = string_at(value, {"spec", "volumeName"});
  out.size = string_at(value, {"status", "capacity", "storage"});
  if (out.size.empty()) out.size = string_at(value, {"spec", "resources", "requests", "storage"});
  out.bound = string_at(value, {"status", "phase"}) == "Bound";
  out.restored_by = annotation(value, kRestoredBy);
  out.deleting = object.being_deleted();
  out.object = std::move(object);
  return out;
}

std::optional<VolumeSeen> volume_seen(kube::Cached object) {
  if (!object) return std::nullopt;
  const Value value = object.value();
  VolumeSeen out;
  out.policy = string_at(value, {"spec", "persistentVolumeReclaimPolicy"});
  out.claim_ns = string_at(value, {"spec", "claimRef", "namespace"});
  out.claim_name = string_at(value, {"spec", "claimRef", "name"});
  out.claim_uid = string_at(value, {"spec", "claimRef", "uid"});
  out.restored_by = annotation(value, kRestoredBy);
  out.first_policy = annotation(value, kFirstPolicy);
  out.object = std::move(object);
  return out;
}

std::optional<MoveSeen> move_seen(control::Pass& pass, const ActionSeen& seen, std::string_view ns,
                                  std::string_view name) {
  MoveSeen out;
  out.object = pass.get(kube::resource_of<DataMove>(), ns, name);
  if (!is_of(out.object, seen)) return std::nullopt;
  Result<DataMove> decoded = model::decode_object<DataMove>(out.object.value());
  if (decoded) out.move = decoded.take();
  return out;
}

class Observing {
 public:
  Observing(control::Pass& pass, const Surroundings& around, const GroupSettings& settings,
            ActionSeen& seen)
      : pass_(pass), around_(around), settings_(settings), seen_(seen) {}

  Result<void> run() {
    const VolumeGroupAction::Status& status = seen_.action.status;
    if (seen_.action.spec.source)
      seen_.search = move_seen(pass_, seen_, source_ns(seen_), search_name(seen_));
    if (!status.frozen) return status.state || seen_.action.spec.source ? ok() : look_at_group();
    seen_.window = control::find_operation(seen_.object.value(), "window");
    seen_.release = control::find_operation(seen_.object.value(), "release");
    seen_.log = control::find_operation(seen_.object.value(), "log");
    if (seen_.window && seen_.window->result) {
      WindowResult result;
      if (model::field_type<WindowResult>().decode(&result, *seen_.window->result, ""))
        seen_.window_result = std::move(result);
    }
    if (rests()) return {};
    for (size_t i = 0; i < status.frozen->claims.size(); ++i) HF_TRY(look_at_member(i));
    if (status.frozen->cut == Cut::Group) HF_TRY(look_at_group_cut());
    seen_.catalogue = move_seen(pass_, seen_, status.frozen->ns, catalogue_name(seen_));
    seen_.forgetting = move_seen(pass_, seen_, status.frozen->ns, forget_name(seen_));
    if (status.restores || seen_.label == "restore" || seen_.label == "revert")
      HF_TRY(look_at_restore());
    return {};
  }

 private:
  /// Nothing is asked of it and nothing of it is left to clear: points of years cost no requests.
  bool rests() const {
    const VolumeGroupAction::Status& status = seen_.action.status;
    const bool over = status.state == State::Completed || status.state == State::Error;
    return over && seen_.label.empty() && !seen_.deleting && !status.restores;
  }

  Result<void> look_at_group() {
    const VolumeGroupAction::Spec& spec = seen_.action.spec;
    const kube::Cached object =
        HF_TRY(read_live(pass_, kube::resource_of<VolumeGroup>(), seen_.ns, spec.group));
    if (!object) {
      seen_.no_group = fmt::format("there is no VolumeGroup {}/{}", seen_.ns, spec.group);
      return {};
    }
    const Result<VolumeGroup> group = model::decode_object<VolumeGroup>(object.value());
    if (!group) {
      seen_.no_group = fmt::format("VolumeGroup {}: {}", spec.group, group.error().what());
      return {};
    }
    seen_.resolution =
        HF_TRY(resolve(pass_, around_, settings_, seen_.ns, *group, spec.action, spec.members));
    return {};
  }

  Result<void> look_at_member(size_t i) {
    const VolumeGroupAction::Status& status = seen_.action.status;
    const ClaimRecord& claim = status.frozen->claims[i];
    MemberSeen its;
    its.claim = HF_TRY(read_live(pass_, kube::kClaims, claim.ns, claim.name));
    if (its.claim && its.claim.uid() != claim.uid) its.claim = {};
    if (its.claim)
      its.labelled =
          !string_at(its.claim.value(), {"metadata", "labels", cut_label(seen_.uid)}).empty();
    std::string name;
    if (status.frozen->cut == Cut::Each) name = cut_name(seen_, &claim);
    if (status.triggered && i < status.triggered->references.resources.size()) {
      const auto& items = status.triggered->references.resources[i].items;
      if (const auto found = items.find("snapshot"); found != items.end() && !found->second.empty())
        name = found->second.front();
    }
    // Before the window there is nothing to see.
    if (seen_.window)
      its.snapshot =
          snapshot_seen(HF_TRY(read_live(pass_, kube::kVolumeSnapshots, claim.ns, name)));
    its.move = move_seen(pass_, seen_, claim.ns, upload_name(seen_, i));
    seen_.members.push_back(std::move(its));
    return {};
  }

  Result<void> look_at_group_cut() {
    seen_.group_kinds = HF_TRY(around_.group_kinds->known()).value_or(GroupKinds());
    if (!seen_.window) return {};
    kube::Cached cut = HF_TRY(read_group_cut());
    if (!cut) {
      // Perhaps only its version is served no more: gone is what the one of now does not show.
      const GroupKinds before = seen_.group_kinds;
      seen_.group_kinds = HF_TRY(around_.group_kinds->ask()).value_or(before);
      if (seen_.group_kinds != before) cut = HF_TRY(read_group_cut());
    }
    if (!is_of(cut, seen_)) return {};
    seen_.group_cut = snapshot_seen(std::move(cut));
    const auto& resources = seen_.action.status.triggered->references.resources;
    const bool named = resources.front().items.contains("snapshot");
    if (!named && seen_.window_result) HF_TRY(find_group_members());
    return {};
  }

  Result<kube::Cached> read_group_cut() {
    return read_live(pass_, seen_.group_kinds.snapshots, seen_.action.status.frozen->ns,
                     cut_name(seen_, nullptr));
  }

  Result<void> find_group_members() {
    const Value group = seen_.group_cut->object.value();
    const kube::Cached content =
        HF_TRY(read_live(pass_, seen_.group_kinds.contents, "",
                         string_at(group, {"status", "boundVolumeGroupSnapshotContentName"})));
    const auto told =
        content ? volumes_told(content.value()) : std::map<std::string, std::string>();
    std::vector<Value> members;
    const auto listed = around_.client.list(
        kube::kVolumeSnapshots, seen_.action.status.frozen->ns, {}, [&](const Value& each) {
          for (const model::OwnerReference& owner : model::meta_of(each).owners)
            if (owner.uid == seen_.group_cut->object.uid()) members.push_back(each);
          return true;
        });
    if (!listed) return listed.error().error.copy();
    for (const Value& member : members) {
      const kube::Cached its =
          HF_TRY(read_live(pass_, kube::kVolumeSnapshotContents, "", content_of(member)));
      if (!its || !is_bound_to(its.value(), member)) continue;
      const std::string volume = volume_of(its.value(), told);
      for (const ClaimRecord& claim : seen_.action.status.frozen->claims)
        if (!volume.empty() && claim.volume_handle == volume)
          seen_.group_members[claim.name] = string_at(member, {"metadata", "name"});
    }
    return {};
  }

  Result<void> look_at_restore() {
    const VolumeGroupAction::Status& status = seen_.action.status;
    const std::optional<VolumeGroupAction::Restore>& wish =
        status.state == State::Restoring ? status.restore : seen_.action.spec.restore;
    for (size_t i = 0; i < seen_.members.size(); ++i) {
      MemberSeen& its = seen_.members[i];
      const ClaimRecord& claim = status.frozen->claims[i];
      const bool revert = status.restoring == "revert";
      its.target_ns = !revert && wish && !wish->ns.empty() ? wish->ns : claim.ns;
      its.target_name = claim.name;
      if (!revert && wish && wish->conflict == VolumeGroupAction::Conflict::Rename)
        its.target_name += wish->suffix.empty() ? "-restored" : wish->suffix;
      if (its.target_ns != seen_.ns && !settings_.is_admin(seen_.ns)) seen_.target_allowed = false;
      if (seen_.target_allowed) HF_TRY(look_at_target(its, claim));
    }
    return {};
  }

  Result<void> look_at_target(MemberSeen& its, const ClaimRecord& claim) {
    const std::string staged = staged_name(seen_.action.status, seen_.uid, claim);
    // Nothing takes the place of a claim but what was cut with it.
    if (!claim.log)
      its.target =
          claim_seen(HF_TRY(read_live(pass_, kube::kClaims, its.target_ns, its.target_name)));
    kube::Cached found = HF_TRY(read_live(pass_, kube::kClaims, claim.ns, staged));
    if (is_of(found, seen_)) its.staged = claim_seen(std::move(found));
    its.download = move_seen(pass_, seen_, claim.ns, staged);
    look_at_prover(its, HF_TRY(read_live(pass_, kube::kPods, claim.ns, staged)));
    HF_TRY(look_at_volumes(its, staged));
    if (its.target && its.target->restored_by != staged) HF_TRY(look_at_users(its));
    return {};
  }

  void look_at_prover(MemberSeen& its, kube::Cached pod) {
    if (!is_of(pod, seen_)) return;
    const protect::PodSeen looked = protect::pod_seen(pod);
    its.prover_phase = looked.phase;
    its.prover_message = looked.said();
    its.prover = std::move(pod);
  }

  Result<void> look_at_volumes(MemberSeen& its, const std::string& staged) {
    for (const kube::Cached& volume : pass_.list(kube::kVolumes, ""))
      if (annotation(*volume.shared_value(), kRestoredBy) == staged)
        its.fresh = volume_seen(HF_TRY(read_live(pass_, kube::kVolumes, "", volume.name())));
    if (!its.fresh && its.staged && its.staged->bound)
      its.fresh = volume_seen(HF_TRY(read_live(pass_, kube::kVolumes, "", its.staged->volume)));
    if (its.target && its.target->restored_by != staged)
      its.old = volume_seen(HF_TRY(read_live(pass_, kube::kVolumes, "", its.target->volume)));
    return {};
  }

  /// Asked of the server: a pod that came a moment ago counts.
  Result<void> look_at_users(MemberSeen& its) {
    const auto listed = around_.client.list(kube::kPods, its.target_ns, {}, [&](const Value& pod) {
      const std::string_view phase = string_at(pod, {"status", "phase"});
      if (phase == "Succeeded" || phase == "Failed") return true;
      for (const std::string& each : claims_of(pod))
        if (each == its.target_name) its.users.emplace_back(string_at(pod, {"metadata", "name"}));
      return true;
    });
    if (!listed) return listed.error().error.copy();
    return {};
  }

  control::Pass& pass_;
  const Surroundings& around_;
  const GroupSettings& settings_;
  ActionSeen& seen_;
};

}  // namespace

control::Refusal MoveSeen::trouble() const {
  for (const model::Condition& each : move.status.conditions)
    if (each.type == "Completed") return {each.reason, each.message};
  return {"MoveFailed", "the data move did not complete"};
}

std::pair<std::string, std::string> trigger_of(const kube::Cached& object) {
  for (const auto& [key, value] : object.labels())
    if (key == kTrigger || key == kTriggerAlias) return {key, value};
  return {};
}

Result<ActionSeen> observe_action(control::Pass& pass, const kube::Cached& object,
                                  const Surroundings& around, const GroupSettings& settings) {
  ActionSeen seen;
  seen.action = HF_TRY(model::decode_object<VolumeGroupAction>(object.value()));
  seen.edited = control::keep_to_asked(seen.action);
  seen.object = object;
  seen.ns = object.ns();
  seen.name = object.name();
  seen.uid = object.uid();
  seen.generation = object.meta().generation;
  seen.created = model::parse_rfc3339(string_at(object.value(), {"metadata", "creationTimestamp"}));
  seen.deleting = object.being_deleted();
  seen.held = control::has_finalizer(object, kFinalizer);
  std::tie(seen.label_key, seen.label) = trigger_of(object);
  seen.now = pass.now();
  HF_TRY(Observing(pass, around, settings, seen).run());
  return seen;
}

}  // namespace holdfast::drivers::volumegroup
