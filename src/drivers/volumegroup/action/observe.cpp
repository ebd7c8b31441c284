#include "action/observe.h"

#include <holdfast/control/asked.h>
#include <holdfast/control/finalizers.h>
#include <holdfast/kube/typed.h>
#include <holdfast/model/time.h>
#include <holdfast/protect/cut/records.h>
#include <holdfast/protect/pods.h>

#include "action/objects.h"
#include "action/run_plan.h"
#include "action/source_plan.h"

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

using control::read_live;
using model::string_at;
using model::Value;

bool is_of(const kube::Cached& object, const ActionSeen& seen) {
  return control::is_made_for(object, kActionMark, seen.uid);
}

class Observing {
 public:
  Observing(control::Pass& pass, const protect::Outside& outside, const GroupSettings& settings,
            ActionSeen& seen)
      : pass_(pass), outside_(outside), settings_(settings), seen_(seen) {}

  Result<void> run() {
    const VolumeGroupAction::Status& status = seen_.action.status;
    if (seen_.action.spec.source) seen_.searches = searches_of(seen_, settings_);
    for (SearchSeen& each : seen_.searches) each.move = see_move(seen_.ns, each.name);
    if (!status.inputs) return status.state || seen_.action.spec.source ? ok() : look_at_group();
    static_cast<protect::WindowSeen&>(seen_) = protect::window_seen(*seen_.object.shared_value());
    seen_.log = control::find_operation(*seen_.object.shared_value(), "log");
    if (rests() || owes()) return {};
    if (status.inputs->cut == Cut::Group)
      seen_.group_kinds = HF_TRY(outside_.group_kinds.known()).value_or(kube::GroupKinds());
    if (window_waits()) return {};
    for (size_t i = 0; i < status.inputs->claims.size(); ++i) HF_TRY(look_at_member(i));
    if (status.inputs->cut == Cut::Group) HF_TRY(look_at_group_cut());
    if (needs_snapshots(seen_)) HF_TRY(look_at_snapshots());
    seen_.catalogue = see_move(moves_ns(), catalogue_name(seen_));
    seen_.forgetting = see_move(seen_.ns, forget_name(seen_));
    if (status.restores) HF_TRY(look_at_restore());
    return {};
  }

 private:
  /// Nothing is asked of it and nothing of it is left to clear: points of years cost no requests.
  bool rests() const {
    return at_rest() && seen_.label.empty() && !seen_.deleting && !seen_.action.status.restores;
  }
  bool at_rest() const {
    const VolumeGroupAction::Status& status = seen_.action.status;
    return status.state == State::Completed || status.state == State::Error;
  }
  /// Its own labels are off its claims: an object that is deleted may be so in mid-run.
  bool run_is_over() const {
    return seen_.action.status.state == State::Restoring || (at_rest() && !seen_.deleting);
  }

  /// Before all else what may still be quiesced is let go, whatever cannot be read.
  bool owes() const { return seen_.window && !seen_.action.status.owed.empty(); }
  /// The window comes next, or what an operator that died in it has left.
  bool window_waits() const { return seen_.window && seen_.window->begun_and_unknown(); }

  Result<void> look_at_group() {
    const VolumeGroupAction::Spec& spec = seen_.action.spec;
    const kube::Cached object =
        HF_TRY(read_live(pass_, kube::resource_of<VolumeGroup>(), seen_.ns, spec.group));
    if (!object) {
      seen_.no_group = fmt::format("there is no VolumeGroup {}/{}", seen_.ns, spec.group);
      return {};
    }
    const Result<VolumeGroup> group = model::decode_object<VolumeGroup>(*object.shared_value());
    if (!group) {
      seen_.no_group = fmt::format("VolumeGroup {}: {}", spec.group, group.error().what());
      return {};
    }
    seen_.resolution =
        HF_TRY(resolve(pass_, outside_, settings_, seen_.ns, *group, spec.action, spec.members));
    return {};
  }

  Result<void> look_at_member(size_t i) {
    const ClaimRecord& claim = seen_.action.status.inputs->claims[i];
    MemberSeen its;
    // After the run its claims may be gone, and that is no reason to ask for each in every pass.
    its.claim = run_is_over()
                    ? pass_.get(kube::kClaims, claim.ns, claim.name)
                    : HF_TRY(control::read_cached(pass_, kube::kClaims, claim.ns, claim.name));
    look_at_label(its, claim);
    its.move = see_move(moves_ns(), upload_name(seen_, i));
    seen_.members.push_back(std::move(its));
    return {};
  }

  void look_at_label(MemberSeen& its, const ClaimRecord& claim) const {
    if (its.claim && its.claim.uid() != claim.uid) its.claim = {};
    its.labelled = false;
    const std::string mark = cut_label(seen_.uid);
    if (its.claim)
      for (const auto& [key, value] : its.claim.labels())
        its.labelled = its.labelled || key == mark;
  }

  /// Of an action that is being deleted the data moves go first; the rest is looked at after them.
  bool has_moves() const {
    return std::any_of(seen_.members.begin(), seen_.members.end(),
                       [](const MemberSeen& its) { return its.move.has_value(); });
  }

  bool any_labelled() const {
    return std::any_of(seen_.members.begin(), seen_.members.end(),
                       [](const MemberSeen& its) { return its.labelled; });
  }

  /// A cache that is behind does not know of labels that an operator before this one has set:
  /// before all count as removed, the server is asked.
  Result<void> confirm_labels() {
    for (size_t i = 0; i < seen_.members.size(); ++i) {
      const ClaimRecord& claim = seen_.action.status.inputs->claims[i];
      MemberSeen& its = seen_.members[i];
      its.claim = HF_TRY(read_live(pass_, kube::kClaims, claim.ns, claim.name));
      look_at_label(its, claim);
    }
    return {};
  }

  /// Cuts of ours are listed at once; those of a group cut are known by name.
  Result<void> look_at_snapshots() {
    const VolumeGroupAction::Status& status = seen_.action.status;
    const bool each = status.inputs->cut == Cut::Each;
    if (seen_.deleting && has_moves()) return {};
    const bool awaited = !each && seen_.group_cut && !seen_.group_cut->ready && !seen_.deleting;
    std::map<std::string, kube::Cached> cuts;
    if (each)
      cuts = HF_TRY(control::list_made(pass_, kube::kVolumeSnapshots, status.inputs->ns,
                                       kActionMark, seen_.uid));
    for (size_t i = 0; i < seen_.members.size(); ++i) {
      const ClaimRecord& claim = status.inputs->claims[i];
      // A log is cut by itself, and is not waited for with the group.
      if (awaited && !claim.log) continue;
      const std::string name = each ? cut_name(seen_, &claim) : snapshot_name(status, i);
      seen_.members[i].snapshot = protect::snapshot_seen(
          each ? cuts[name] : HF_TRY(read_live(pass_, kube::kVolumeSnapshots, claim.ns, name)));
    }
    return {};
  }

  const std::string& moves_ns() const {
    return protect::moves_ns(*seen_.action.status.inputs, seen_.ns);
  }
  std::optional<UsedMove> see_move(std::string_view ns, std::string_view name) {
    return protect::see_move(pass_, kActionMark, seen_.uid, ns, name);
  }

  /// The VolumeGroupSnapshot. While claims have the labels that it was cut by, nothing is decided.
  Result<void> look_at_group_cut() {
    if (!seen_.window || any_labelled()) return {};
    const Inputs& inputs = *seen_.action.status.inputs;
    const bool named = !snapshot_name(seen_.action.status, 0).empty();
    if (named && !needs_snapshots(seen_)) return {};
    kube::Cached cut = HF_TRY(protect::read_group_snapshot(
        pass_, outside_.group_kinds, seen_.group_kinds, inputs.ns, cut_name(seen_, nullptr)));
    if (is_of(cut, seen_)) seen_.group_cut = protect::snapshot_seen(std::move(cut));
    if (!named && seen_.window_result && seen_.group_cut)
      seen_.group_members = HF_TRY(protect::members_of(pass_, outside_.client, seen_.group_kinds,
                                                       seen_.group_cut->object, inputs.claims));
    const bool awaited = !named && cut_succeeded(seen_) && seen_.group_cut &&
                         seen_.group_members.size() < inputs.volumes();
    if (!named || (seen_.deleting && !has_moves())) return awaited ? ok() : confirm_labels();
    return {};
  }

  /// By what the last one was asked for: edits of the spec since then are wishes for the next. What
  /// is staged is looked at always, what stands in the place of the targets only while one goes on.
  Result<void> look_at_restore() {
    const VolumeGroupAction::Status& status = seen_.action.status;
    protect::handover::Looking looking(pass_, owned(seen_));
    const bool goes_on = status.state == State::Restoring;
    const bool asked = goes_on && status.restored->running.front().state == State::Pending;
    for (size_t i = 0; i < seen_.members.size(); ++i) {
      MemberSeen& its = seen_.members[i];
      const ClaimRecord& claim = status.inputs->claims[i];
      const bool revert = status.restoring == "revert";
      protect::handover::name_target(claim, revert ? std::nullopt : status.restore, its);
      its.staged_ns = claim.ns;
      its.staged_name = staged_name(status, seen_.uid, claim);
      if (its.target_ns != seen_.ns && !settings_.is_admin(seen_.ns)) seen_.target_allowed = false;
      its.download = see_move(seen_.ns, its.staged_name);
      // One that was begun beside its claim ends there.
      if (!its.download && status.inputs->repository.empty())
        its.download = see_move(claim.ns, its.staged_name);
      // Nothing takes the place of a claim but what was cut with it.
      HF_TRY(looking.look(goes_on && seen_.target_allowed && !claim.log, asked, its));
      if (seen_.deleting && its.is_begun() && !its.is_done()) {
        const kube::Cached ns = HF_TRY(read_live(pass_, kube::kNamespaces, "", its.target_ns));
        seen_.target_going = !ns || ns.being_deleted();
      }
    }
    return {};
  }

  control::Pass& pass_;
  const protect::Outside& outside_;
  const GroupSettings& settings_;
  ActionSeen& seen_;
};

}  // namespace

std::pair<std::string, std::string> trigger_of(const kube::Cached& object) {
  for (const auto& [key, value] : object.labels())
    if (key == kTrigger || key == kTriggerAlias) return {key, value};
  return {};
}

Result<ActionSeen> observe_action(control::Pass& pass, const kube::Cached& object,
                                  const protect::Outside& outside, const GroupSettings& settings) {
  ActionSeen seen;
  HF_TRY(control::read_subject(pass, object, seen, seen.action));
  seen.edited = control::keep_to_asked(seen.action);
  seen.has_finalizer = control::has_finalizer(object, kFinalizer);
  std::tie(seen.label_key, seen.label) = trigger_of(object);
  HF_TRY(Observing(pass, outside, settings, seen).run());
  return seen;
}

}  // namespace holdfast::drivers::volumegroup
